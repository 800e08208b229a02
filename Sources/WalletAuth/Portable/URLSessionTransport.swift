import WalletAuthTransport

/// Sends requests with its own `URLSession`: no cache, no cookies, no stored credentials, and no followed redirects.
///
/// On Linux, every request has its own connection. libcurl, which carries it there, repeats a request by itself if a
/// reused connection breaks before the response begins. A code or a password would then be sent twice without the
/// caller's knowledge. At most 32 connections are open at once; further requests wait for one of them to end.
public final class URLSessionTransport: HTTPTransport {
    /// The default limit on a response, in bytes.
    public static let defaultMaximumAnswer = 8 << 20

    #if os(Linux)
        /// The number of concurrent requests on Linux.
        public static let connectionsAtOnce = 32

        private let maximumAnswer: Int
        private let places = AsyncLock(places: connectionsAtOnce)
    #else
        private let session: StatelessSession
    #endif

    private let product: String?

    /// Creates a transport.
    /// - Parameters:
    ///   - maximumAnswer: the longest response to read, in bytes. A longer one counts as lost, so that a broken server
    ///     cannot exhaust the memory.
    ///   - product: the app's name and version for `User-Agent` (RFC 9110 §10.1.5), for instance `ExampleWallet/1.4`.
    ///     The server records it with a sign-in, so that the account's owner can tell apps apart. Nil leaves it to the
    ///     system, which on Linux knows no version.
    public init(maximumAnswer: Int = URLSessionTransport.defaultMaximumAnswer, product: String? = nil) {
        self.product = product
        #if os(Linux)
            self.maximumAnswer = maximumAnswer
        #else
            session = StatelessSession(maximumAnswer: maximumAnswer)
        #endif
    }

    /// Sends `request` once.
    /// - Parameter request: the request; headers and body are sent as they are.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``TransportFailure``; `CancellationError` when the task was cancelled.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        #if os(Linux)
            guard try await places.acquire(within: request.timeout) else {
                throw TransportFailure(.unreachable, reason: "too many other requests were under way")
            }
            defer { places.release() }
            let session = StatelessSession(maximumAnswer: maximumAnswer)
        #endif
        do {
            let answer = try await session.send(
                request.method, request.url, headers: request.headers.all, body: request.body, product: product,
                within: request.timeout)
            return HTTPResponse(status: answer.status, headers: HTTPFields(answer.headers), body: answer.body)
        } catch let failure as LoadingFailure {
            throw TransportFailure(failure)
        }
    }
}

extension TransportFailure {
    fileprivate init(_ failure: LoadingFailure) {
        let kind: Kind =
            switch failure.kind {
            case .offline: .offline
            case .unreachable: .unreachable
            case .untrusted: .untrusted
            case .lost: .lost
            }
        self.init(kind, reason: failure.reason)
    }
}

internal import Foundation
internal import WalletAuthTransport

/// Sends requests with `URLSession`, without a cache, cookies, stored credentials or redirects.
///
/// Each request has its own connection. On Linux, libcurl resends a request if a reused connection breaks before the
/// answer begins, and the backend would not know that it asked twice. There, `URLSession` also keeps a processor busy
/// while a request waits for its answer. This suits key fetches and a modest number of payments; for a busy backend,
/// or one that waits for transactions, adapt your own HTTP client.
public final class FoundationTransport: BackendTransport {
    private let requestsAtOnce: Int
    private let product: String?
    private let underWay = LockedValue(0)

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - requestsAtOnce: the limit of concurrent requests. A request beyond it fails at once as not sent.
    ///   - product: the name of the backend for `User-Agent` (RFC 9110 §10.1.5), such as `ExampleShop/1.4`, which
    ///     appears in the server's audit log. Nil uses the system's default, which on Linux has no version.
    public init(requestsAtOnce: Int = 64, product: String? = nil) {
        self.requestsAtOnce = requestsAtOnce
        self.product = product
    }

    /// Sends `request` once.
    ///
    /// - Parameter request: the request. Its headers and body are sent unchanged.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``OutboundFailure``; `CancellationError` if the task was cancelled.
    public func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        guard let url = URL(string: request.url) else {
            throw OutboundFailure(.notSent, reason: "the URL is neither https nor http")
        }
        let hasPlace = underWay.withLock { count in
            guard count < requestsAtOnce else { return false }
            count += 1
            return true
        }
        guard hasPlace else { throw OutboundFailure(.notSent, reason: "too many other requests are under way") }
        defer { underWay.withLock { $0 -= 1 } }
        do {
            let answer = try await StatelessSession(maximumAnswer: request.maximumAnswer).send(
                request.method, url, headers: request.headers.map { (name: $0.name, value: $0.value) },
                body: request.body.map { Data($0) }, product: product, within: request.timeout)
            return OutboundResponse(
                status: answer.status, headers: answer.headers.map { HeaderField($0.name, $0.value) },
                body: Array(answer.body))
        } catch let failure as LoadingFailure {
            throw OutboundFailure(loading: failure)
        }
    }
}

extension OutboundFailure {
    fileprivate init(loading failure: LoadingFailure) {
        let kind: Kind =
            switch failure.kind {
            case .offline, .unreachable: .notSent
            case .untrusted: .untrusted
            case .lost: .lost
            }
        self.init(kind, reason: failure.reason)
    }
}

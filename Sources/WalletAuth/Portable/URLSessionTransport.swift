import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with its own `URLSession`: no cache, no cookies, no stored credentials, and no followed redirects.
///
/// On Linux, every request has its own connection. libcurl, which carries it there, repeats a request by itself if a
/// reused connection breaks before the response begins. A code or a password would then be sent twice without the
/// caller's knowledge; and because the body has already been read, the repetition would wait until the timeout. A new
/// connection is never repeated. At most 32 are open at once; further requests wait for one of them to end.
public final class URLSessionTransport: HTTPTransport {
    /// The default limit on a response, in bytes.
    public static let defaultMaximumAnswer = 8 << 20

    #if os(Linux)
        /// The number of concurrent requests on Linux.
        public static let connectionsAtOnce = 32

        private let maximumAnswer: Int
        private let places = AsyncLock(places: connectionsAtOnce)
    #else
        private let line: Line
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
            line = Line(maximumAnswer: maximumAnswer)
        #endif
    }

    #if !os(Linux)
        deinit { line.end() }
    #endif

    /// Sends `request` once.
    /// - Throws: ``TransportFailure``; `CancellationError` when the task was cancelled.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard ["https", "http"].contains(request.url.scheme?.lowercased()) else {
            throw TransportFailure(.unreachable, reason: "the URL is neither https nor http")
        }
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method
        for field in request.headers.all { urlRequest.addValue(field.value, forHTTPHeaderField: field.name) }
        if let product, urlRequest.value(forHTTPHeaderField: "User-Agent") == nil {
            urlRequest.setValue(product, forHTTPHeaderField: "User-Agent")
        }
        urlRequest.httpBody = request.body
        urlRequest.httpShouldHandleCookies = false
        // This timeout limits the silence between two packets; the deadline below limits the whole exchange.
        urlRequest.timeoutInterval = max(1, TimeInterval(request.timeout.components.seconds))

        try Task.checkCancellation()
        #if os(Linux)
            guard try await places.acquire(within: request.timeout) else {
                throw TransportFailure(.unreachable, reason: "too many other requests were under way")
            }
            defer { places.release() }
            let line = Line(maximumAnswer: maximumAnswer)
            defer { line.end() }
        #endif
        return try await line.send(urlRequest, within: request.timeout)
    }
}

/// A session and its delegate.
private struct Line: Sendable {
    private let session: URLSession
    private let exchanges: Exchanges

    init(maximumAnswer: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        exchanges = Exchanges(maximumAnswer: maximumAnswer)
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    func send(_ request: URLRequest, within limit: Duration) async throws -> HTTPResponse {
        let task = session.dataTask(with: request)
        let deadline = Task {
            try await Task.sleep(for: limit, clock: .continuous)
            exchanges.giveUp(task, as: TransportFailure(.lost, reason: "there was no answer in time"))
        }
        defer { deadline.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.begin(task, continuation)
                task.resume()
            }
        } onCancel: {
            exchanges.giveUp(task, as: CancellationError())
        }
    }

    /// Closes the session once its tasks end: it keeps its delegate and its connections until told to stop.
    func end() { session.finishTasksAndInvalidate() }
}

/// Collects the session's events and resumes the waiting callers.
///
/// It is a delegate and not a set of completion handlers, because on Linux only a delegate is asked about redirects.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var body = Data()
        var verdict: (any Error)?
        var hasRejectedChallenge = false
    }

    private let maximumAnswer: Int
    private let open = LockedValue<[Int: Exchange]>([:])

    init(maximumAnswer: Int) {
        self.maximumAnswer = maximumAnswer
    }

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<HTTPResponse, any Error>) {
        let verdict = open.withLock { open -> (any Error)? in
            if let verdict = open[task.taskIdentifier]?.verdict { return verdict }
            open[task.taskIdentifier, default: Exchange()].continuation = continuation
            return nil
        }
        // Cancelled before it began.
        guard let verdict else { return }
        task.cancel()
        continuation.resume(throwing: verdict)
    }

    /// Ends a task with a reason that the session's own error would not carry. The caller is resumed right here: on
    /// Linux, a task cancelled while it connects has been seen never to report its end.
    func giveUp(_ task: URLSessionTask, as verdict: any Error) {
        let waiting = open.withLock { open -> CheckedContinuation<HTTPResponse, any Error>? in
            var exchange = open[task.taskIdentifier] ?? Exchange()
            guard exchange.verdict == nil else { return nil }
            exchange.verdict = verdict
            let waiting = exchange.continuation
            exchange.continuation = nil
            open[task.taskIdentifier] = exchange
            return waiting
        }
        task.cancel()
        waiting?.resume(throwing: verdict)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The redirect itself is the response: following it would carry tokens to an unintended host.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let passwords = [
            NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodDefault,
        ]
        guard passwords.contains(challenge.protectionSpace.authenticationMethod) else {
            // Server trust and the like follow the platform's rules, and no others.
            completionHandler(.performDefaultHandling, nil)
            return
        }
        // The 401 is the response. By default, Linux would wait for credentials that never come.
        open.withLock { $0[task.taskIdentifier]?.hasRejectedChallenge = true }
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = open.withLock { open -> Bool in
            guard var exchange = open.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            exchange.body += data
            let isTooLong = exchange.body.count > maximumAnswer
            open[dataTask.taskIdentifier] = exchange
            return isTooLong
        }
        if isTooLong {
            giveUp(dataTask, as: TransportFailure(.lost, reason: "the response is longer than \(maximumAnswer) bytes"))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.continuation?.resume(
            with: Result {
                // Linux ends a task with a rejected challenge as cancelled. The response is there, without its body.
                if let error, !exchange.hasRejectedChallenge || task.response == nil {
                    throw TransportFailure(error, to: task.originalRequest?.url)
                }
                guard let response = task.response as? HTTPURLResponse else {
                    throw TransportFailure(.lost, reason: "the response was not HTTP")
                }
                return HTTPResponse(
                    status: response.statusCode,
                    headers: HTTPFields(
                        response.allHeaderFields.compactMap { name, value in
                            (name as? String).map { (name: $0, value: "\(value)") }
                        }),
                    body: exchange.body)
            })
    }
}

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with a `URLSession` of its own: no cache, no cookies, no kept credentials, and no redirect followed.
///
/// On Linux every request has a connection of its own. libcurl, which carries it there, sends a request a second time by
/// itself when a connection that it kept open breaks before the answer begins: a code or a password would be sent twice
/// behind the caller's back, and a body that was read already is not there any more, so that the repetition waits for
/// nothing until the time is over. On a new connection nothing is repeated. Thirty-two are open at once
/// at most; whoever comes then waits for one of them to end.
public final class URLSessionTransport: HTTPTransport {
    /// The longest answer that is read unless told otherwise, in bytes.
    public static let defaultMaximumAnswer = 8 << 20

    #if os(Linux)
        /// How many requests are under way at once, on Linux.
        public static let connectionsAtOnce = 32

        private let maximumAnswer: Int
        private let places = AsyncLock(places: connectionsAtOnce)
    #else
        private let line: Line
    #endif

    private let product: String?

    /// Makes a transport.
    /// - Parameters:
    ///   - maximumAnswer: an answer longer than so many bytes is given up as lost, so that a server gone wrong
    ///     does not take all the memory there is.
    ///   - product: what the app calls itself in `User-Agent` (RFC 9110 §10.1.5), for instance `ExampleWallet/1.4`: the
    ///     server keeps it with a sign-in, so that its holder can tell apps apart. Nil leaves it to the system, which on Linux
    ///     knows no version.
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
        // This one counts the silence between two packets. The deadline below is for the whole.
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

/// A session, and what it tells about its tasks.
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

    /// Closes what is open once the tasks are done: a session keeps its delegate, and its connections, until it is told.
    func end() { session.finishTasksAndInvalidate() }
}

/// What the session tells about its tasks, gathered for whoever waits.
///
/// A delegate rather than completion handlers: on Linux only a delegate is asked about redirects.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var body = Data()
        var verdict: (any Error)?
        var hasRejectedChallenge = false
    }

    private let maximumAnswer: Int
    private let open = Protected<[Int: Exchange]>([:])

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

    /// Ends a task for a reason that the session's own error would not tell. Whoever waits is told here and now: on Linux a
    /// task that is cancelled while its connection is being made has been seen never to report its end.
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
        // The redirect itself is the answer: following it would carry tokens to a host nobody chose.
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
            // Server trust and the like: the platform's rules, and no others.
            completionHandler(.performDefaultHandling, nil)
            return
        }
        // The 401 is the answer. Left to its default, Linux waits for credentials that nobody gives.
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
            giveUp(dataTask, as: TransportFailure(.lost, reason: "the answer is longer than \(maximumAnswer) bytes"))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.continuation?.resume(
            with: Result {
                // Linux ends a task whose challenge was rejected as cancelled; the answer is there, without its body.
                if let error, !exchange.hasRejectedChallenge || task.response == nil {
                    throw TransportFailure(error, to: task.originalRequest?.url)
                }
                guard let response = task.response as? HTTPURLResponse else {
                    throw TransportFailure(.lost, reason: "the answer was not HTTP")
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

package import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with its own `URLSession`: no cache, no cookies, no stored credentials, and no followed redirects.
///
/// On Linux, create one for each request. libcurl, which carries it there, repeats a request by itself if a reused
/// connection breaks before the response begins. A code or a password would then be sent twice without the caller's
/// knowledge; and because the body has already been read, the repetition would wait until the timeout. A new connection
/// is never repeated.
package final class StatelessSession: Sendable {
    /// A response, whatever its status.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: [(name: String, value: String)]
        package let body: Data
    }

    private let session: URLSession
    private let exchanges: Exchanges

    /// Creates a session.
    /// - Parameter maximumAnswer: the longest response to read, in bytes. A longer one counts as lost.
    package init(maximumAnswer: Int) {
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

    /// The session keeps its delegate and its connections until told to stop.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request once.
    /// - Parameters:
    ///   - method: the method in upper case.
    ///   - url: an http or https URL.
    ///   - headers: the header fields, in order.
    ///   - body: the body, or nil for none.
    ///   - product: the `User-Agent` (RFC 9110 §10.1.5), unless the fields have one. Nil leaves it to the system.
    ///   - limit: how long to wait for the complete response.
    /// - Throws: ``LoadingFailure``; `CancellationError` if the task was cancelled.
    package func send(
        _ method: String, _ url: URL, headers: [(name: String, value: String)], body: Data?, product: String?,
        within limit: Duration
    ) async throws -> Answer {
        guard let scheme = url.scheme?.lowercased(), ["https", "http"].contains(scheme) else {
            throw LoadingFailure(.unreachable, reason: "the URL is neither https nor http")
        }
        var request = URLRequest(url: url.scheme == scheme ? url : Self.url(url, scheme: scheme))
        request.httpMethod = method
        for field in headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
        if let product, request.value(forHTTPHeaderField: "User-Agent") == nil {
            request.setValue(product, forHTTPHeaderField: "User-Agent")
        }
        request.httpBody = body
        request.httpShouldHandleCookies = false
        // This timeout limits the silence between two packets; the deadline below limits the whole exchange.
        request.timeoutInterval = max(1, TimeInterval(limit.components.seconds))

        try Task.checkCancellation()
        let task = session.dataTask(with: request)
        let deadline = Task { [exchanges] in
            try await Task.sleep(for: limit, clock: .continuous)
            exchanges.giveUp(task, as: LoadingFailure(.lost, reason: "there was no response in time"))
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
}

extension StatelessSession {
    /// The URL with another spelling of its scheme. Foundation on Linux supports only lower case, though both are equal
    /// (RFC 3986 §3.1).
    private static func url(_ url: URL, scheme: String) -> URL {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.scheme = scheme
        return components?.url ?? url
    }
}

/// Collects the session's events and resumes the waiting callers.
///
/// It is a delegate and not a set of completion handlers, because on Linux only a delegate is asked about redirects.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        var continuation: CheckedContinuation<StatelessSession.Answer, any Error>?
        var body = Data()
        var verdict: (any Error)?
        var hasRejectedChallenge = false
    }

    private let maximumAnswer: Int
    private let open = LockedValue<[Int: Exchange]>([:])

    init(maximumAnswer: Int) {
        self.maximumAnswer = maximumAnswer
    }

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<StatelessSession.Answer, any Error>) {
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
        let waiting = open.withLock { open -> CheckedContinuation<StatelessSession.Answer, any Error>? in
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
            giveUp(dataTask, as: LoadingFailure(.lost, reason: "the response is longer than \(maximumAnswer) bytes"))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.continuation?.resume(
            with: Result {
                // Linux ends a task with a rejected challenge as cancelled. The response is there, without its body.
                if let error, !exchange.hasRejectedChallenge || task.response == nil {
                    throw LoadingFailure(error, to: task.originalRequest?.url)
                }
                guard let response = task.response as? HTTPURLResponse else {
                    throw LoadingFailure(.lost, reason: "the response was not HTTP")
                }
                return StatelessSession.Answer(
                    status: response.statusCode,
                    headers: response.allHeaderFields.compactMap { name, value in
                        (name as? String).map { (name: $0, value: "\(value)") }
                    },
                    body: exchange.body)
            })
    }
}

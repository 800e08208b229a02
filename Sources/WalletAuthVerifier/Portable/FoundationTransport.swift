internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with `URLSession`, without a cache, cookies, stored credentials or redirects.
///
/// Each request has its own connection. On Linux, libcurl resends a request if a reused connection breaks before the
/// answer begins, and the backend would not know that it asked twice. This suits key fetches and a modest number of
/// payments; for a busy backend, adapt your own HTTP client.
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
    /// - Throws: ``OutboundFailure``; `CancellationError` if the task was cancelled.
    public func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        guard let url = URL(string: request.url), ["https", "http"].contains(url.scheme?.lowercased()) else {
            throw OutboundFailure(.notSent, reason: "the URL is neither https nor http")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        for field in request.headers { urlRequest.addValue(field.value, forHTTPHeaderField: field.name) }
        if let product, urlRequest.value(forHTTPHeaderField: "User-Agent") == nil {
            urlRequest.setValue(product, forHTTPHeaderField: "User-Agent")
        }
        urlRequest.httpBody = request.body.map { Data($0) }
        urlRequest.httpShouldHandleCookies = false
        // This limits the time between two packets. The deadline below limits the whole request.
        urlRequest.timeoutInterval = max(1, TimeInterval(request.timeout.components.seconds))

        try Task.checkCancellation()
        let hasPlace = underWay.withLock { count in
            guard count < requestsAtOnce else { return false }
            count += 1
            return true
        }
        guard hasPlace else { throw OutboundFailure(.notSent, reason: "too many other requests are under way") }
        defer { underWay.withLock { $0 -= 1 } }
        let exchange = Exchange(maximumAnswer: request.maximumAnswer)
        let session = URLSession(configuration: Self.configuration, delegate: exchange, delegateQueue: nil)
        // A session keeps its delegate and its connection until it is invalidated.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: urlRequest)
        let deadline = Task {
            try await Task.sleep(for: request.timeout, clock: .continuous)
            exchange.end(task, .failure(OutboundFailure(.lost, reason: "the request timed out")))
        }
        defer { deadline.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.begin(task, $0) }
        } onCancel: {
            exchange.end(task, .failure(CancellationError()))
        }
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        return configuration
    }
}

/// One request, and the delegate of its session.
///
/// A delegate and not a completion handler, because Linux asks only a delegate about redirects.
private final class Exchange: NSObject, URLSessionDataDelegate {
    private struct State {
        var continuation: CheckedContinuation<OutboundResponse, any Error>?
        var body: [UInt8] = []
        var verdict: Result<OutboundResponse, any Error>?
        var hasRejectedChallenge = false
    }

    private let maximumAnswer: Int
    private let state = LockedValue(State())

    init(maximumAnswer: Int) { self.maximumAnswer = maximumAnswer }

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<OutboundResponse, any Error>) {
        let verdict = state.withLock { state in
            if state.verdict == nil { state.continuation = continuation }
            return state.verdict
        }
        // Cancelled before it began.
        if let verdict { return continuation.resume(with: verdict) }
        task.resume()
    }

    /// Ends the request, keeping the first reason. The caller resumes here: on Linux, a task that is cancelled while it
    /// connects may never report its end.
    func end(_ task: URLSessionTask, _ verdict: Result<OutboundResponse, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<OutboundResponse, any Error>? in
            guard state.verdict == nil else { return nil }
            state.verdict = verdict
            let waiting = state.continuation
            state.continuation = nil
            return waiting
        }
        if case .failure = verdict { task.cancel() }
        waiting?.resume(with: verdict)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The redirect itself is the answer.
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
            return completionHandler(.performDefaultHandling, nil)
        }
        // The 401 is the answer. With default handling, Linux would wait for credentials that never come.
        state.withLock { $0.hasRejectedChallenge = true }
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            state.body += data
            return state.body.count > maximumAnswer
        }
        if isTooLong {
            end(dataTask, .failure(OutboundFailure(.lost, reason: "the answer is longer than \(maximumAnswer) bytes")))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (body, hasRejectedChallenge) = state.withLock { ($0.body, $0.hasRejectedChallenge) }
        // Linux cancels a task whose challenge was rejected. The answer has arrived, without its body.
        if let error, !hasRejectedChallenge || task.response == nil {
            return end(task, .failure(OutboundFailure(loading: error)))
        }
        guard let response = task.response as? HTTPURLResponse else {
            return end(task, .failure(OutboundFailure(.lost, reason: "the answer was not HTTP")))
        }
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { HeaderField($0, "\(value)") }
        }
        end(task, .success(OutboundResponse(status: response.statusCode, headers: headers, body: body)))
    }
}

extension OutboundFailure {
    /// Classifies an error of the URL loading system. Only errors that guarantee the request was not sent count as
    /// such.
    fileprivate init(loading error: any Error) {
        guard let error = error as? URLError else {
            self.init(.lost, reason: "the connection failed")
            return
        }
        switch error.code {
        case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost:
            self.init(.notSent, reason: "the server could not be reached (URLError \(error.code.rawValue))")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
            self.init(.untrusted, reason: "the server's certificate is not trusted (URLError \(error.code.rawValue))")
        default: self.init(.lost, reason: "the connection failed (URLError \(error.code.rawValue))")
        }
    }
}

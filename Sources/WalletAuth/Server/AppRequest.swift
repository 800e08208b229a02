import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPRequest {
    /// The app's request.
    /// - Throws: ``WalletError`` `request_refused` if it cannot be sent.
    init(_ request: URLRequest) throws {
        func refusal(_ reason: String) -> WalletError {
            WalletError(.requestRefused, .misconfigured, during: .perform, reason: reason)
        }
        guard let url = request.url else { throw refusal("the request has no URL") }
        guard request.httpBodyStream == nil else { throw refusal("a body stream could not be sent a second time") }
        self.init(
            method: request.httpMethod?.uppercased() ?? "GET", url: url,
            headers: HTTPFields((request.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }),
            body: request.httpBody, timeout: Self.timeout(seconds: request.timeoutInterval))
    }

    /// The request as the app knows it.
    var forApp: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers.all { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body
        request.timeoutInterval = timeout / .seconds(1)
        return request
    }

    static func timeout(seconds: TimeInterval) -> Duration {
        .milliseconds(Int64(min(max(seconds, 1), 600) * 1000))
    }
}

extension ServerAnswer {
    /// The answer to the app's request.
    /// - Throws: ``WalletError`` if it requires a stronger sign-in (RFC 9470 §3).
    func forApp() throws -> (Data, HTTPURLResponse) {
        guard requirements == nil else {
            var error = failure(during: .perform)
            // The app knows what it called, and a path of its API may be secret.
            error.answeredBy = nil
            throw error
        }
        let fields = Dictionary(headers.all.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        guard
            let response = HTTPURLResponse(
                url: requestURL, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else {
            throw WalletError(
                .malformedAnswer, .temporarilyUnavailable(retryAfter: nil), during: .perform, reachedServer: true,
                reason: "the answer is not an HTTP response")
        }
        return (body, response)
    }
}

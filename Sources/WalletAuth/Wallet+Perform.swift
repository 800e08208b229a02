public import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Wallet {
    /// Sends `request` with the access token attached.
    ///
    /// The token is renewed first if necessary, and accompanied by a DPoP proof (RFC 9449) if the session is bound. If
    /// the server asks for a DPoP nonce, the request is sent once more with it; after a 401, once more with a renewed
    /// token. A second 401 is returned as is, and so is a 401 to a token that the app supplied, or that cannot be renewed;
    /// from the issuer itself, the latter ends the session.
    ///
    /// ``Configuration/resources`` determines where a token may go: by default, a bound token to any https origin, a
    /// bearer token to the issuer's origin only.
    ///
    /// A 401 that requires a stronger or more recent sign-in (`insufficient_user_authentication`, RFC 9470) is thrown
    /// with its requirements, because a renewed token would not help. Call ``stepUp(to:)``.
    ///
    /// Retries: a request with an idempotent method (GET, HEAD, OPTIONS, PUT, DELETE) or an `Idempotency-Key` is sent
    /// up to three times if its answer is lost or is 502, 503 or 504, with jittered pauses of at most two seconds (or
    /// the `Retry-After`, up to five). Any other request is sent once, apart from the two refusals above, after which
    /// nothing was carried out.
    /// - Parameter request: the request, with its body in memory. A body stream is refused, because it could not be
    ///   sent again. An `Authorization` or `DPoP` header is replaced. `timeoutInterval` limits each attempt, between
    ///   one second and ten minutes.
    /// - Returns: the answer, whatever its status except for that 401. Redirects are returned, not followed.
    /// - Throws: ``WalletError``: `request_refused` before anything is sent, `signed_out`, `key_lost`, `offline`,
    ///   `temporarily_unavailable`, `untrusted_connection`, `store_unavailable`; `insufficient_user_authentication`
    ///   with the outcome ``WalletError/Outcome/stepUp(_:)``; `CancellationError` if the task was cancelled.
    public func perform(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await log.during(.perform) { try await calls.perform(HTTPRequest(request)).forApp() }
    }

    /// Adds the access token to a request that the app sends itself, such as a download or an upload from a file.
    ///
    /// Sets `Authorization`, and for a bound session `DPoP` (RFC 9449): a proof for this method and URL, which resources
    /// accept once and for about a minute. Authorize the request again before each attempt, after a redirect, and after a
    /// 401. The SDK does not see the response, so it learns no DPoP nonce from it: a resource that asks for one needs
    /// ``perform(_:)``.
    ///
    /// ``Configuration/resources`` determines where a token may go, as in ``perform(_:)``.
    /// - Parameter request: the request; its body does not matter. It is unchanged after an error.
    /// - Throws: ``WalletError``: `request_refused`, `signed_out`, `key_lost`, `offline`, `temporarily_unavailable`,
    ///   `untrusted_connection`, `store_unavailable`; `CancellationError` if the task was cancelled.
    public func authorize(_ request: inout URLRequest) async throws {
        guard let url = request.url else {
            throw WalletError(.requestRefused, .misconfigured, during: .perform, reason: "the request has no URL")
        }
        let bare = HTTPRequest(method: request.httpMethod?.uppercased() ?? "GET", url: url)
        let authorized = try await log.during(.perform) {
            var authorized = bare
            try await calls.authorize(&authorized)
            return authorized
        }
        for name in ["Authorization", "DPoP"] { request.setValue(authorized.headers[name], forHTTPHeaderField: name) }
    }
}

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

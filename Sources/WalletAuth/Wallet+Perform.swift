public import Foundation

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
        try await core.perform(request)
    }
}

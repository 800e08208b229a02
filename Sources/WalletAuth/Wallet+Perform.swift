public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Wallet {
    /// Sends `request` with the access token attached.
    ///
    /// The token is renewed first when it has to be, and bound by a DPoP proof (RFC 9449) where the session is. An answer
    /// that asks for a DPoP nonce is followed once by the request with that nonce, and one 401 by the request with a renewed
    /// token; a second 401, and the 401 to a token that the app brought, are returned as they are.
    ///
    /// Where it may go is up to ``Configuration/resources``; by default a bound token goes to any origin by https, a bearer
    /// token to the issuer's origin only.
    ///
    /// A 401 that asks for a stronger or a fresher sign-in (`insufficient_user_authentication`, RFC 9470) is thrown, with what
    /// it asks for: a renewed token would be no better. ``stepUp(to:)`` is what helps.
    ///
    /// Retries: a request whose method is idempotent (GET, HEAD, OPTIONS, PUT, DELETE) or that carries an
    /// `Idempotency-Key` is sent at most three times when its answer was lost or is 502, 503 or 504, with jittered waits
    /// of at most two seconds (or the `Retry-After`, up to five). Any other request is sent once, save for the two refusals above:
    /// what was refused was not carried out.
    /// - Parameter request: with its body in memory; a body stream is refused, since it could not be sent again. An
    ///   `Authorization` or `DPoP` header of its own is replaced. Its `timeoutInterval` bounds each sending, between one
    ///   second and ten minutes.
    /// - Returns: the answer, whatever its status but for that 401. Redirects are returned, not followed.
    /// - Throws: ``WalletError``: `request_refused` before anything is sent, `signed_out`, `key_lost`, `offline`,
    ///   `temporarily_unavailable`, `untrusted_connection`, `store_unavailable`; `insufficient_user_authentication` with the
    ///   outcome ``WalletError/Outcome/stepUp(_:)``; `CancellationError` when the task was cancelled.
    public func perform(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await core.perform(request)
    }
}

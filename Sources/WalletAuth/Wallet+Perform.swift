public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Wallet {
    /// Sends `request` with the access token attached.
    ///
    /// The token is renewed first when it has to be, and bound by a DPoP proof where the session is. An answer that asks
    /// for a DPoP nonce, and one 401 that says the token is not good, are each handled once by sending the request again;
    /// a second 401 is returned as it is.
    ///
    /// Retries: a request whose method is idempotent (GET, HEAD, OPTIONS, PUT, DELETE) or that carries an
    /// `Idempotency-Key` is sent at most three times when its answer was lost or is 502, 503 or 504, with jittered waits
    /// of at most two seconds (or the `Retry-After`, up to five). Any other request is sent once, save for the two refusals above:
    /// what was refused was not carried out.
    /// - Parameter request: with its body in memory; a body stream is refused, since it could not be sent again. An
    ///   `Authorization` header of its own is replaced.
    /// - Returns: the answer, whatever its status. Redirects are returned, not followed.
    /// - Throws: ``WalletError``; `CancellationError` when the task was cancelled.
    public func perform(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await core.perform(request)
    }
}

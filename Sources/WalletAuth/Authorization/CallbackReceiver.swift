import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Verifies a callback URL against the sign-ins pending on this device.
struct CallbackReceiver: Sendable {
    /// A verified callback.
    enum Answer: Sendable {
        /// A code, and its sign-in, which is no longer pending.
        case code(AuthorizationCode, PendingLogin)
        /// The URL was received before.
        case repeated
    }

    let keeper: SessionKeeper
    let discovery: ServerDiscovery
    let issuer: Issuer

    /// Takes the sign-in that `url` answers out of the pending ones.
    /// - Throws: ``WalletError``; also if the callback is the server's refusal.
    func receive(_ url: URL, during operation: WalletError.Operation) async throws -> Answer {
        let form = try parameters(of: url, operation)
        if form["access_token"] != nil || form["id_token"] != nil {
            throw error(.tokenInCallback, operation, "the URL carries a token: the implicit grant is refused")
        }
        guard let text = form["state"], let state = try? OAuthState(text) else {
            throw error(.unknownState, operation, "the URL has no state")
        }
        let pending = try await keeper.change { record in record.pendingLogins.first { $0.state.matches(state) } }
        guard let pending else { return try await unknown(form, operation) }
        // A callback that does not match leaves the sign-in pending: a forged one must not end the real sign-in.
        let response: AuthorizationResponse
        do {
            response = try AuthorizationResponse(
                callback: url.absoluteString, redirectURI: pending.redirectURI)
        } catch {
            throw error.field == "redirect_uri"
                ? self.error(.redirectMismatch, operation, "the URL is not the redirect URI of the sign-in")
                : self.error(.malformedCallback, operation, "the URL is not an authorization response: \(error)")
        }
        try await checkIssuer(response.issuer, operation)
        guard try await keeper.change({ $0.take(state) }) != nil else { return .repeated }
        switch response.outcome {
        case .code(let code): return .code(code, pending)
        case .error(let refusal):
            // A page that was to ask for one person only, and another one signed in there.
            if refusal.code == .loginRequired, pending.stepUp?.isNamed == true {
                throw WalletError.anotherPerson(during: operation)
            }
            throw self.refusal(refusal, form["error_description"]?.asServerWords ?? "", operation)
        }
    }

    /// Whether a sign-in on this device waits for the URL's state, which no other page can know.
    /// - Throws: the failure of the store, which then does not say whose the URL is.
    func isAwaited(_ url: URL) async throws -> Bool {
        guard let text = try? parameters(of: url, .signIn)["state"], let state = try? OAuthState(text) else {
            return false
        }
        return try await keeper.change { record in record.pendingLogins.contains { $0.state.matches(state) } }
    }

    /// RFC 9207: the answer must come from the server that was asked. If a server promises `iss`, a missing one is a
    /// mix-up too.
    private func checkIssuer(_ named: Issuer?, _ operation: WalletError.Operation) async throws {
        if let named {
            guard named.rawValue == issuer.rawValue else {
                throw error(.issuerMismatch, operation, "the response comes from another issuer")
            }
        } else if try await discovery.metadata().promisesIssuer {
            throw error(.issuerMismatch, operation, "the response does not name its issuer")
        }
    }

    /// An app may receive the same URL twice; that is harmless only if the code was already sent.
    private func unknown(_ form: FormParameters, _ operation: WalletError.Operation) async throws -> Answer {
        if let text = form["code"], let code = try? AuthorizationCode(text),
            try await keeper.change({ $0.hasSent(code) })
        {
            return .repeated
        }
        throw error(.unknownState, operation, "no sign-in on this device is waiting for this response")
    }

    private func parameters(of url: URL, _ operation: WalletError.Operation) throws -> FormParameters {
        do {
            let query = try FormParameters(parsing: url.query(percentEncoded: true) ?? "")
            guard query.isEmpty else { return query }
            return try FormParameters(parsing: url.fragment(percentEncoded: true) ?? "")
        } catch {
            throw self.error(.malformedCallback, operation, "the URL's parameters are malformed: \(error)")
        }
    }

    private func refusal(
        _ refusal: OAuthError, _ description: String, _ operation: WalletError.Operation
    ) -> WalletError {
        WalletError(
            WalletError.Code(rawValue: refusal.errorCode?.rawValue ?? refusal.code.rawValue),
            refusal.code == .serverError || refusal.code == .temporarilyUnavailable
                ? .temporarilyUnavailable(retryAfter: nil)
                : refusal.code == .accessDenied && refusal.errorCode == nil
                    ? .cancelledByPerson : refusal.isMisconfiguration ? .misconfigured : .refused,
            during: operation, statusCode: refusal.statusCode, reachedServer: true,
            isFromWalletAuth: discovery.known?.keepsRefreshAttempts ?? false,
            reason: description.isEmpty ? "the server returned \(refusal.code.rawValue)" : description)
    }

    private func error(
        _ code: WalletError.Code, _ operation: WalletError.Operation, _ reason: String
    ) -> WalletError {
        WalletError(code, .refused, during: operation, reason: reason)
    }
}

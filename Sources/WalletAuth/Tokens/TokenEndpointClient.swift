import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Calls the token endpoint and interprets its answers.
struct TokenEndpointClient: Sendable {
    /// The server's answer to a refresh request.
    enum RefreshAnswer: Sendable {
        /// Possibly tokens: the body must be judged as a whole.
        case answered(JSONObject, ServerAnswer)
        /// The refresh token can no longer be used; the error contains the server's text.
        case refused(WalletError)
        /// Neither tokens nor a reason. It says nothing about the session, and may continue indefinitely.
        case unexplained(WalletError)
    }

    /// The answer to a revocation request.
    enum RevocationAnswer: Sendable {
        /// 200, the only status that confirms it (RFC 7009 §2.2), and not a web page.
        case revoked
        /// The server refused; finally if it named an OAuth error.
        case refused(WalletError, isFinal: Bool)
        /// The server has no revocation endpoint.
        case notOffered
        /// This revocation cannot be delivered right now.
        case failed
        /// No revocation can be delivered right now.
        case unavailable
    }

    let clientID: ClientID
    let exchange: Exchange
    let discovery: ServerDiscovery
    let binding: DeviceBinding
    /// Whom an attester vouches for; nil if the client is registered without.
    let instance: AttestedInstance?

    /// Sends a request for tokens, with the attestation of the key if the client has an attester. The server looks at the attestation
    /// before the grant: if it is too old, the request is repeated with another one.
    private func send(
        _ grant: TokenRequest.Grant, scope: Scope? = nil, key: BoundKey?, within timeout: Duration = .seconds(20),
        policy: RetryPolicy, during operation: WalletError.Operation
    ) async throws -> ServerAnswer {
        let url = try await discovery.metadata().tokenURL
        func sent(as client: ClientAuthentication) async throws -> ServerAnswer {
            let form = TokenRequest(client: client, grant: grant, scope: scope).form
            var request = HTTPRequest(url, .form(form), within: timeout)
            request.headers["OAuth-Client-Attestation"] = client.attestationHeader
            return try await exchange.send(request, proof: key, policy: policy)
        }
        guard let instance, let key else { return try await sent(as: .none(clientID)) }
        let first = try await sent(as: .attestation(clientID, instance.attestation(of: key, during: operation)))
        guard first.oauthError?.code == .useFreshAttestation else { return first }
        instance.renew()
        var second = try await sent(as: .attestation(clientID, instance.attestation(of: key, during: operation)))
        second.followsUnknownOutcome = second.followsUnknownOutcome || first.followsUnknownOutcome
        return second
    }

    /// Redeems a code. It is sent once, and again only if it certainly was not sent, or if the server wants its nonce
    /// in the proof, which it checks before the code (RFC 9449 §8).
    /// - Returns: the body of a success, not yet interpreted.
    /// - Throws: ``WalletError``; `TransportFailure` if there is no answer.
    func redeem(
        _ code: AuthorizationCode, verifier: CodeVerifier, redirectURI: RedirectURI?, key: BoundKey?,
        during operation: WalletError.Operation
    ) async throws -> (JSONObject, ServerAnswer) {
        let answer = try await send(
            .authorizationCode(code, redirectURI: redirectURI, verifier: verifier), key: key, policy: .untilSent,
            during: operation)
        guard answer.isSuccess else {
            let error = answer.failure(during: operation)
            // The code is spent, whatever the server makes of it: the person must sign in again.
            guard case .temporarilyUnavailable = error.outcome else { throw error }
            throw error.turned(
                into: .signInInterrupted, answer.isTemporaryFailure ? error.outcome : .refused,
                reason: "\(error.reason); sign in again")
        }
        let object = try answer.object(during: operation)
        guard object["access_token"] != nil || answer.oauthError == nil else { throw answer.failure(during: operation) }
        return (object, answer)
    }

    /// Exchanges a refresh token of another system. The server answers a repetition with the same session if a key is proved.
    /// - Returns: the body of a success, not yet interpreted.
    /// - Throws: ``WalletError``; `TransportFailure` if there is no answer.
    func adopt(
        _ token: RefreshToken, scopes: [String], key: BoundKey?, during operation: WalletError.Operation
    ) async throws -> (JSONObject, ServerAnswer) {
        let answer = try await send(
            .tokenExchange(token), scope: try Scope(tokens: scopes), key: key,
            policy: key == nil ? .untilSent : .idempotent, during: operation)
        guard answer.isSuccess else { throw answer.failure(during: operation) }
        return (try answer.object(during: operation), answer)
    }

    /// Renews the tokens. The attempt makes the request repeatable at a server that keeps attempts: it returns the same
    /// successor every time. Any other server may take a repetition for theft: the SDK then waits longer for the first
    /// answer, and sends nothing twice that the server may have acted on.
    func refresh(_ token: RefreshToken, attempt: RefreshAttempt, key: BoundKey?) async throws -> RefreshAnswer {
        let keepsAttempts = try await discovery.metadata().keepsRefreshAttempts
        let answer: ServerAnswer
        do {
            answer = try await send(
                .refreshToken(token, attempt: keepsAttempts ? attempt : nil), key: key,
                within: keepsAttempts ? .seconds(20) : .seconds(60),
                policy: keepsAttempts ? .idempotent : .untilActedOn, during: .refresh)
        } catch let failure as TransportFailure where failure.kind == .lost && !keepsAttempts {
            throw WalletError(
                .renewalInterrupted, .temporarilyUnavailable(retryAfter: nil), during: .refresh, reason: failure.reason)
        }
        let error = answer.oauthError
        if answer.isSuccess {
            guard let object = try? answer.object(), object["access_token"] != nil || error == nil else {
                return .unexplained(Self.unexplained(answer))
            }
            return .answered(object, answer)
        }
        let failure = answer.failure(during: .refresh)
        if answer.isTemporaryFailure { throw failure }
        guard let error, (400...499).contains(answer.status) else { return .unexplained(Self.unexplained(answer)) }
        switch Meaning(of: error.code, at: answer.status, keepsAttempts: keepsAttempts) {
        case .endOfTheGrant: return answer.isTimeDoubtful ? .unexplained(Self.doubtful(answer)) : .refused(failure)
        case .nothing: return .unexplained(Self.unexplained(answer))
        case .mistake: throw failure
        }
    }

    /// The meaning of a refused refresh for the session.
    private enum Meaning {
        /// The refresh token can no longer be used.
        case endOfTheGrant
        /// May come from a gateway.
        case nothing
        /// Concerns the client, its proof or its scopes, and says nothing about the session.
        case mistake

        /// Only `invalid_grant` ends a grant (RFC 6749 §5.2). Other servers report a spent token in other ways too:
        /// with the RFC's status for it, 400, or with 401 as RFC 6750 has it for `invalid_token`.
        init(of code: OAuthError.Code, at status: Int, keepsAttempts: Bool) {
            switch code {
            case .invalidGrant: self = .endOfTheGrant
            case .invalidRequest, .invalidToken, .accessDenied:
                if keepsAttempts {
                    self = .mistake
                } else {
                    self = status == 400 || (status == 401 && code == .invalidToken) ? .endOfTheGrant : .nothing
                }
            default: self = .mistake
            }
        }
    }

    /// An answer that is neither tokens nor a refusal with a reason, in the server's words if it has any.
    private static func unexplained(_ answer: ServerAnswer) -> WalletError {
        let failure = answer.failure(during: .refresh)
        guard answer.isSuccess || answer.oauthError != nil else { return failure }
        let words = answer.oauthError == nil ? answer.bodyInWords : "the error \(failure.words)"
        return failure.turned(
            into: .malformedAnswer, .temporarilyUnavailable(retryAfter: nil),
            reason: "\(answer.place) returned \(answer.status) with \(words)")
    }

    /// A refusal by a server whose clock seems to be wrong. To it, a living session may look expired.
    private static func doubtful(_ answer: ServerAnswer) -> WalletError {
        let failure = answer.failure(during: .refresh)
        let date = answer.headers["Date"] ?? ""
        return failure.turned(
            into: .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil),
            reason: "\(answer.place) refused the session at \(date), which contradicts the device's clock and the "
                + "server's earlier time (\(failure.words))")
    }

    /// Revokes a token (RFC 7009).
    func revoke(_ revocation: StoredRecord.QueuedRevocation) async throws -> RevocationAnswer {
        let metadata = try await discovery.metadata()
        guard let url = metadata.revocationURL else { return metadata.isProvisional ? .unavailable : .notOffered }
        let request = TokenStateRequest(
            client: .none(clientID), token: revocation.token,
            hint: revocation.kind == .refreshToken ? .refreshToken : .accessToken)
        let answer: ServerAnswer
        do {
            var key: BoundKey?
            if let thumbprint = revocation.keyThumbprint { key = try await binding.key(thumbprint: thumbprint) }
            answer = try await exchange.send(HTTPRequest(url, .form(request.form), within: .seconds(5)), proof: key)
        } catch let failure as TransportFailure where failure.kind == .lost {
            // The server was there, and may have closed the connection because of this one.
            return .failed
        } catch is DeviceKeyFailure {
            // It keeps none of the others from being sent.
            return .failed
        }
        // A page is a network's, or of a server that answers everything.
        if answer.status == 200 { return answer.isWebPage ? .failed : .revoked }
        if answer.isTemporaryFailure {
            return answer.status == 429 || answer.retryAfter != nil ? .unavailable : .failed
        }
        return .refused(answer.failure(during: .logout), isFinal: answer.oauthError != nil)
    }
}

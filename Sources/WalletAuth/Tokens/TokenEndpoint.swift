import Foundation
import WalletAuthWire

/// Asks the token endpoint, and says what its answers mean.
struct TokenEndpoint: Sendable {
    /// What came of a refresh request that the server answered.
    enum RefreshAnswer: Sendable {
        /// Something that may be tokens: the body is judged as a whole.
        case answered(JSONObject, ServerAnswer)
        /// The refresh token is of no use any more; the error has the server's words.
        case refused(WalletError)
        /// Neither tokens nor a reason. It says nothing about the session, and it may go on like that for ever.
        case unexplained(WalletError)
    }

    /// What came of a request to end a token.
    enum RevocationAnswer: Sendable {
        /// 200, which alone says so (RFC 7009 §2.2).
        case revoked
        /// The server says no, for good where it names an OAuth error.
        case refused(WalletError, isFinal: Bool)
        /// The server has no place to ask for it.
        case notOffered
        /// It cannot be told of this one now.
        case failed
        /// It cannot be told of any now.
        case unavailable
    }

    let clientID: ClientID
    let server: ServerConnection
    let discovery: ServerDiscovery

    /// Redeems a code. It is sent once: again only when it certainly was not sent, or when the server wants its nonce in
    /// the proof, which it looks at before the code (RFC 9449 §8).
    /// - Returns: the body of a success, unread.
    /// - Throws: ``WalletError``; `TransportFailure` when there is no answer.
    func redeem(
        _ code: AuthorizationCode, verifier: CodeVerifier, redirectURI: RedirectURI?, key: BoundKey?,
        during operation: WalletError.Operation
    ) async throws -> (JSONObject, ServerAnswer) {
        let request = TokenRequest(
            client: .none(clientID),
            grant: .authorizationCode(code, redirectURI: redirectURI, verifier: verifier))
        let answer = try await server.send(
            ServerConnection.Call(
                url: try await discovery.metadata().tokenURL, body: .form(request.form), proof: key, policy: .untilSent)
        )
        guard answer.isSuccess else {
            let error = answer.failure(during: operation)
            // The code is spent, whatever the server makes of it: trying again is signing in again.
            guard case .temporarilyUnavailable = error.outcome else { throw error }
            throw error.turned(
                into: .signInInterrupted, answer.isTemporaryFailure ? error.outcome : .refused,
                reason: "\(error.reason); sign in again")
        }
        let object = try answer.object(during: operation)
        guard object["access_token"] != nil || answer.oauthError == nil else { throw answer.failure(during: operation) }
        return (object, answer)
    }

    /// Renews. The attempt makes it repeatable at a server that keeps attempts: it answers the same successor however often it is
    /// asked. Any other may take a repetition for theft: there the first answer is waited for longer, and nothing is sent twice
    /// that may have been acted on.
    func refresh(_ token: RefreshToken, attempt: RefreshAttempt, key: BoundKey?) async throws -> RefreshAnswer {
        let metadata = try await discovery.metadata()
        let keepsAttempts = metadata.keepsRefreshAttempts
        let request = TokenRequest(
            client: .none(clientID), grant: .refreshToken(token, attempt: keepsAttempts ? attempt : nil))
        let answer = try await server.send(
            ServerConnection.Call(
                url: metadata.tokenURL, body: .form(request.form), proof: key,
                policy: keepsAttempts ? .idempotent : .untilActedOn,
                timeout: keepsAttempts ? .seconds(20) : .seconds(60)))
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
        case .endOfTheGrant: return .refused(failure)
        case .nothing: return .unexplained(Self.unexplained(answer))
        case .mistake: throw failure
        }
    }

    /// What a refusal of a refresh means for the session.
    private enum Meaning {
        /// Its token is of no use any more.
        case endOfTheGrant
        /// It may as well be a gateway's word.
        case nothing
        /// It concerns the client, its proof or its scopes, and says nothing of the session.
        case mistake

        /// Only `invalid_grant` ends a grant (RFC 6749 §5.2). Servers that are not this project's say it of a spent token in other
        /// words as well: with the status that RFC has for them, 400, or 401 as RFC 6750 has it for `invalid_token`.
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

    /// An answer that is neither tokens nor a refusal with a reason, in the server's own words where it has any.
    private static func unexplained(_ answer: ServerAnswer) -> WalletError {
        let failure = answer.failure(during: .refresh)
        guard answer.isSuccess || answer.oauthError != nil else { return failure }
        let words = answer.oauthError == nil ? answer.bodyInWords : "the error \(failure.words)"
        return failure.turned(
            into: .malformedAnswer, .temporarilyUnavailable(retryAfter: nil),
            reason: "\(answer.place) answered \(answer.status) with \(words)")
    }

    /// Ends a token at the server (RFC 7009).
    func revoke(_ revocation: SessionRecord.QueuedRevocation) async throws -> RevocationAnswer {
        let metadata = try await discovery.metadata()
        guard let url = metadata.revocationURL else { return metadata.isProvisional ? .unavailable : .notOffered }
        let request = RevocationRequest(
            client: .none(clientID), token: revocation.token,
            hint: revocation.kind == .refreshToken ? .refreshToken : .accessToken)
        let answer = try await server.send(
            ServerConnection.Call(url: url, body: .form(request.form), policy: .once, timeout: .seconds(5)))
        if answer.status == 200 { return .revoked }
        if answer.isTemporaryFailure {
            return answer.status == 429 || answer.retryAfter != nil ? .unavailable : .failed
        }
        return .refused(answer.failure(during: .logout), isFinal: answer.oauthError != nil)
    }
}

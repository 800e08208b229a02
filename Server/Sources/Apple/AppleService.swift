internal import Core
internal import Kernel
internal import WalletAuthWire

/// Apple's token and revocation endpoints.
struct AppleService: Sendable {
    let settings: AppleSettings
    let key: ApplePrivateKey
    let http: ProviderHTTP
    let reach: ProviderHTTP.Reach

    /// The tokens for a code.
    struct Redeemed: Sendable {
        let idToken: IDToken
        /// Only used to verify the identity token's `at_hash`.
        let accessToken: String?
        let refreshToken: String?
    }

    /// The errors in Apple's documentation.
    enum Refusal: String {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
    }

    /// Apple's tokens are much shorter; a longer one would not fit into a guest's session.
    private static let longestToken = 1024

    /// Redeems a code.
    /// - Returns: `nil` if Apple calls the code invalid.
    /// - Throws: ``ProviderFailure`` for any other response; the operator has to fix a refused client.
    func redeem(_ code: AuthorizationCode, redirectURI: String?, clientID: String, now: Timestamp) async throws
        -> Redeemed?
    {
        var form = FormParameters()
        form.append("grant_type", "authorization_code")
        form.append(secret: code)
        form.append("redirect_uri", redirectURI)
        let object: JSONObject
        switch try await ask(.token, form, clientID: clientID, now: now) {
        case .refused(.invalidGrant): return nil
        case .refused(let refusal):
            // Apple also reports an invalid client for another client's code. A made-up code shows whether the client is at fault.
            if refusal == .invalidClient,
                try await refusalOfImpossibleCode(clientID: clientID, now: now) == .invalidGrant
            {
                return nil
            }
            throw ProviderFailure("its token endpoint returned \(refusal.rawValue)")
        case .answered(let body):
            guard let answer = try? JSONValue.object(parsing: body) else {
                throw ProviderFailure("its token endpoint returned no JSON")
            }
            object = answer
        }
        guard let idToken = object["id_token"]?.string.flatMap({ try? IDToken($0) }) else {
            throw ProviderFailure("its token endpoint returned no identity token")
        }
        let refreshToken = object["refresh_token"]?.string
        return Redeemed(
            idToken: idToken, accessToken: object["access_token"]?.string,
            refreshToken: refreshToken.flatMap { (1...Self.longestToken).contains($0.utf8.count) ? $0 : nil })
    }

    /// Whether a refresh token is still valid.
    /// - Throws: ``ProviderFailure`` for any response that is neither yes nor no.
    func isAlive(refreshToken: String, clientID: String, now: Timestamp) async throws -> Bool {
        var form = FormParameters()
        form.append("grant_type", "refresh_token")
        form.append("refresh_token", refreshToken)
        switch try await ask(.token, form, clientID: clientID, now: now) {
        case .answered: return true
        case .refused(.invalidGrant): return false
        case .refused(let refusal): throw ProviderFailure("its token endpoint returned \(refusal.rawValue)")
        }
    }

    /// Revokes a refresh token, and with it the person's consent.
    /// - Throws: ``ProviderFailure`` unless Apple confirms it.
    func revoke(refreshToken: String, clientID: String, now: Timestamp) async throws {
        var form = FormParameters()
        form.append("token", refreshToken)
        form.append("token_type_hint", "refresh_token")
        switch try await ask(.revoke, form, clientID: clientID, now: now) {
        case .answered, .refused(.invalidGrant): return
        case .refused(let refusal): throw ProviderFailure("its revocation endpoint returned \(refusal.rawValue)")
        }
    }

    /// Apple's response to a made-up code.
    /// - Throws: ``ProviderFailure`` if the response is not one of Apple's errors.
    func refusalOfImpossibleCode(clientID: String, now: Timestamp) async throws -> Refusal {
        var form = FormParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", "no-code-of-apple")
        guard case .refused(let refusal) = try await ask(.token, form, clientID: clientID, now: now) else {
            throw ProviderFailure("its token endpoint accepted a made-up code")
        }
        return refusal
    }

    /// A token for the transfer of people to another team.
    /// - Returns: `nil` if the service has no transfers, like the sandbox's stand-in.
    /// - Throws: ``ProviderFailure``.
    func migrationToken(clientID: String, now: Timestamp) async throws -> String? {
        var form = FormParameters()
        form.append("grant_type", "client_credentials")
        form.append("scope", "user.migration")
        let answer = try await ask(.token, form, clientID: clientID, now: now)
        if case .refused(.unsupportedGrantType) = answer { return nil }
        return try text("access_token", of: answer, at: .token)
    }

    /// The transfer identifier of a person, which both teams understand.
    /// - Throws: ``ProviderFailure``.
    func transferSubject(
        of subject: String, to team: String, accessToken: String, clientID: String, now: Timestamp
    ) async throws -> String {
        var form = FormParameters()
        form.append("sub", subject)
        form.append("target", team)
        return try await text(
            "transfer_sub", of: ask(.migration, form, clientID: clientID, accessToken: accessToken, now: now),
            at: .migration)
    }

    private func text(
        _ member: String, of answer: Answer, at endpoint: AppleSettings.Endpoint
    ) throws(ProviderFailure) -> String {
        switch answer {
        case .refused(let refusal): throw ProviderFailure("\(endpoint.rawValue) returned \(refusal.rawValue)")
        case .answered(let body):
            guard let text = (try? JSONValue.object(parsing: body))?[member]?.string, !text.isEmpty else {
                throw ProviderFailure("\(endpoint.rawValue) returned no \(member)")
            }
            return text
        }
    }

    private enum Answer {
        case answered([UInt8])
        case refused(Refusal)
    }

    private func ask(
        _ endpoint: AppleSettings.Endpoint, _ form: FormParameters, clientID: String, accessToken: String? = nil,
        now: Timestamp
    ) async throws -> Answer {
        var form = form
        form.append("client_id", clientID)
        form.append(
            "client_secret", try AppleClientSecret(settings: settings, key: key).text(for: clientID, now: now))
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        if let accessToken { headers.append(("Authorization", "Bearer \(accessToken)")) }
        let answer = try await http.answer(
            to: ProviderHTTP.Request(
                method: "POST", url: settings.url(endpoint), headers: headers,
                body: Array(form.encoded.utf8), reach: reach))
        switch answer.status {
        case 200: return .answered(answer.body)
        case 400:
            // Apple uses this status for every refusal.
            let error = (try? JSONValue.object(parsing: answer.body))?["error"]?.string
            guard let refusal = error.flatMap(Refusal.init) else {
                throw ProviderFailure("\(endpoint.rawValue) returned 400 without one of Apple's errors")
            }
            return .refused(refusal)
        default: throw ProviderFailure("\(endpoint.rawValue) returned \(answer.status)")
        }
    }
}

extension AppleService.Redeemed: CustomStringConvertible {
    var description: String { "<redacted>" }
}

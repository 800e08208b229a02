package import Core
package import Kernel
package import WalletAuthWire

/// Asks a former system about a refresh token of its own (RFC 7662).
package struct ForeignTokenIntrospection: Sendable {
    private let http: ProviderHTTP

    package init(http: ProviderHTTP) { self.http = http }

    /// What the former system says of an active refresh token.
    package struct Holder: Sendable, Hashable {
        /// The person's id there.
        package let subject: String
    }

    /// It is short because an app that starts is waiting.
    package static let timeout = Duration.seconds(5)
    private static let longestSubject = 256
    /// The texts by which Keycloak, Hydra and others tell a refresh token from an access token, which their introspection accepts too.
    private static let types: Set = ["refresh", "offline", "refresh_token"]

    /// - Returns: `nil` for a token that is not active, or is not a refresh token of one of the former clients: an access token is seen by
    ///   every backend that it is sent to, and another company's app must not open a session here.
    /// - Throws: ``ProviderFailure`` for any answer that is neither.
    package func holder(
        of token: RefreshToken, at settings: IntrospectionSettings, _ secret: ClientSecret?, reach: ProviderHTTP.Reach,
        now: Timestamp
    ) async throws -> Holder? {
        guard let answer = try await answer(about: token.reveal(), at: settings, secret, reach: reach) else {
            return nil
        }
        let types = ["typ", "token_use", "token_type"].compactMap { answer[$0]?.string?.lowercased() }
        guard types.contains(where: Self.types.contains) else {
            throw ProviderFailure("its introspection does not say that an active token is a refresh token")
        }
        guard let client = answer["client_id"]?.string ?? answer["azp"]?.string,
            settings.formerClients.contains(client)
        else { return nil }
        if let expiry = answer["exp"]?.integer, expiry <= now.seconds { return nil }
        guard let subject = answer["sub"]?.string, (1...Self.longestSubject).contains(subject.utf8.count) else {
            throw ProviderFailure("its introspection names no person")
        }
        return Holder(subject: subject)
    }

    /// Whether the endpoint knows this server, asked with a token that cannot exist.
    func refusesUnknownToken(
        at settings: IntrospectionSettings, _ secret: ClientSecret?, reach: ProviderHTTP.Reach
    ) async throws -> Bool {
        try await answer(about: "walletauth-check", at: settings, secret, reach: reach) == nil
    }

    /// - Returns: `nil` for an inactive token.
    private func answer(
        about token: String, at settings: IntrospectionSettings, _ secret: ClientSecret?, reach: ProviderHTTP.Reach
    ) async throws -> JSONObject? {
        var form = FormParameters()
        form.append("token", token)
        form.append("token_type_hint", "refresh_token")
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        if let secret {
            headers.append(("Authorization", ProviderCodeExchange.basic(settings.clientID, secret)))
        } else {
            form.append("client_id", settings.clientID)
        }
        let answer = try await http.answer(
            to: ProviderHTTP.Request(
                method: "POST", url: settings.endpoint.rawValue, headers: headers, body: Array(form.encoded.utf8),
                reach: reach, timeout: Self.timeout))
        guard answer.status == 200, let object = try? JSONValue.object(parsing: answer.body),
            case .bool(let isActive)? = object["active"]
        else { throw ProviderFailure("its introspection returned \(answer.status), which is neither yes nor no") }
        return isActive ? object : nil
    }
}

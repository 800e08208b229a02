internal import Core
internal import Kernel
internal import WalletAuthWire

/// Makes logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.4), signed as the client's ID tokens are.
struct LogoutTokens: Sendable {
    let clients: ClientDirectory
    let keyRing: KeyRing
    let issuer: Issuer

    init(_ context: ServerContext) {
        clients = context.clients
        keyRing = context.keyRing
        issuer = context.settings.issuer
    }

    /// As long as the specification recommends: a token that leaked must not sign anyone out later.
    private static let lifetime = Duration.minutes(2)

    /// The form with a token for one attempt.
    /// - Returns: `nil` if the client was deleted.
    func form(
        for event: WebhookDeliveryRecord, to endpoint: WebhookEndpoint, now: Timestamp
    ) async throws -> FormParameters? {
        guard let id = try endpoint.clientID.map({ try ClientID($0) }),
            let client = try await clients.find(id, now: now)
        else { return nil }
        try await keyRing.refreshIfStale(now: now)
        var claims = JSONObject()
        claims.set("iss", issuer)
        claims["aud"] = .string(id.rawValue)
        claims.set("iat", now.seconds)
        claims.set("exp", (now + Self.lifetime).seconds)
        // The same at each attempt, so that the client recognizes a repetition.
        claims.set("jti", event.webhookID)
        for member in try JSONValue.object(parsing: Array(event.body.utf8)).members {
            claims[member.name] = member.value
        }
        claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": .object(JSONObject())]
        let token = try keyRing.signer(client.idTokenAlgorithm).message(claims.bytes, type: .logout)
        var form = FormParameters()
        form.append("logout_token", token)
        return form
    }
}

internal import Core
internal import Foundation
internal import Kernel
internal import WalletAuthWire

/// Redeems a provider's authorization code at its token endpoint (OpenID Connect Core §3.1.3).
struct ProviderCodeExchange: Sendable {
    let access: ProviderAccess

    /// The tokens that this server uses; it discards the others.
    struct Redeemed: Sendable {
        let idToken: IDToken
        /// The access token, to which the ID token may be bound.
        let accessToken: String?
    }

    /// Redeems a code.
    /// - Parameters:
    ///   - redirectURI: the redirect URI of the app's authorization request.
    ///   - verifier: the PKCE verifier of that request.
    /// - Returns: `nil` if the provider refuses the code.
    /// - Throws: ``ProviderFailure`` for any other response. A refused client is the operator's problem and says nothing about the
    ///   person.
    func redeem(
        _ code: AuthorizationCode, redirectURI: String?, verifier: CodeVerifier?, at settings: OpenIDSettings,
        _ secret: ClientSecret?, reach: ProviderHTTP.Reach, now: Timestamp
    ) async throws -> Redeemed? {
        let metadata = try await access.documents.metadata(of: settings, reach: reach, now: now)
        guard let endpoint = metadata.tokenEndpoint else {
            throw ProviderFailure("its discovery document has no token_endpoint")
        }
        var form = FormParameters()
        form.append("grant_type", "authorization_code")
        form.append(secret: code)
        form.append("redirect_uri", redirectURI)
        form.append("code_verifier", verifier?.reveal())
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        switch (settings.authentication, secret) {
        case ("client_secret_basic", let secret?):
            headers.append(("Authorization", Self.basic(settings.clientID, secret)))
        case ("client_secret_post", let secret?):
            form.append("client_id", settings.clientID)
            form.append(secret: secret)
        default: form.append("client_id", settings.clientID)
        }
        let answer = try await access.http.answer(
            to: ProviderHTTP.Request(
                method: "POST", url: endpoint, headers: headers, body: Array(form.encoded.utf8), reach: reach))
        guard let object = try? JSONValue.object(parsing: answer.body) else {
            throw ProviderFailure("its token endpoint returned \(answer.status) without JSON")
        }
        if answer.status == 400, object["error"]?.string == "invalid_grant" { return nil }
        guard answer.status == 200 else {
            throw ProviderFailure("its token endpoint returned \(answer.status)")
        }
        guard let token = object["id_token"]?.string, let idToken = try? IDToken(token) else {
            throw ProviderFailure("its token endpoint returned no ID token; the app has to request the scope openid")
        }
        return Redeemed(idToken: idToken, accessToken: object["access_token"]?.string)
    }

    /// Both parts are form-encoded first (RFC 6749 §2.3.1).
    static func basic(_ clientID: String, _ secret: ClientSecret) -> String {
        func encoded(_ text: String) -> String {
            var form = FormParameters()
            form.append("v", text)
            return String(form.encoded.dropFirst(2))
        }
        let pair = "\(encoded(clientID)):\(encoded(secret.reveal()))"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }
}

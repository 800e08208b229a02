package import WalletAuthWire
internal import Web

/// A request for a guest's tokens (`POST /oauth/requestGuestToken.json`): by an integrator's backend, for a guest of
/// its merchant.
package struct GuestTokenRequest: Hashable, Sendable {
    /// The credential for the tokens.
    enum Grant: Hashable, Sendable {
        /// An account at an identity provider: "grant by user fields".
        case fields(ExternalAccount)
        /// The guest's own user name and password.
        case password(username: String, Password)
        /// The one-time password that was sent to the guest's mobile phone. With the access token of a guest who had it sent, it also
        /// proves that the number is theirs.
        case oneTimePassword(mobilePhone: String, OneTimeCode, provedBy: AccessToken? = nil)
        /// The authorization code of the hosted page, with its redirect URI and the verifier of its challenge.
        case authorizationCode(AuthorizationCode, redirectURI: RedirectURI?, CodeVerifier)
        /// The refresh token of a session that this client opened.
        case refreshToken(RefreshToken)
    }

    /// The guest's merchant.
    var merchantID: Int64
    /// The requested scopes; nil for all that the client may request.
    var scope: Scope?
    /// The credential.
    var grant: Grant
}

extension GuestTokenRequest {
    /// The values of `grant_type`.
    private enum GrantType: String, CaseIterable {
        case fields = "http://paytronix.com/oauth/fieldset"
        case password
        case oneTimePassword = "one_time_password"
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
    }

    private static let common: Set<String> = ["authentication", "grant_type", "merchantId", "scope"]

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    init(_ object: JSONObject) throws(LoyaltyFailure) {
        self = try LoyaltyFailure.reading { try Self(members: object) }
    }

    private init(members object: JSONObject) throws {
        let type = try object.required("grant_type", object.string("grant_type"))
        func refuseMembers(otherThan own: Set<String>) throws {
            try object.refuseMembers(otherThan: Self.common.union(own))
        }
        try object.requireAuthentication("b2b")
        guard let type = GrantType(rawValue: type) else {
            let known = GrantType.allCases.map(\.rawValue).joined(separator: ", ")
            throw LoyaltyFailure(.unsupportedGrantType, "grant_type is not one of \(known).")
        }
        switch type {
        case .fields:
            try refuseMembers(otherThan: ["fields"])
            grant = .fields(try ExternalAccount(object.required("fields", object.object("fields")), .ofFields))
        case .password:
            try refuseMembers(otherThan: ["username", "password"])
            grant = .password(
                username: try object.required("username", object.string("username")),
                try object.required("password", object.secret("password")))
        case .oneTimePassword:
            try refuseMembers(otherThan: ["mobilePhone", "oneTimePassword", "access_token"])
            let phone = try object.string("mobilePhone")
            let code: OneTimeCode = try object.required("oneTimePassword", object.secret("oneTimePassword"))
            let token: AccessToken? = try object.secret("access_token")
            grant = .oneTimePassword(mobilePhone: try MobilePhone.checked(phone), code, provedBy: token)
        case .authorizationCode:
            try refuseMembers(otherThan: ["code", "redirect_uri", "code_verifier"])
            grant = .authorizationCode(
                try object.required("code", object.secret("code")), redirectURI: try object.value("redirect_uri"),
                try object.required("code_verifier", object.secret("code_verifier")))
        case .refreshToken:
            try refuseMembers(otherThan: ["refresh_token"])
            grant = .refreshToken(try object.required("refresh_token", object.secret("refresh_token")))
        }
        merchantID = try object.required("merchantId", object.integer("merchantId"))
        guard let text = try object.string("scope") else { return }
        do { scope = try Scope(text) } catch { throw LoyaltyFailure(.invalidScope) }
    }
}

/// A guest's tokens, as the loyalty API writes them.
package struct GuestTokens: Hashable, Sendable {
    /// The access token.
    var accessToken: AccessToken
    /// The validity in seconds.
    var expiresIn: Int64
    /// The refresh token.
    var refreshToken: RefreshToken
    /// The granted scopes.
    var scope: Scope
    /// The guest's user name; nil if the account has none.
    var username: String?

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        writer.member("access_token", accessToken.reveal())
        writer.member("token_type", "bearer")
        writer.member("expires_in", expiresIn)
        writer.member("refresh_token", refreshToken.reveal())
        writer.member("scope", scope.rawValue)
        writer.member("username", username)
    }
}

/// The answer to a ``GuestTokenRequest`` (`SuccessTokenResponse`).
package struct GuestTokenResponse: Hashable, Sendable {
    /// The tokens.
    var tokens: GuestTokens

    /// The body in UTF-8.
    var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.member("result", "success")
        tokens.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension GuestTokenRequest: WireShaped {
    /// The members of all grants.
    package static let shape = WireShape.request(
        GuestTokenRequest.self,
        [
            .required("authentication", .choice(["b2b"])),
            .required("grant_type", .choice(GrantType.allCases.map(\.rawValue))), .required("merchantId", .integer()),
            .optional("scope", .of(Scope.self)), .optional("fields", ExternalAccount.shape(.ofFields)),
            .optional("username", .text(nil)), .optional("password", .of(Password.self)),
            .optional("mobilePhone", .text(.printable(1...64))), .optional("oneTimePassword", .of(OneTimeCode.self)),
            .optional("access_token", .of(AccessToken.self)), .optional("code", .of(AuthorizationCode.self)),
            .optional("redirect_uri", .of(RedirectURI.self)), .optional("code_verifier", .of(CodeVerifier.self)),
            .optional("refresh_token", .of(RefreshToken.self)),
        ])
}

extension GuestTokens {
    static let members: [WireObject.Member] = [
        .required("access_token", .of(AccessToken.self)), .required("token_type", .choice(["bearer"])),
        .required("expires_in", .integer()), .required("refresh_token", .of(RefreshToken.self)),
        .required("scope", .of(Scope.self)), .optional("username", .text(nil)),
    ]
}

extension GuestTokenResponse: WireShaped {
    package static let shape = WireShape.answer(
        GuestTokenResponse.self, [.required("result", .choice(["success"]))] + GuestTokens.members)
}

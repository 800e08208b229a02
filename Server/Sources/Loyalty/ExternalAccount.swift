package import WalletAuthWire
internal import Web

/// A person's account at an identity provider, supplied by an integrator's backend.
package struct ExternalAccount: Hashable, Sendable {
    /// The merchant's integration with the provider.
    var integration: IntegrationID
    /// The person's identity there.
    var code: ExternalAccountCode
    /// The authorization code that proves it once.
    var accessToken: AuthorizationCode
    /// The nonce of the request to the provider, which the identity token must repeat; nil if the app sent none.
    var nonce: Nonce?

    /// The member names, which differ between the two requests.
    struct Names {
        let integration: String
        let code: String
        let accessToken: String
        let nonce = "externalNonce"

        static let ofFields = Names(
            integration: "externalIdentifier", code: "externalAccountCode", accessToken: "externalAccessToken")
        static let ofAccounts = Names(integration: "integration", code: "accountCode", accessToken: "accessToken")

        var all: Set<String> { [integration, code, accessToken, nonce] }
    }
}

extension ExternalAccount {
    /// Reads the members. Unknown ones are refused.
    init(_ object: JSONObject, _ names: Names) throws(LoyaltyFailure) {
        try object.refuseFields(otherThan: names.all)
        integration = try object.field(names.integration) { try IntegrationID($0) }
        code = try object.field(names.code) { try ExternalAccountCode($0) }
        accessToken = try object.field(names.accessToken) { try AuthorizationCode($0) }
        guard object[names.nonce] != nil else { return }
        nonce = try object.field(names.nonce) { try Nonce($0) }
    }

    /// The members, as in an enrollment.
    var json: JSONObject {
        let names = Names.ofAccounts
        var object = JSONObject()
        object.set(names.integration, integration)
        object.set(names.accessToken, accessToken.reveal())
        object.set(names.code, code.reveal())
        object.set(names.nonce, nonce)
        return object
    }
}

/// The name of a merchant's integration with an identity provider: 1 to 128 visible characters of ASCII.
package struct IntegrationID: WireValue {
    /// The form of its text.
    package static var form: TextForm { .visible(1...128) }

    /// The name.
    package let rawValue: String

    /// Validates a name.
    /// - Parameter text: the received text.
    package init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...128) { throw MalformedValue(field: "integration", reason: reason) }
        rawValue = text
    }
}

/// A person's identity at a provider: the identity token, or the identifier in it.
package enum ExternalAccountCode: Hashable, Sendable {
    /// The provider's identity token.
    case token(IDToken)
    /// The person's identifier, which proves nothing by itself.
    case subject(String)

    /// Reads either. Apple's identifiers also have three parts; those of a token begin like a JSON object.
    /// - Parameter text: the received text.
    init(_ text: String) throws(MalformedValue) {
        if text.hasPrefix("ey"), text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 {
            self = .token(try IDToken(text))
            return
        }
        if let reason = TextRule.visible(text, 1...255) {
            throw MalformedValue(field: "accountCode", reason: reason)
        }
        self = .subject(text)
    }

    /// Returns the text itself, which may be a secret.
    func reveal() -> String {
        switch self {
        case .token(let token): token.reveal()
        case .subject(let subject): subject
        }
    }
}

extension ExternalAccount {
    static func shape(_ names: Names) -> WireShape {
        .object(
            WireObject(
                members: [
                    .required(names.integration, .of(IntegrationID.self)), .required(names.code, .of(IDToken.self)),
                    .required(names.accessToken, .of(AuthorizationCode.self)), .optional(names.nonce, .of(Nonce.self)),
                ], isOpen: false))
    }
}

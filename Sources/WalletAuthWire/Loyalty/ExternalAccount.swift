/// A person's account at an identity provider, supplied by an integrator's backend.
public struct ExternalAccount: Hashable, Sendable {
    /// The merchant's integration with the provider.
    public var integration: IntegrationID
    /// The person's identity there.
    public var code: ExternalAccountCode
    /// The authorization code that proves it once.
    public var accessToken: AuthorizationCode
    /// The nonce of the request to the provider, which the identity token must repeat; nil if the app sent none.
    public var nonce: Nonce?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        integration: IntegrationID, code: ExternalAccountCode, accessToken: AuthorizationCode, nonce: Nonce? = nil
    ) {
        self.integration = integration
        self.code = code
        self.accessToken = accessToken
        self.nonce = nonce
    }

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

    init(_ object: JSONObject, _ names: Names) throws(LoyaltyFailure) {
        try object.refuseFields(otherThan: names.all)
        do {
            integration = try IntegrationID(object.text(ofField: names.integration))
        } catch let failure as LoyaltyFailure { throw failure } catch { throw .field(names.integration, .invalid) }
        do {
            code = try ExternalAccountCode(object.text(ofField: names.code))
        } catch let failure as LoyaltyFailure { throw failure } catch { throw .field(names.code, .invalid) }
        do {
            accessToken = try AuthorizationCode(object.text(ofField: names.accessToken))
        } catch let failure as LoyaltyFailure { throw failure } catch { throw .field(names.accessToken, .invalid) }
        guard object[names.nonce] != nil else { return }
        do {
            nonce = try Nonce(object.text(ofField: names.nonce))
        } catch let failure as LoyaltyFailure { throw failure } catch { throw .field(names.nonce, .invalid) }
    }

    func json(_ names: Names) -> JSONObject {
        var object = JSONObject()
        object.set(names.integration, integration)
        object.set(names.accessToken, accessToken.reveal())
        object.set(names.code, code.reveal())
        object.set(names.nonce, nonce)
        return object
    }
}

/// The name of a merchant's integration with an identity provider: 1 to 128 visible characters of ASCII.
public struct IntegrationID: WireValue {
    /// The name.
    public let rawValue: String

    /// Validates a name.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try text.visible(1...128, "integration") }
}

/// A person's identity at a provider: the identity token, or the identifier in it.
public enum ExternalAccountCode: Hashable, Sendable {
    /// The provider's identity token.
    case token(IDToken)
    /// The person's identifier, which proves nothing by itself.
    case subject(String)

    /// Reads either. Apple's identifiers also have three parts; those of a token begin like a JSON object.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) {
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
    public func reveal() -> String {
        switch self {
        case .token(let token): token.reveal()
        case .subject(let subject): subject
        }
    }
}

import WalletAuthWire

/// The fields of the pages' forms that carry what a browser brought: the JSON of WebAuthn, as the script writes it.
enum PasskeyFields {
    /// Larger than anything that an authenticator makes, and smaller than a request's body.
    private static let limits = JSONLimits(bytes: 65_536, depth: 6)

    /// What was made; `nil` for whatever can be none: the person is asked again.
    static func registration(_ text: String?) -> PasskeyRegistrationResponse? {
        text.flatMap { try? PasskeyRegistrationResponse(JSONValue.object(parsing: Array($0.utf8), limits: limits)) }
    }

    /// What was signed; `nil` for whatever can be nothing of the kind.
    static func assertion(_ text: String?) -> PasskeyAssertionResponse? {
        text.flatMap { try? PasskeyAssertionResponse(JSONValue.object(parsing: Array($0.utf8), limits: limits)) }
    }
}

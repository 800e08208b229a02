import WalletAuthWire

/// The passkey fields of the pages' forms: the browser's WebAuthn result as JSON, written by the script.
enum PasskeyFields {
    /// More than any authenticator sends, and less than the limit for a request's body.
    private static let limits = JSONLimits(bytes: 65_536, depth: 6)

    /// The new passkey; `nil` if the JSON cannot be one, in which case the page asks again.
    static func registration(_ text: String?) -> PasskeyRegistrationResponse? {
        text.flatMap { try? PasskeyRegistrationResponse(JSONValue.object(parsing: Array($0.utf8), limits: limits)) }
    }

    /// The assertion; `nil` if the JSON cannot be one.
    static func assertion(_ text: String?) -> PasskeyAssertionResponse? {
        text.flatMap { try? PasskeyAssertionResponse(JSONValue.object(parsing: Array($0.utf8), limits: limits)) }
    }
}

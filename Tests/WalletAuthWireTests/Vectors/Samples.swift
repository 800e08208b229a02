import WalletAuthWire

/// Well-formed values to vary in tests, and short ways to make what tests need.
enum Sample {
    static let verifierText = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challengeText = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let now = NumericDate(clamping: 1_750_000_000)

    static func form(_ pairs: KeyValuePairs<String, String>) -> FormParameters {
        var form = FormParameters()
        for (name, value) in pairs { form.append(name, value) }
        return form
    }

    static func form(_ pairs: [String: String]) -> FormParameters {
        var form = FormParameters()
        for (name, value) in pairs.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }

    static func json(_ text: String) throws -> JSONObject { try JSONValue.object(parsing: Array(text.utf8)) }

    static func base64url(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// A compact JWS with whatever header and payload an attacker likes, signed by a key.
    static func compact(header: String, payload: String, by signer: any JWSSigner) throws -> String {
        let input = base64url(header) + "." + base64url(payload)
        return input + "." + Base64URL.encode(try signer.sign(Array(input.utf8)))
    }
}

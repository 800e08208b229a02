internal import WalletAuthWire

/// An identity of Ory Kratos, with its credentials. Traits have the names that an operator's schema gave them; the usual ones are read.
enum KratosIdentity {
    private static let known: Set = [
        "id", "schema_id", "schema_url", "state", "state_changed_at", "traits", "credentials", "verifiable_addresses",
        "recovery_addresses", "created_at", "updated_at",
    ]
    private static let knownTraits: Set = [
        "email", "phone", "username", "name", "given_name", "family_name", "first_name", "last_name", "locale",
    ]

    static func line(_ identity: JSONObject) -> ConvertedLine {
        var line = JSONObject()
        let traits = identity["traits"]?.object ?? JSONObject()
        let name = traits["name"]?.object
        let (email, phone) = (traits.text("email"), traits.text("phone"))
        line.set("externalId", identity.text("id"))
        line.set("username", traits.text("username") ?? email ?? phone)
        line.set("email", email)
        line.set("phone", phone)
        let verified = (identity["verifiable_addresses"]?.array?.compactMap(\.object) ?? []).filter {
            $0["verified"]?.bool == true
        }.compactMap { $0.text("value") }
        if let email, verified.contains(email) { line["emailVerified"] = true }
        if let phone, verified.contains(phone) { line["phoneVerified"] = true }
        line.set("name", traits.text("name"))
        line.set("givenName", traits.text("given_name") ?? traits.text("first_name") ?? name?.text("first"))
        line.set("familyName", traits.text("family_name") ?? traits.text("last_name") ?? name?.text("last"))
        line.set("locale", traits.text("locale"))
        line.set("disabled", identity.text("state") == "inactive" ? true : nil)
        var converted = ConvertedLine(line, of: identity, known: known)
        converted.ignored += traits.names.filter { !knownTraits.contains($0) }.map { "traits.\($0)" }
        readCredentials(identity["credentials"]?.object ?? JSONObject(), into: &converted)
        return converted
    }

    private static func readCredentials(_ credentials: JSONObject, into converted: inout ConvertedLine) {
        for credential in credentials.members {
            let config = credential.value.object?["config"]?.object
            switch credential.name {
            case "password": converted.line.set("passwordHash", config?.text("hashed_password"))
            case "oidc":
                let identities = (config?["providers"]?.array?.compactMap(\.object) ?? []).map { provider in
                    var object = JSONObject()
                    object.set("provider", provider.text("provider"))
                    object.set("subject", provider.text("subject"))
                    return JSONValue.object(object)
                }
                if !identities.isEmpty { converted.line["identities"] = .array(identities) }
            case "totp":
                guard let url = config?.text("totp_url") else {
                    converted.lostFactors.append("credentials.totp, with its config only by include_credential=totp")
                    break
                }
                if let secret = secret(of: url) {
                    converted.line["totpSecret"] = .string(secret)
                } else {
                    converted.lostFactors.append(ConvertedLine.otherAuthenticator)
                }
            // A code is sent to an address or number, which is imported by itself.
            case "code": break
            case "webauthn" where isSecondFactor(config), "lookup_secret":
                converted.lostFactors.append("credentials.\(credential.name)")
            default: converted.ignored.append("credentials.\(credential.name)")
            }
        }
    }

    /// Whether one of the security keys is, or may be, used after the password.
    private static func isSecondFactor(_ config: JSONObject?) -> Bool {
        guard let keys = config?["credentials"]?.array else { return true }
        return keys.contains { $0.object?["is_passwordless"]?.bool != true }
    }

    /// - Parameter url: `otpauth://totp/…?secret=…`
    /// - Returns: `nil` if the app's codes are of another kind than ours.
    private static func secret(of url: String) -> String? {
        let query = url.split(separator: "?", maxSplits: 1).last ?? ""
        var parameters: [Substring: Substring] = [:]
        for parameter in query.split(separator: "&") {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { parameters[pair[0]] = pair[1] }
        }
        guard url.hasPrefix("otpauth://totp/"), let secret = parameters["secret"],
            parameters["digits"] ?? "6" == "6", parameters["period"] ?? "30" == "30",
            parameters["algorithm"] ?? "SHA1" == "SHA1"
        else { return nil }
        return String(secret)
    }
}

internal import Kernel
internal import Store
internal import WalletAuthWire

/// A user of Auth0: of a bulk import, a bulk export, or the export of password hashes that its support makes.
enum Auth0User {
    private static let known: Set = [
        "user_id", "_id", "username", "email", "email_verified", "phone_number", "phone_verified", "name", "given_name",
        "family_name", "blocked", "passwordHash", "password_hash", "custom_password_hash", "identities", "mfa_factors",
        "multifactor",
        "created_at", "updated_at", "last_login", "last_ip", "logins_count", "picture", "nickname", "tenant",
        "connection",
        "password_set_date", "Id", "Given Name", "Family Name",
    ]

    static func line(_ user: JSONObject) -> ConvertedLine {
        var line = JSONObject()
        line.set("externalId", externalID(user))
        line.set("username", user.text("username"))
        line.set("email", user.text("email"))
        line.set("emailVerified", user["email_verified"]?.bool == true && user.text("email") != nil ? true : nil)
        line.set("phone", user.text("phone_number"))
        line.set("phoneVerified", user["phone_verified"]?.bool == true && user.text("phone_number") != nil ? true : nil)
        // Auth0 fills in the address where it knows no name.
        if let name = user.text("name"), name != user.text("email") { line.set("name", name) }
        line.set("givenName", user.text("given_name"))
        line.set("familyName", user.text("family_name"))
        line.set("disabled", user["blocked"]?.bool == true ? true : nil)
        var faults: [ImportFault] = []
        do {
            line.set("passwordHash", try password(user))
        } catch { faults.append(ImportFault(error)) }
        let identities = (user["identities"]?.array?.compactMap(\.object) ?? []).compactMap(identity)
        if !identities.isEmpty { line["identities"] = .array(identities) }
        var converted = ConvertedLine(line, of: user, known: known)
        converted.faults = faults
        for factor in user["mfa_factors"]?.array?.compactMap(\.object) ?? [] {
            if let secret = factor["totp"]?.object?.text("secret") {
                converted.line.set("totpSecret", secret)
            } else {
                converted.lostFactors += factor.names.map { "mfa_factors.\($0)" }
            }
        }
        // A user of the management API has the names of the kinds only.
        converted.lostFactors += (user["multifactor"]?.strings ?? []).map { "multifactor.\($0)" }
        return converted
    }

    private static func externalID(_ user: JSONObject) -> String? {
        if let id = user.text("user_id") ?? user.text("Id") { return id.contains("|") ? id : "auth0|\(id)" }
        guard let id = user["_id"]?.object?.text("$oid") ?? user.text("_id") else { return nil }
        return "auth0|\(id)"
    }

    /// An identity at a connection other than the database of passwords. Several connections may have the same strategy, which Auth0 calls
    /// the provider, and each has subjects of its own.
    private static func identity(_ identity: JSONObject) -> JSONValue? {
        guard let provider = identity.text("provider"), provider != "auth0" else { return nil }
        var object = JSONObject()
        object.set("provider", identity.text("connection") ?? provider)
        object.set("subject", identity.text("user_id") ?? identity["user_id"]?.integer.map { String($0) })
        return .object(object)
    }

    private static func password(_ user: JSONObject) throws -> String? {
        if let hash = user.text("passwordHash") ?? user.text("password_hash") { return hash }
        guard let custom = user["custom_password_hash"]?.object else { return nil }
        let (algorithm, hash) = (custom.text("algorithm") ?? "", custom["hash"]?.object)
        guard let value = hash?.text("value") else {
            throw MalformedValue(field: "custom_password_hash", reason: "has no hash.value")
        }
        switch algorithm {
        case "bcrypt", "argon2", "ldap": return value
        // In PHC string format: `$pbkdf2-sha512$i=100000,l=64$…`
        case "pbkdf2" where value.hasPrefix("$pbkdf2-"): return value
        case "scrypt": return try scrypt(custom, hash: hash ?? JSONObject(), value)
        default:
            throw MalformedValue(
                field: "custom_password_hash",
                reason: "is by \(algorithm), which cannot be imported: \(ImportedPasswordHash.remedy)"
            )
        }
    }

    private static func scrypt(_ custom: JSONObject, hash: JSONObject, _ value: String) throws -> String {
        let salt = custom["salt"]?.object
        guard let text = salt?.text("value") else {
            throw MalformedValue(field: "custom_password_hash", reason: "lacks the salt of scrypt")
        }
        let cost = hash["cost"]?.integer ?? 16384
        let (blockSize, lanes) = (hash["blockSize"]?.integer ?? 8, hash["parallelization"]?.integer ?? 1)
        let (hashText, saltText) = (
            try base64(value, hash.text("encoding") ?? "base64"), try base64(text, salt?.text("encoding") ?? "utf8")
        )
        return "$scrypt$ln=\(cost),r=\(blockSize),p=\(lanes)$\(saltText)$\(hashText)"
    }

    private static func base64(_ text: String, _ encoding: String) throws(MalformedValue) -> String {
        switch (encoding, Hexadecimal.bytes(text.lowercased())) {
        case ("base64", _): return text
        case ("utf8", _): return Base64URL.encode(Array(text.utf8))
        case ("hex", let bytes?): return Base64URL.encode(bytes)
        default:
            throw MalformedValue(
                field: "custom_password_hash", reason: "has an encoding other than base64, hex and utf8")
        }
    }
}

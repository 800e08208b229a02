internal import Kernel
internal import SignIn
internal import WalletAuthWire

/// A user of a Keycloak realm's export.
enum KeycloakUser {
    /// What is read, and what means nothing here.
    private static let known: Set = [
        "id", "username", "email", "emailVerified", "enabled", "firstName", "lastName", "credentials",
        "requiredActions",
        "federatedIdentities", "createdTimestamp", "totp", "notBefore", "access", "disableableCredentialTypes",
        "attributes", serviceAccount,
    ]

    /// Names the client whose own account it is.
    private static let serviceAccount = "serviceAccountClientId"

    /// The types of credentials besides the password that are none, and that no account has here.
    private static let noSecondFactors: Set = ["webauthn-passwordless", "password-history", "kerberos"]

    /// The attributes of a phone number, and of whether it is confirmed: as Keycloak's own mappers read them, and as OpenID Connect names
    /// them.
    private static let phones = [
        (number: "phoneNumber", isVerified: "phoneNumberVerified"),
        (number: "phone_number", isVerified: "phone_number_verified"),
    ]
    private static let knownAttributes = Set(["locale"] + phones.flatMap { [$0.number, $0.isVerified] })

    static func line(_ user: JSONObject) -> ConvertedLine {
        var line = JSONObject()
        line.set("externalId", user.text("id"))
        line.set("username", user.text("username"))
        line.set("email", user.text("email"))
        line.set("emailVerified", user["emailVerified"]?.bool == true && user.text("email") != nil ? true : nil)
        line.set("givenName", user.text("firstName"))
        line.set("familyName", user.text("lastName"))
        line.set("disabled", user["enabled"]?.bool == false ? true : nil)
        let attributes = user["attributes"]?.object ?? JSONObject()
        line.set("locale", attributes.attribute("locale"))
        if let phone = phones.first(where: { attributes.attribute($0.number) != nil }) {
            line.set("phone", attributes.attribute(phone.number))
            line.set("phoneVerified", attributes.attribute(phone.isVerified) == "true" ? true : nil)
        }
        var (others, lost): (Set<String>, Set<String>) = ([], [])
        var faults: [ImportFault] = []
        for credential in user["credentials"]?.array?.compactMap(\.object) ?? [] {
            switch credential.text("type") {
            case "password":
                do {
                    line["passwordHash"] = .string(try password(credential))
                } catch { faults.append(ImportFault(error)) }
            case "otp", "totp":
                do {
                    if let secret = try secret(credential) {
                        line["totpSecret"] = .string(secret)
                    } else {
                        lost.insert(ConvertedLine.otherAuthenticator)
                    }
                } catch { faults.append(ImportFault(error)) }
            case let type? where noSecondFactors.contains(type): others.insert("credentials of the type \(type)")
            // Security keys, recovery codes, and types of extensions, which add second factors.
            case let type?: lost.insert("credentials of the type \(type)")
            case nil: break
            }
        }
        let actions = user["requiredActions"]?.strings ?? []
        if actions.contains("UPDATE_PASSWORD"), line["passwordHash"] != nil { line["passwordExpired"] = true }
        let identities = (user["federatedIdentities"]?.array?.compactMap(\.object) ?? []).map { identity in
            var object = JSONObject()
            object.set("provider", identity.text("identityProvider"))
            object.set("subject", identity.text("userId"))
            return JSONValue.object(object)
        }
        if !identities.isEmpty { line["identities"] = .array(identities) }
        var converted = ConvertedLine(line, of: user, known: known)
        converted.ignored += attributes.names.filter { !knownAttributes.contains($0) }.map { "attributes.\($0)" }
        converted.ignored += others.sorted()
        converted.lostFactors = lost.sorted()
        converted.faults = faults
        converted.isServiceAccount = user.text(serviceAccount) != nil
        return converted
    }

    /// The two documents of a credential are texts in it.
    private static func documents(_ credential: JSONObject) throws -> (secret: JSONObject, cost: JSONObject) {
        guard let secret = credential.text("secretData"), let cost = credential.text("credentialData") else {
            throw MalformedValue(
                field: "credentials",
                reason: "lack secretData or credentialData: export the realm with its users' credentials")
        }
        return (
            try JSONValue.object(parsing: Array(secret.utf8)), try JSONValue.object(parsing: Array(cost.utf8))
        )
    }

    private static func password(_ credential: JSONObject) throws -> String {
        let (secret, cost) = try documents(credential)
        guard let value = secret.text("value"), let salt = secret.text("salt"),
            let iterations = cost["hashIterations"]?.integer
        else {
            throw MalformedValue(field: "credentials", reason: "have a password without value, salt or hashIterations")
        }
        let algorithm = cost.text("algorithm") ?? ""
        switch algorithm {
        case "pbkdf2": return "$pbkdf2-sha1$i=\(iterations)$\(salt)$\(value)"
        case "pbkdf2-sha256", "pbkdf2-sha512": return "$\(algorithm)$i=\(iterations)$\(salt)$\(value)"
        case "argon2":
            // Each parameter is an array of one text.
            func parameter(_ name: String) -> String? { cost["additionalParameters"]?.object?[name]?.strings?.first }
            guard let memory = parameter("memory"), let lanes = parameter("parallelism") else {
                throw MalformedValue(field: "credentials", reason: "have an Argon2 hash without memory or parallelism")
            }
            let version = parameter("version") == "1.0" ? 16 : 19
            return
                "$argon2\(parameter("type") ?? "id")$v=\(version)$m=\(memory),t=\(iterations),p=\(lanes)$\(salt)$\(value)"
        default:
            throw MalformedValue(
                field: "credentials",
                reason:
                    "have a password hashed by \(algorithm), which cannot be imported: "
                    + ImportedPasswordHash.remedy)
        }
    }

    /// The secret of an authenticator app; `nil` if its codes are of another kind than ours.
    private static func secret(_ credential: JSONObject) throws -> String? {
        let (secret, parameters) = try documents(credential)
        guard let value = secret.text("value"), parameters.text("subType") ?? "totp" == "totp",
            parameters["digits"]?.integer ?? 6 == 6, parameters["period"]?.integer ?? 30 == 30,
            parameters.text("algorithm") ?? "HmacSHA1" == "HmacSHA1"
        else { return nil }
        // Its own secrets are the bytes of a text.
        return parameters.text("secretEncoding") == "BASE32" ? value : Base32.encode(Array(value.utf8))
    }
}

extension JSONObject {
    /// The first value of a user's attribute, which is an array of texts.
    fileprivate func attribute(_ name: String) -> String? {
        guard let value = self[name]?.strings?.first, !value.isEmpty else { return nil }
        return value
    }
}

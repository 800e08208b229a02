internal import WalletAuthWire

/// A user of `firebase auth:export`.
enum FirebaseUser {
    private static let known: Set = [
        "localId", "email", "emailVerified", "phoneNumber", "displayName", "disabled", "passwordHash", "salt",
        "providerUserInfo", "createdAt", "lastSignedInAt", "lastRefreshAt", "validSince", "passwordUpdatedAt",
        "photoUrl", "mfaInfo",
        "version",
    ]

    private static let parametersMissing = ImportFault(
        "passwordHash needs the project's parameters: add --firebase-hash-config FILE, with what the console of Firebase shows under "
            + "Authentication, Users, Password hash parameters", isGeneral: true)

    static func line(_ user: JSONObject, _ parameters: ImportOptions.Firebase?) -> ConvertedLine {
        var line = JSONObject()
        line.set("externalId", user.text("localId"))
        let email = user.text("email")
        line.set("username", email ?? user.text("phoneNumber") ?? user.text("localId"))
        line.set("email", email)
        line.set("emailVerified", user["emailVerified"]?.bool == true && email != nil ? true : nil)
        if let phone = user.text("phoneNumber") {
            line.set("phone", phone)
            // A number is only stored after its code.
            line["phoneVerified"] = true
        }
        line.set("name", user.text("displayName"))
        line.set("disabled", user["disabled"]?.bool == true ? true : nil)
        let hash = user.text("passwordHash")
        if let hash, let parameters {
            let cost = "ln=\(parameters.memoryCost),r=\(parameters.rounds),p=1"
            line["passwordHash"] = .string(
                "$firescrypt$\(cost)$\(user.text("salt") ?? "")$\(hash)$\(parameters.saltSeparator)$\(parameters.signerKey)"
            )
        }
        let identities = (user["providerUserInfo"]?.array?.compactMap(\.object) ?? []).compactMap(identity)
        if !identities.isEmpty { line["identities"] = .array(identities) }
        var converted = ConvertedLine(line, of: user, known: known)
        if hash != nil, parameters == nil { converted.faults = [parametersMissing] }
        // A number, or an authenticator app whose secret Firebase keeps.
        if user["mfaInfo"]?.array?.isEmpty == false { converted.lostFactors = ["mfaInfo"] }
        return converted
    }

    /// Password and number are not those of a provider.
    private static func identity(_ info: JSONObject) -> JSONValue? {
        guard let provider = info.text("providerId"), provider != "password", provider != "phone" else { return nil }
        var object = JSONObject()
        object.set("provider", provider)
        object.set("subject", info.text("rawId"))
        return .object(object)
    }
}

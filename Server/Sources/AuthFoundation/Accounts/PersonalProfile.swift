internal import WalletAuthWire

/// An account's claims about its holder beyond contact details (OpenID Connect Core §5.1). Sealed as one JSON document.
package struct PersonalProfile: Sendable, Hashable {
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    /// The postal address as on an envelope, lines separated by line feeds.
    package var address: String?
    /// Whether the phone number was confirmed as the holder's.
    package var isPhoneVerified = false

    package init() {}

    /// - Parameter text: from ``text``; unknown members are ignored.
    /// - Throws: `MalformedValue` if it is no JSON object.
    init(text: String) throws(MalformedValue) {
        let object = try JSONValue.object(parsing: Array(text.utf8))
        name = object["name"]?.string
        givenName = object["given_name"]?.string
        familyName = object["family_name"]?.string
        address = object["address"]?.string
        isPhoneVerified = object["phone_number_verified"]?.bool ?? false
    }

    /// The document to seal; `nil` for an empty profile.
    var text: String? {
        guard self != PersonalProfile() else { return nil }
        var object = JSONObject()
        object.set("name", name)
        object.set("given_name", givenName)
        object.set("family_name", familyName)
        object.set("address", address)
        if isPhoneVerified { object["phone_number_verified"] = .bool(true) }
        return JSONValue.object(object).text
    }
}

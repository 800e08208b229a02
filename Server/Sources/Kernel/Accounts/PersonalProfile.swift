package import WalletAuthWire

/// An account's claims about its holder beyond contact details (OpenID Connect Core §5.1). Sealed as one JSON document.
package struct PersonalProfile: Sendable, Hashable {
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    /// The postal address as on an envelope, lines separated by line feeds.
    package var address: String?
    /// The postal address in parts, as an enrollment form has it; never together with ``address``.
    package var postal = PostalAddress()
    /// ISO 8601: `1980-05-21`.
    package var birthdate: String?
    /// What the holder entered at an enrollment. Unlike the account's address and number it proves nothing: it recovers no account,
    /// and is no second factor.
    package var entered = EnteredContact()
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
        postal = PostalAddress(object["postal"]?.object ?? JSONObject())
        birthdate = object["birthdate"]?.string
        entered.email = object["entered_email"]?.string
        entered.phone = object["entered_phone"]?.string
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
        if postal != PostalAddress() { object["postal"] = .object(postal.json) }
        object.set("birthdate", birthdate)
        object.set("entered_email", entered.email)
        object.set("entered_phone", entered.phone)
        if isPhoneVerified { object["phone_number_verified"] = .bool(true) }
        return JSONValue.object(object).text
    }
}

extension PersonalProfile {
    /// Contact details that no code has confirmed.
    package struct EnteredContact: Sendable, Hashable {
        package var email: String?
        /// In the form of E.164.
        package var phone: String?
    }

    /// A postal address in parts (OpenID Connect Core §5.1.1).
    package struct PostalAddress: Sendable, Hashable {
        /// May have several lines, separated by line feeds.
        package var street: String?
        package var locality: String?
        package var region: String?
        package var postalCode: String?
        package var country: String?

        package init() {}

        init(_ object: JSONObject) {
            street = object["street_address"]?.string
            locality = object["locality"]?.string
            region = object["region"]?.string
            postalCode = object["postal_code"]?.string
            country = object["country"]?.string
        }

        /// The members of the claim `address`.
        package var json: JSONObject {
            var object = JSONObject()
            object.set("street_address", street)
            object.set("locality", locality)
            object.set("region", region)
            object.set("postal_code", postalCode)
            object.set("country", country)
            return object
        }
    }

    /// The claim `address`; `nil` if nothing is stored.
    var addressClaim: JSONObject? {
        if let address { return JSONObject(strings: ["formatted": address]) }
        return postal == PostalAddress() ? nil : postal.json
    }
}

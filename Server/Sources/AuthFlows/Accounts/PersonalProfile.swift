internal import WalletAuthWire

/// An account's claims about its holder beyond contact details (OpenID Connect Core §5.1). Sealed as one JSON document.
struct PersonalProfile: Sendable, Hashable {
    var name: String?
    var givenName: String?
    var familyName: String?
    /// The postal address as on an envelope, lines separated by line feeds.
    var address: String?
    /// Whether the phone number was confirmed as the holder's.
    var isPhoneVerified = false

    /// In lines.
    private static let addressLines = 8

    init() {}

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

    /// Applies an operator's changes. An empty text removes a member.
    /// - Throws: ``MalformedValue`` that names the option.
    mutating func apply(_ change: ProfileChange) throws {
        if let text = change.name { name = try Self.checked(text, "--name") }
        if let text = change.givenName { givenName = try Self.checked(text, "--given-name") }
        if let text = change.familyName { familyName = try Self.checked(text, "--family-name") }
        if let text = change.address { address = try Self.checkedAddress(text) }
        if let isVerified = change.phoneVerified { isPhoneVerified = isVerified }
    }

    private static func checked(_ text: String, _ field: String) throws -> String? {
        text.isEmpty ? nil : try DisplayName.check(text, field: field)
    }

    private static func checkedAddress(_ text: String) throws -> String? {
        guard !text.isEmpty else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count <= addressLines else {
            throw MalformedValue(field: "--address", reason: "has more than \(addressLines) lines")
        }
        return try lines.map { try DisplayName.check(String($0), field: "--address") }.joined(separator: "\n")
    }
}

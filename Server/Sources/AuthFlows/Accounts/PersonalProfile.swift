internal import WalletAuthWire

/// What an account says about its person beyond its contact details, for relying parties (OpenID Connect Core §5.1). Sealed as one
/// JSON document.
struct PersonalProfile: Sendable, Hashable {
    var name: String?
    var givenName: String?
    var familyName: String?
    /// The postal address as on an envelope, its lines separated by line feeds.
    var address: String?
    /// Whether the telephone number is known to be the person's.
    var isPhoneVerified = false

    /// The longest postal address, in lines.
    private static let addressLines = 8

    init() {}

    /// - Parameter text: what ``text`` gave; members that are not known are left out.
    /// - Throws: `MalformedValue` for what is no JSON object.
    init(text: String) throws(MalformedValue) {
        let object = try JSONValue.object(parsing: Array(text.utf8))
        name = object["name"]?.string
        givenName = object["given_name"]?.string
        familyName = object["family_name"]?.string
        address = object["address"]?.string
        isPhoneVerified = object["phone_number_verified"]?.bool ?? false
    }

    /// The document to be sealed; `nil` where there is nothing to say.
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

    /// Takes on what an operator says. An empty text takes a thing away.
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

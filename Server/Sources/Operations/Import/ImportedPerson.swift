internal import Core
internal import Crypto
internal import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// A person of a file to import, checked: one line in our own form, to which the exports of other systems are converted.
package struct ImportedPerson: Sendable {
    /// A person's identity at a provider.
    struct Identity: Sendable {
        let provider: String
        let subject: String
        /// At Apple: the team whose subject this is.
        let team: String?
    }

    /// The id at the former system; without one, the user name says who it is.
    package let externalID: String?
    package let username: Username
    let email: String?
    let isEmailVerified: Bool
    let phone: String?
    let profile: PersonalProfile
    let locale: String?
    let password: ImportedPasswordHash?
    let isPasswordExpired: Bool
    let identities: [Identity]
    let totpSecret: [UInt8]?
    let isDisabled: Bool

    static let members = [
        "externalId", "username", "email", "emailVerified", "phone", "phoneVerified", "name", "givenName", "familyName",
        "locale", "passwordHash", "passwordExpired", "identities", "totpSecret", "disabled",
    ]
    /// In bytes.
    private static let secretLengths = 10...64
    private static let mostIdentities = 20
    private static let longestSubject = 512

    /// - Throws: ``MalformedValue`` that names the member.
    package init(_ line: JSONObject) throws {
        if let unknown = line.names.first(where: { !Self.members.contains($0) }) {
            throw MalformedValue(
                field: unknown, reason: "is unknown: the members are \(Self.members.joined(separator: ", "))")
        }
        externalID = try line.string("externalId")
        guard (1...256).contains(externalID?.utf8.count ?? 1) else {
            throw MalformedValue(field: "externalId", reason: "must have 1 to 256 bytes")
        }
        let email = try line.string("email")
        guard let name = try line.string("username") ?? email else {
            throw MalformedValue(field: "username", reason: "is missing, and there is no email to take in its place")
        }
        username = try Username(name)
        if let reason = ShownText.fault(in: username.rawValue) {
            throw MalformedValue(field: "username", reason: reason)
        }
        self.email = try email.map { try EmailAddress($0).rawValue }
        isEmailVerified = try line.bool("emailVerified") ?? false
        phone = try line.string("phone").map { try ContactDetails.phone($0) }
        var profile = PersonalProfile()
        profile.name = try Self.text(line, "name")
        profile.givenName = try Self.text(line, "givenName")
        profile.familyName = try Self.text(line, "familyName")
        profile.isPhoneVerified = try line.bool("phoneVerified") ?? false
        self.profile = profile
        locale = try line.string("locale").map { try LocaleTag($0).rawValue }
        password = try line.string("passwordHash").map { try ImportedPasswordHash($0) }
        isPasswordExpired = try line.bool("passwordExpired") ?? false
        identities = try Self.identities(line)
        totpSecret = try line.string("totpSecret").map { try Self.secret($0) }
        isDisabled = try line.bool("disabled") ?? false
        try requireConsistency()
    }

    private func requireConsistency() throws(MalformedValue) {
        guard email != nil || !isEmailVerified else {
            throw MalformedValue(field: "emailVerified", reason: "needs an email")
        }
        guard phone != nil || !profile.isPhoneVerified else {
            throw MalformedValue(field: "phoneVerified", reason: "needs a phone")
        }
        guard password != nil || !isPasswordExpired else {
            throw MalformedValue(field: "passwordExpired", reason: "needs a passwordHash")
        }
    }

    private static func text(_ line: JSONObject, _ member: String) throws -> String? {
        guard let text = try line.string(member), !text.isEmpty else { return nil }
        return try DisplayName.check(text, field: member)
    }

    private static func secret(_ text: String) throws(MalformedValue) -> [UInt8] {
        guard let secret = Base32.decode(String(text.prefix { $0 != "=" })), secretLengths.contains(secret.count) else {
            throw MalformedValue(field: "totpSecret", reason: "is not 10 to 64 bytes in Base32")
        }
        return secret
    }

    private static func identities(_ line: JSONObject) throws -> [Identity] {
        guard let value = line["identities"], value != .null else { return [] }
        guard let elements = value.array, elements.count <= mostIdentities else {
            throw MalformedValue(field: "identities", reason: "is not an array of at most \(mostIdentities) objects")
        }
        return try elements.map { element in
            guard let object = element.object else {
                throw MalformedValue(field: "identities", reason: "has an element that is no object")
            }
            if let unknown = object.names.first(where: { !["provider", "subject", "team"].contains($0) }) {
                throw MalformedValue(
                    field: "identities", reason: "has the unknown member \(unknown): they are provider, subject, team")
            }
            guard let provider = try object.string("provider"), let subject = try object.string("subject"),
                (1...longestSubject).contains(subject.utf8.count)
            else { throw MalformedValue(field: "identities", reason: "needs a provider and a subject in each object") }
            return Identity(
                provider: try ProviderID(provider).rawValue, subject: subject, team: try object.string("team"))
        }
    }

    // MARK: - Who it is

    /// What no other line of the file may have, with the members' names.
    package var marks: [(field: String, value: String)] {
        var marks = [(field: "username", value: "name \(username.rawValue)")]
        if let externalID { marks.append(("externalId", "id \(externalID)")) }
        for identity in identities {
            marks.append(("identities", "identity \(identity.provider)\0\(identity.subject)"))
        }
        return marks
    }

    /// The account's id, by which a line that is imported again is known: the former id if that is a UUID, so that what backends stored
    /// under the former `sub` stays right, otherwise a digest of it, or of the user name (RFC 9562 §5.8).
    func accountID(in brand: BrandID) throws -> UniqueID {
        if let id = externalID.flatMap({ UniqueID(uuid: $0.lowercased()) }) { return id }
        let parts =
            externalID.map { ["imported-account", "id", $0] } ?? ["imported-account", "name", username.rawValue]
        let message = ([parts[0], brand.rawValue] + parts[1...]).joined(separator: "\0")
        var bytes = Array(SHA256.hash(data: Array(message.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        guard let id = UniqueID(bytes: bytes) else { throw InvariantViolation() }
        return id
    }
}

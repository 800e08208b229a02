internal import Kernel
internal import SignIn
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
        try line.requireMembers(Self.members)
        externalID = try ImportedAccountKey.externalID(line)
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
        let hasAddress = email != nil && isEmailVerified
        password = try line.string("passwordHash").map { try Self.hash($0, hasAddress: hasAddress) }
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

    /// - Parameter hasAddress: whether a person without a password chooses one by e-mail.
    private static func hash(_ text: String, hasAddress: Bool) throws(MalformedValue) -> ImportedPasswordHash {
        do {
            return try ImportedPasswordHash(text)
        } catch {
            guard !hasAddress else { throw error }
            throw MalformedValue(
                field: error.field,
                reason: error.reason.replacing(
                    ImportedPasswordHash.remedy,
                    with:
                        "leave it out, and run `walletauth account set-password` afterwards, since without a confirmed e-mail "
                        + "address the person cannot choose a new password"))
        }
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

    var key: ImportedAccountKey { externalID.map { .id($0) } ?? .name(username) }

    /// What no other line of the file may have, with the members' names.
    var marks: [(field: String, value: String)] {
        var marks = [(field: "username", value: "name \(username.rawValue)"), (field: "externalId", value: key.mark)]
        for identity in identities {
            marks.append(("identities", "identity \(identity.provider)\0\(identity.subject)"))
        }
        return marks
    }
}

internal import AuthFoundation
internal import WalletAuthWire

extension PersonalProfile {
    /// In lines.
    private static let addressLines = 8

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

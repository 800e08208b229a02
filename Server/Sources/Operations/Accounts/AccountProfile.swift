internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

extension AccountAdministration {
    func update(_ reference: AccountReference, _ change: ProfileChange) async throws -> AdministrationAnswer {
        let now = clock.now()
        let (account, names) = try await changeableAccount(reference)
        var profile = vault.profile(of: account)
        try profile.apply(change)
        guard account.phone != nil || !profile.isPhoneVerified else { throw Self.noPhone }
        var changed = account
        changed.profile = try vault.seal(profile, of: account.id)
        changed.locale = try change.locale.map { try Self.locale($0) } ?? account.locale
        let digests = try AccountDigests(
            of: changed, names: names.compactMap { try? Username($0) }, sealing: auditLog.sealing)
        let entry = try auditLog.entry(AccountEvent.profileChanged, account: account.id, now: now)
        let isChanged = try await database.write { [changed] connection in
            let isChanged = try Accounts.setProfile(
                from: account, to: changed.profile, locale: changed.locale, digests: digests, on: connection)
            if isChanged { try entry.write(on: connection) }
            return isChanged
        }
        guard isChanged else { throw Self.changedMeanwhile }
        return .done("Account \(account.id.uuid) changed.", vault.json(changed, names: names))
    }

    /// - Throws: ``AdministrationRefusal`` if the account was erased.
    func changeableAccount(_ reference: AccountReference) async throws -> (AccountRecord, names: [String]) {
        let (account, names) = try await database.read { connection in
            let account = try reference.find(on: connection)
            return (account, try Accounts.names(of: account.id, on: connection))
        }
        guard account.state != .erased else {
            throw AdministrationRefusal(
                "The account was erased; nothing is stored about the person.", code: "no_change")
        }
        return (account, names)
    }

    static let changedMeanwhile = AdministrationRefusal(
        "Another command changed the account at the same time; nothing was changed.", hint: "Run this again.",
        code: "no_change")

    /// An empty text means none.
    static func locale(_ text: String) throws -> String? { text.isEmpty ? nil : try LocaleTag(text).rawValue }

    static let noPhone = AdministrationRefusal(
        "There is no phone number to mark as confirmed.", code: "contradiction")
}

extension PersonalProfile {
    /// In lines.
    private static let addressLines = 8

    /// Applies an operator's changes. An empty text removes a member.
    /// - Throws: ``MalformedValue`` that names the option.
    mutating func apply(_ change: ProfileChange) throws {
        if let text = change.name { name = try Self.checked(text, "--name") }
        if let text = change.givenName { givenName = try Self.checked(text, "--given-name") }
        if let text = change.familyName { familyName = try Self.checked(text, "--family-name") }
        if let text = change.address {
            address = try Self.checkedAddress(text)
            // It replaces what the holder entered.
            postal = PostalAddress()
        }
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

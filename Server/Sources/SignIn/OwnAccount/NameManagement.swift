internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A person's name, by its parts (OpenID Connect Core §5.1).
package struct PersonNames: Codable, Sendable, Hashable {
    /// The raw value is that of the claim, and of the form's field.
    package enum Part: String, Codable, Sendable, CaseIterable {
        case name
        case givenName = "given_name"
        case familyName = "family_name"
    }

    /// Without those that the account does not have.
    package var parts: [Part: String]

    /// In the order of the form.
    var all: [(part: Part, text: String)] {
        Part.allCases.compactMap { part in parts[part].map { (part, $0) } }
    }
}

extension PersonNames {
    init(_ profile: PersonalProfile) {
        let parts: [(Part, String?)] = [
            (.name, profile.name), (.givenName, profile.givenName), (.familyName, profile.familyName),
        ]
        self.init(parts: Dictionary(uniqueKeysWithValues: parts.compactMap { part, text in text.map { (part, $0) } }))
    }

    func write(to profile: inout PersonalProfile) {
        profile.name = parts[.name]
        profile.givenName = parts[.givenName]
        profile.familyName = parts[.familyName]
    }
}

/// Lets the holder correct the name that the account has, where the brand allows it. It takes what a change of factors takes: apps read
/// the name as the account's.
///
/// A part that the account does not have is not added, and none is removed: who stored the name decided what belongs to it.
struct NameManagement: Sendable {
    let database: any Database
    let auditLog: AuditLog
    let stepUp: StepUp

    private var vault: AccountVault { AccountVault(auditLog.sealing) }

    /// The name as it is, for a caller who may change it.
    func manage(call: any FactorCaller) async throws -> Result<PersonNames, FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        let names = PersonNames(vault.profile(of: call.account))
        guard facts.brand?.ownNames ?? false, !names.parts.isEmpty else { return .failure(.notFound) }
        if let refusal = policy.refusalUnlessFresh(facts) { return .failure(refusal) }
        return .success(names)
    }

    /// What was typed, as it can be stored; `nil` if a part is missing or cannot be a name.
    static func checked(_ typed: PersonNames, for current: PersonNames) -> PersonNames? {
        var names = current
        for part in current.parts.keys {
            guard let text = typed.parts[part], let name = try? DisplayName.check(TypedText.trimmed(text)) else {
                return nil
            }
            names.parts[part] = name
        }
        return names
    }

    /// Changes the name. A form that arrives twice succeeds twice.
    /// - Parameter names: from ``checked(_:for:)``.
    /// - Returns: why it was not changed; `nil` if the account has it.
    func set(_ names: PersonNames, call: any FactorCaller) async throws -> FactorRefusal? {
        let account = call.account
        var profile = vault.profile(of: account)
        guard PersonNames(profile) != names else { return nil }
        names.write(to: &profile)
        let sealed = try vault.seal(profile, of: account.id)
        let entry = try auditLog.entry(AccountEvent.profileChanged, message: OwnAccountMessage.nameChanged, call: call)
        let budget = try FactorChangeBudget(nameBy: call, keyRing: stepUp.keyRing)
        return try await database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return refusal
            }
            guard try Accounts.setProfile(from: account, to: sealed, locale: account.locale, on: connection) else {
                return .accountChanged
            }
            try entry.write(on: connection)
            return nil
        }
    }
}

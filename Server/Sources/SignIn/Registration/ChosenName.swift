package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// The rules for a user name that a person chooses for a new account, beyond those of every name: the same for newcomers and for guests
/// of a provider. Operators, imports and integrators' backends choose names by their own rules, and directories keep to the last one.
package enum ChosenName {
    /// Whether a name is no one else's address: one with an `@` has to be the address that was proved, or it would pass for its owner.
    static func isUsable(_ name: Username, proving email: String?) -> Bool {
        guard name.rawValue.contains("@") else { return true }
        guard let email else { return false }
        return (try? Username(email)) == name
    }

    /// Whether a name is taken, can be taken for another account's, or is an address that another account has confirmed: as a name it
    /// would come before its owner's address at sign-in.
    static func isTaken(
        _ name: Username, in brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let isAlike = try AccountDigests.haveLookAlike(
            of: name, brand: brand, sealing: sealing, now: now, on: connection)
        return try isAlike || isAddress(name, ofOtherThan: nil, in: brand, sealing: sealing, now: now, on: connection)
    }

    /// Creates the account, unless the name is taken.
    static func create(
        _ account: AccountRecord, named name: Username, digests: AccountDigests, auditLog: AuditLog, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> AccountCreation {
        let isTaken = try isTaken(
            name, in: BrandID(account.brandID), sealing: auditLog.sealing, now: now, on: connection)
        if isTaken { return .nameTaken }
        return try ConfirmedEmail(auditLog).create(account, named: name, digests: digests, now: now, on: connection)
    }

    /// Whether a name is an address that another account has confirmed. Names compare as mapped: full-width letters make no other one.
    package static func isAddress(
        _ name: Username, ofOtherThan account: UniqueID?, in brand: BrandID, sealing: SealingKeys, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        guard name.rawValue.contains("@"), let email = try? EmailAddress(name.rawValue) else { return false }
        return try RegistrationAddress.email(email).holders(in: brand, sealing: sealing, now: now, on: connection)
            .contains { $0.id != account }
    }
}

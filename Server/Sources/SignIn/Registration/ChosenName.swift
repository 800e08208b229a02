internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The rules for a user name that a person chooses for a new account, beyond those of every name: the same for newcomers and for guests
/// of a provider. Operators, imports and integrators' backends choose names by their own rules.
enum ChosenName {
    /// Whether a name is no one else's address: one with an `@` has to be the address that was proved, or it would pass for its owner.
    static func isUsable(_ name: Username, proving email: String?) -> Bool {
        guard name.rawValue.contains("@") else { return true }
        guard let email else { return false }
        return (try? Username(email)) == name
    }

    /// Creates the account, unless the name is taken, can be taken for another account's, or is an address that another account has
    /// confirmed: as a name it would come before its owner's address at sign-in.
    static func create(
        _ account: AccountRecord, named name: Username, digests: AccountDigests, auditLog: AuditLog, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> AccountCreation {
        let (brand, sealing) = (try BrandID(account.brandID), auditLog.sealing)
        let isAlike = try AccountDigests.haveLookAlike(
            of: name, brand: brand, sealing: sealing, now: now, on: connection)
        if isAlike { return .nameTaken }
        if name.rawValue.contains("@"), let email = try? EmailAddress(name.typed),
            try RegistrationAddress.email(email).holder(in: brand, sealing: sealing, now: now, on: connection) != nil
        {
            return .nameTaken
        }
        return try ConfirmedEmail(auditLog).create(account, named: name, digests: digests, now: now, on: connection)
    }
}

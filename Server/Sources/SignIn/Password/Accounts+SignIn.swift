internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

extension Accounts {
    /// The account that a person names to sign in or to recover it: by its user name, or by a confirmed e-mail address that no other account
    /// of the brand has. A name comes first.
    ///
    /// The statements depend on the text alone, so the time does not tell which addresses have accounts.
    static func find(
        typed name: Username, brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> AccountRecord? {
        try search(typed: name, brand: brand, sealing: sealing, now: now, on: connection).account
    }

    /// The same, and whose mailbox it is if several accounts confirmed the address.
    static func search(
        typed name: Username, brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> TypedAccount {
        let named = try find(named: name.rawValue, brand: brand.rawValue, on: connection)
        guard name.rawValue.contains("@"), let email = try? EmailAddress(name.typed) else {
            return TypedAccount(account: named)
        }
        let holders = try RegistrationAddress.email(email).holders(
            in: brand, sealing: sealing, now: now, on: connection)
        if let named { return TypedAccount(account: named) }
        if holders.count == 1 { return TypedAccount(account: holders[0]) }
        return TypedAccount(sharing: holders.min { $0.id.uuid < $1.id.uuid })
    }
}

/// What a text that a person typed names.
struct TypedAccount {
    /// The one account that it names.
    var account: AccountRecord?
    /// The first of the accounts that confirmed the address, if there are several: it names none of them.
    var sharing: AccountRecord?
}

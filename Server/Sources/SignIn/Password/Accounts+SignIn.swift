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
        let named = try find(named: name.rawValue, brand: brand.rawValue, on: connection)
        guard name.rawValue.contains("@"), let email = try? EmailAddress(name.typed) else { return named }
        let holders = try RegistrationAddress.email(email).holders(
            in: brand, sealing: sealing, now: now, on: connection)
        return named ?? (holders.count == 1 ? holders[0] : nil)
    }
}

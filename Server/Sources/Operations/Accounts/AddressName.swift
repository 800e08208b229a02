internal import Kernel
internal import SignIn
internal import WalletAuthWire

/// A user name that is an e-mail address or a phone number, as accounts from other systems have.
struct AddressName: Sendable, Hashable {
    let name: String
    /// Enough of it for its holder to confirm it.
    let masked: String

    /// `nil` for other names.
    init?(_ name: String) {
        if (try? EmailAddress(name)) != nil {
            self.init(name: name, masked: AccountVault.masked(name, of: .email))
        } else if (try? ContactDetails.phone(name)) != nil {
            self.init(name: name, masked: AccountVault.masked(name, of: .sms))
        } else {
            return nil
        }
    }

    private init(name: String, masked: String) { (self.name, self.masked) = (name, masked) }
}

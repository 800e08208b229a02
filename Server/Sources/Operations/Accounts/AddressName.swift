internal import Kernel
internal import SignIn
internal import WalletAuthWire

/// A user name that is an e-mail address or a phone number, as accounts from other systems have. Any name with an @ counts: other systems
/// take addresses that this one does not.
struct AddressName: Sendable, Hashable {
    let name: String
    /// Enough of it for its holder to confirm it.
    let masked: String

    /// `nil` for other names.
    init?(_ name: String) {
        // Typed with a full-width @, it is the same name.
        let address = name.contains("@") ? name : (try? Username(name).rawValue) ?? name
        if address.contains("@") {
            self.init(name: name, masked: AccountVault.masked(address, of: .email))
        } else if (try? ContactDetails.phone(name)) != nil || Self.isNumber(name) {
            self.init(name: name, masked: AccountVault.masked(name, of: .sms))
        } else {
            return nil
        }
    }

    /// Whether it consists of digits, with the marks between which numbers are written, as a number is dialed within its country. Seven
    /// digits are the fewest that an international number has.
    private static func isNumber(_ name: String) -> Bool {
        name.allSatisfy { $0.isWholeNumber || separators.contains($0) } && name.count(where: \.isWholeNumber) >= 7
    }

    private static let separators: Set<Character> = ["+", "-", "(", ")", ".", "/", " "]

    private init(name: String, masked: String) { (self.name, self.masked) = (name, masked) }
}

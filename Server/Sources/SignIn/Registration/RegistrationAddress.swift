package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// An address that a newcomer proves, or that an account has confirmed.
package enum RegistrationAddress: Sendable, Hashable {
    case email(EmailAddress)
    /// In the form of E.164.
    case phone(String)

    /// - Parameter typed: an e-mail address, or a phone number where those are taken.
    /// - Throws: `MalformedValue` for text that is neither.
    package init(typed: String, takesPhones: Bool) throws(MalformedValue) {
        if takesPhones, !typed.contains("@") {
            self = .phone(try Self.phone(typed))
        } else {
            self = .email(try EmailAddress(typed))
        }
    }

    /// - Throws: `MalformedValue` for text that is no number.
    static func phone(_ typed: String) throws(MalformedValue) -> String {
        do { return try ContactDetails.phone(typed) } catch let fault as MalformedValue { throw fault } catch {
            throw MalformedValue(field: "phone", reason: "is not an international number")
        }
    }

    /// As it is sent to.
    var text: String {
        switch self {
        case .email(let email): email.rawValue
        case .phone(let number): number
        }
    }

    /// By which two spellings of one address are found.
    var compared: String {
        switch self {
        case .email(let email): AccountDigests.compared(email)
        case .phone(let number): number
        }
    }

    /// By which messages are counted: everything that may be one mailbox, so that tags after a `+` bring no further messages.
    var counted: String {
        switch self {
        case .email(let email): ContactDetails.mailbox(of: email.rawValue)
        case .phone(let number): number
        }
    }

    var digestKind: AccountDigests.Kind {
        switch self {
        case .email: .email
        case .phone: .phone
        }
    }

    var channel: OutboxChannel {
        switch self {
        case .email: .email
        case .phone: .sms
        }
    }

    /// The factor that the code proves.
    var factor: FactorKind {
        switch self {
        case .email: .email
        case .phone: .sms
        }
    }

    /// The account that has the address, confirmed; `nil` if none has.
    func holder(
        in brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> AccountRecord? {
        try holders(in: brand, sealing: sealing, now: now, on: connection).first
    }

    /// The accounts that have the address, confirmed.
    package func holders(
        in brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> [AccountRecord] {
        let vault = AccountVault(sealing)
        return try AccountDigests.accounts(
            having: digestKind, compared, brand: brand, sealing: sealing, now: now, on: connection
        ).filter { $0.brandID == brand.rawValue && isConfirmed(for: $0, vault) }
    }

    /// Whether an account has the address, and its holder or an operator confirmed it. An unconfirmed one may be anyone's.
    func isConfirmed(for account: AccountRecord, _ vault: AccountVault) -> Bool {
        guard account.state != .erased else { return false }
        switch self {
        case .email:
            let own = vault.email(of: account).flatMap { try? EmailAddress($0) }
            return account.emailState == .verified && own.map { Self.email($0).compared } == compared
        case .phone(let number):
            return vault.open(account.phone, .phone, of: account.id) == number
                && vault.profile(of: account).isPhoneVerified
        }
    }

    /// Whether a user name is someone's address: one with an `@` has to be the address that was proved.
    func allows(_ name: Username) -> Bool {
        if case .email(let email) = self { return ChosenName.isUsable(name, proving: email.rawValue) }
        return ChosenName.isUsable(name, proving: nil)
    }
}

extension RegistrationAddress: Codable {
    private enum CodingKeys: String, CodingKey {
        case email, phone
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let number = try container.decodeIfPresent(String.self, forKey: .phone) {
            self = .phone(number)
        } else {
            self = .email(try EmailAddress(container.decode(String.self, forKey: .email)))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .email(let email): try container.encode(email.rawValue, forKey: .email)
        case .phone(let number): try container.encode(number, forKey: .phone)
        }
    }
}

package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The events of registrations in the audit log. The new account's own are those of any account.
package enum RegistrationEvent: String, SecurityEventKind, CaseIterable {
    /// So many newcomers asked for codes that the brand's further ones have to wait.
    case held = "registration.held"
}

/// What a newcomer's address gets: one message, whether it has an account or not, and one once the account is made.
package enum RegistrationMessage: SecurityMessage {
    /// The code that proves the address.
    case code(String, RegistrationAddress, BrandID)
    /// The address has an account.
    case existing(RegistrationAddress)
    /// The account was made. It names the user, whose mailbox is proved.
    case made

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case code = "registration_code"
        case existing = "registration_existing"
        /// By SMS, which anyone reads on a lock screen: it does not name the user.
        case existingByPhone = "registration_existing_phone"
        case made = "registration_made"
    }

    package var kind: Kind {
        switch self {
        case .code: .code
        case .existing(.email): .existing
        case .existing(.phone): .existingByPhone
        case .made: .made
        }
    }

    package var channel: OutboxChannel? {
        switch self {
        case .code(_, let address, _), .existing(let address): address.channel
        case .made: .email
        }
    }

    package var lifetime: Duration {
        switch self {
        case .code, .existing: WaitingCodes.lifetime
        case .made: Self.noticeLifetime
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        // The message has no account that would have a brand.
        case .code(let code, _, let brand): ["code": code, MessageRendering.brandMember: brand.rawValue]
        case .existing, .made: [:]
        }
    }
}

extension RegistrationMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .code: MessageTemplate(advice: .recoveryCode)
        case .existing: MessageTemplate(advice: .ignore, reading: Self.name)
        case .existingByPhone: MessageTemplate(advice: .ignore)
        case .made: MessageTemplate(advice: .ask, reading: Self.name)
        }
    }

    /// The account's user name.
    private static func name(
        of account: AccountRecord, _ vendors: ProviderVendors, on connection: any SQLConnection
    ) throws -> [String: String]? {
        try Accounts.names(of: account.id, on: connection).first.map { ["username": $0] }
    }
}

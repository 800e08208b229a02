package import Core
package import Kernel
package import WalletAuthWire

/// The messages about what holders do to their own account.
package enum OwnAccountMessage: SecurityMessage {
    /// A code to a new e-mail address, which may be mistyped and another person's.
    case emailCode(String)
    /// A code to a new phone number.
    case phoneCode(String)
    /// A change was begun. It goes to the address or number that the account has.
    case changeRequested(FactorKind, over: OutboxChannel)
    /// The holder closed the account, which is erased at a time, and can be kept with a code until then.
    case closed(eraseAt: Timestamp, keepCode: String, over: OutboxChannel)
    /// The closing was taken back.
    case kept
    /// The account's data was exported.
    case exported
    /// The holder changed the name.
    case nameChanged

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case emailCode = "new_email_code"
        case phoneCode = "phone_code"
        case emailChangeRequested = "email_change_requested"
        case phoneChangeRequested = "phone_change_requested"
        case closed = "account_closed"
        case kept = "account_kept"
        case exported = "account_exported"
        case nameChanged = "name_changed"
    }

    package var kind: Kind {
        switch self {
        case .emailCode: .emailCode
        case .phoneCode: .phoneCode
        case .changeRequested(.email, _): .emailChangeRequested
        case .changeRequested: .phoneChangeRequested
        case .closed: .closed
        case .kept: .kept
        case .exported: .exported
        case .nameChanged: .nameChanged
        }
    }

    package var channel: OutboxChannel? {
        switch self {
        case .emailCode: .email
        case .phoneCode: .sms
        case .changeRequested(_, let channel), .closed(_, _, let channel): channel
        case .kept, .exported, .nameChanged: nil
        }
    }

    package var lifetime: Duration {
        switch self {
        case .emailCode, .phoneCode: FactorCodes.lifetime
        case .changeRequested, .closed, .kept, .exported, .nameChanged: Self.noticeLifetime
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .emailCode(let code), .phoneCode(let code): ["code": code]
        case .closed(let end, let code, _): ["erase_at": end.toTheMinute, "keep_code": code]
        case .changeRequested, .kept, .exported, .nameChanged: [:]
        }
    }
}

extension OwnAccountMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .emailCode, .phoneCode: MessageTemplate(advice: .newContactCode)
        case .emailChangeRequested, .phoneChangeRequested, .kept, .exported, .nameChanged:
            MessageTemplate(advice: .protect)
        // No one is signed in any more: the text says what to do.
        case .closed: MessageTemplate(advice: .ask)
        }
    }
}

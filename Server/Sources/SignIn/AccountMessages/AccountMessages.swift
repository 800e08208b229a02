internal import Core
package import Kernel
internal import Store

/// The events of accounts in the audit log, whichever flow causes them.
///
/// This folder owns the events and messages of accounts that several floors above cause: sign-in, self-service and operators.
package enum AccountEvent: String, SecurityEventKind, CaseIterable {
    case created = "account.created"
    case deactivated = "account.deactivated"
    case reactivated = "account.reactivated"
    /// The holder closed the account, which is erased later.
    case closed = "account.closed"
    /// The closing was taken back.
    case kept = "account.kept"
    case erased = "account.erased"
    /// What the account had is another one's, which its details name, and it is closed for good.
    case merged = "account.merged"
    /// The account has what another one had.
    case absorbed = "account.absorbed"
    case exported = "account.exported"
    case profileChanged = "account.profile_changed"
    /// The holder chose another language of messages.
    case languageChanged = "account.language_changed"
    case emailVerified = "account.email_verified"
    case emailChanged = "account.email_changed"
    case emailRemoved = "account.email_removed"
    case phoneChanged = "account.phone_changed"
    case phoneRemoved = "account.phone_removed"
    /// The account gets no one-time passwords for guests any more: the number has been proved for another one, or entered there by an
    /// operator.
    case phoneReleased = "account.phone_released"
    case passwordChanged = "account.password_changed"
    case passwordExpired = "account.password_expired"
    /// The former system confirmed the password, which is stored here from now on.
    case passwordAdopted = "account.password_adopted"
    case signInFailures = "account.sign_in_failures"
    case failuresReset = "account.failures_reset"

    /// No client hears who lost a number: another person's sign-in there proved it. What an operator does and what strangers
    /// try changes no account. A merge is one event, of the account whose `sub` ends.
    package var webhookKind: WebhookKind? {
        switch self {
        case .created, .deactivated, .reactivated, .closed, .kept, .erased, .merged, .profileChanged, .languageChanged,
            .emailVerified, .emailChanged, .emailRemoved, .phoneChanged, .phoneRemoved, .passwordChanged,
            .passwordExpired:
            .accounts
        case .absorbed, .exported, .phoneReleased, .passwordAdopted, .signInFailures, .failuresReset: nil
        }
    }
}

/// The messages about an account, whichever flow causes them.
package enum AccountMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case deactivated = "wallet_deactivated"
    case passwordChanged = "password_changed"
    /// The password is known to others, and a new one is required.
    case passwordExpired = "password_expired"

    package var kind: AccountMessage { self }
}

extension AccountMessage {
    package var template: MessageTemplate {
        switch self {
        case .deactivated:
            MessageTemplate(
                advice: .ask, reading: { account, _, _ in ["cause": account.deactivatedBy?.rawValue ?? ""] },
                completing: Self.namingTheWayBack)
        case .passwordExpired: MessageTemplate(advice: .ask)
        case .passwordChanged: MessageTemplate(advice: .protect)
        }
    }

    /// Adds the placeholder `{way}`: a recovery opens what wrong passwords closed, and nothing else.
    private static func namingTheWayBack(
        _ stored: [String: String], in language: BrandLanguage
    ) -> [String: String] {
        let isByFailures = stored["cause"] == DeactivationCause.failures.rawValue
        let way: MessageWording = isByFailures ? .deactivatedByFailures : .deactivatedOtherwise
        return stored.merging(["way": language.texts(MessageWording.self)[way, stored]]) { _, way in way }
    }
}

/// The message that an account's e-mail address or phone number was changed or removed. It goes to the old one, to the new one, and
/// over the other channel. That two accounts became one goes to those of both.
///
/// That of a new e-mail address has the user name, which tells its reader which of their accounts it is. It names no address or number: the old mailbox may be an attacker's, and the new one may be mistyped.
package struct ContactMessage: SecurityMessage {
    package let kind: Kind
    package let channel: OutboxChannel?

    package init(_ kind: Kind, over channel: OutboxChannel) {
        self.kind = kind
        self.channel = channel
    }

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case emailChanged = "email_changed"
        case emailRemoved = "email_removed"
        /// To a new mailbox that other accounts have confirmed as well.
        case emailShared = "email_shared"
        case phoneChanged = "phone_changed"
        case phoneRemoved = "phone_removed"
        case accountsMerged = "accounts_merged"
    }
}

extension ContactMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .emailChanged:
            MessageTemplate(
                advice: .ask,
                reading: { account, _, connection in
                    try Self.name(of: account, on: connection).map { ["account_name": $0] } ?? [:]
                })
        case .emailShared:
            MessageTemplate(
                advice: .ask,
                reading: { account, _, connection in
                    try Self.name(of: account, on: connection).map { ["username": $0] }
                })
        default: MessageTemplate(advice: .ask)
        }
    }

    /// The account's user name.
    private static func name(of account: AccountRecord, on connection: any SQLConnection) throws -> String? {
        try Accounts.names(of: account.id, on: connection).first.map(MessagePlaceholders.isolated)
    }
}

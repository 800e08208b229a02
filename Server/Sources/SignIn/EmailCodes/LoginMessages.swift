package import Core
package import Kernel

/// The messages of a sign-in.
package enum LoginMessage: SecurityMessage {
    /// A code that confirms an e-mail address.
    case emailCode(String)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case emailCode = "email_code"
    }

    package var kind: Kind {
        switch self {
        case .emailCode: .emailCode
        }
    }

    package var channel: OutboxChannel? { .email }

    package var lifetime: Duration { EmailCodes.lifetime }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .emailCode(let code): ["code": code]
        }
    }
}

extension LoginMessage.Kind {
    package var template: MessageTemplate { MessageTemplate(advice: .code) }
}

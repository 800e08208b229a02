package import Core
package import Kernel
package import Store

/// The messages about approvals that wait.
package enum ApprovalMessage: SecurityMessage {
    /// To one device.
    case push(to: UniqueID, about: ApprovalSubject, lifetime: Duration)
    /// Several approvals were requested in a row, and pushes are held back.
    case heldBack

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case push = "approval_push"
        case heldBack = "approvals_held_back"
    }

    package var kind: Kind {
        switch self {
        case .push: .push
        case .heldBack: .heldBack
        }
    }

    package var channel: OutboxChannel? { kind == .push ? .push : nil }

    package var lifetime: Duration {
        switch self {
        case .push(_, _, let lifetime): lifetime
        case .heldBack: Self.noticeLifetime
        }
    }

    static let device = "device_id"

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .push(let device, let subject, _):
            [
                Self.device: device.uuid, PushSubject.id: subject.id.uuid, PushSubject.kind: subject.kind.rawValue,
            ]
        case .heldBack: [:]
        }
    }
}

extension ApprovalMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .push: MessageTemplate(advice: .ask, devices: PushedDevices())
        case .heldBack: MessageTemplate(advice: .ask)
        }
    }
}

/// The events of pushes in the audit log.
package enum ApprovalEvent: String, SecurityEventKind, CaseIterable {
    case heldBack = "push.held_back"

    /// A backend's own transactions are what the holder may have been flooded with.
    package var webhookKind: WebhookKind? { nil }
}

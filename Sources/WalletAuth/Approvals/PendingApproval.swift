public import Foundation
public import WalletAuthWire

/// Something that waits for the person's approval on this device: see ``Wallet/Transactions/pending()``.
public enum PendingApproval: Sendable, Hashable, Identifiable {
    /// A transaction. ``Wallet/Flows/start(pending:)`` signs it.
    case transaction(PendingTransaction)
    /// A payment, or another operation of the wallet, that was begun on another device or in a browser.
    /// ``Wallet/Transactions/approve(_:with:)`` and ``Wallet/Transactions/reject(_:)`` decide about it.
    case payment(PendingPayment)

    /// Its id, which a push message names (``Wallet/handle(push:)``).
    public var id: TransactionID {
        switch self {
        case .transaction(let transaction): transaction.id
        case .payment(let payment): payment.id
        }
    }

    /// When it expires, in server time.
    public var expiresAt: Date {
        switch self {
        case .transaction(let transaction): transaction.expiresAt
        case .payment(let payment): payment.expiresAt
        }
    }
}

/// A transaction that waits for a signature on this device.
public struct PendingTransaction: Sendable, Hashable, Identifiable {
    /// Where it can be continued.
    enum Source: Sendable, Hashable {
        /// No device has it yet.
        case link(TransactionLink, account: AccountID)
        /// This device has it.
        case claimed(OpenTransaction)
    }

    /// The transaction.
    public let id: TransactionID
    /// When it expires, in server time.
    public let expiresAt: Date
    let source: Source

    /// What to sign; nil until this device has claimed it, which the flow does.
    public var details: TransactionDetails? { if case .claimed(let open) = source { open.details } else { nil } }
}

/// An operation of the wallet that waits for the person's approval on this device.
public struct PendingPayment: Sendable, Hashable, Identifiable {
    /// The event of its consent.
    public let id: TransactionID
    /// What the person agrees to. It is read from the same bytes that the device signs: show it, above all amount and payee.
    public let operation: SCA.Operation
    /// The app, device or browser that asked for it; nil if the server does not say. Show it, so that the person can tell two equal payments
    /// apart.
    public let requester: ApprovalRequester?
    /// When it expires, in server time.
    public let expiresAt: Date
    /// The ways in which this device can approve it, `.devicePIN` first.
    public let availableVerifications: [SCA.Verification]
    let entry: ApprovalEntry

    init(_ entry: ApprovalEntry, _ payload: OperationPayload, by ways: [SCA.Verification]) {
        id = entry.id
        operation = SCA.Operation(payload: payload)
        requester = entry.requester
        expiresAt = entry.expiresAt.date
        availableVerifications = ways
        self.entry = entry
    }
}

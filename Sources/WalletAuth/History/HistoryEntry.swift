public import Foundation
public import WalletAuthWire

/// A transaction or consent that a person decided about on this device: see ``Wallet/Transactions/history(of:)``.
public struct HistoryEntry: Hashable, Sendable, Codable, Identifiable {
    /// The kinds of entries.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A transaction that this device claimed or began.
        case transaction
        /// A consent to an operation of the wallet (``SCA``).
        case consent
    }

    /// The ends that this device learned of.
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// The transaction is signed; the consent is complete.
        case approved
        /// The person rejected the transaction.
        case rejected
        /// The transaction expired while it was open here.
        case expired
        /// A signature was sent, and no response has said whether it arrived. Starting with the same code again tells.
        case unconfirmed
    }

    /// The transaction (``transactionID``), or the event of the consent.
    public let id: String
    /// The kind of entry.
    public let kind: Kind
    /// The account.
    public let account: AccountID
    /// How it ended.
    public internal(set) var outcome: Outcome
    /// When it ended, in server time.
    public let date: Date
    /// The kind of transaction or operation in the backend's terms; nil for a transaction that the app began.
    public let type: String?
    /// The amount that was shown.
    public let amount: Money?
    /// The payee's name that was shown.
    public let payeeName: String?
    /// The last factor that approved it, by its method and channel.
    let method: SCAMethod?
    let channel: SCAChannel?
    /// The person's reason for rejecting it.
    public let rejectionReason: RejectionReason?

    /// The transaction; nil for a consent.
    public var transactionID: TransactionID? { kind == .transaction ? try? TransactionID(id) : nil }
}

extension HistoryEntry {
    /// The last factor that approved it.
    public var secondFactor: SCA.Verification? {
        guard let method, let channel else { return nil }
        return SCA.Verification(method: method, channel: channel)
    }

    /// A consent that is complete.
    init(_ challenge: SCA.Challenge, at now: Instant) {
        self.init(challenge.eventID, challenge.operation, by: challenge.verification, at: now)
    }

    /// A consent that is complete, on this device or by this device for another session.
    init(_ eventID: String, _ operation: SCA.Operation, by verification: SCA.Verification, at now: Instant) {
        self.init(
            id: eventID, kind: .consent, account: operation.account, outcome: .approved, date: now.date,
            type: operation.type, amount: operation.amount, payeeName: operation.payee?.name,
            method: verification.method, channel: verification.channel, rejectionReason: nil)
    }
}

extension HistoryEntry {
    /// How a transaction ended.
    init(
        _ id: TransactionID, _ details: TransactionDetails?, of account: AccountID, _ outcome: Outcome, at now: Instant,
        by factor: TransactionFactor? = nil, because reason: RejectionReason? = nil
    ) {
        self.init(
            id: id.rawValue, kind: .transaction, account: account, outcome: outcome, date: now.date,
            type: details?.type, amount: details?.amount, payeeName: details?.payee?.name,
            method: factor.map { $0 == .pin ? .pin : .biometric }, channel: factor.map { _ in .device },
            rejectionReason: reason)
    }
}

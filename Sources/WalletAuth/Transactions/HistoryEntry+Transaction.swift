import WalletAuthWire

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

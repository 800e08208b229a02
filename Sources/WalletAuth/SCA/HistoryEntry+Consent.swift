extension HistoryEntry {
    /// The last factor that approved it.
    public var secondFactor: SCA.Verification? {
        guard let method, let channel else { return nil }
        return SCA.Verification(method: method, channel: channel)
    }

    /// A consent that is complete.
    init(_ challenge: SCA.Challenge, at now: Instant) {
        let operation = challenge.operation
        self.init(
            id: challenge.eventID, kind: .consent, account: operation.account, outcome: .approved, date: now.date,
            type: operation.type, amount: operation.amount, payeeName: operation.payee?.name,
            method: challenge.verification.method, channel: challenge.verification.channel, rejectionReason: nil)
    }
}

internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The limits of operations: those that could not be carried out, and too many at once, are refused before the person is asked.
extension RequestedOperations {
    /// Why an operation cannot be requested; `nil` if it can.
    func refusal(
        of operation: WalletOperation, account: UniqueID, session: UniqueID, client: ClientID, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> WalletOperationRefusal? {
        let open = try WalletOperations.open(
            of: account, session: session, client: client.rawValue, now: now, on: connection)
        let unfinished = try WalletOperations.unfinished(
            of: account, session: session, client: client.rawValue, within: SCALimits.eventLifetime, now: now,
            on: connection)
        var shares = [
            (open.ofSession, SCALimits.openOperationsOfSession),
            (unfinished.ofSession, SCALimits.unfinishedOperationsOfSession),
        ]
        // No matter how many operations thieves have open in their sessions, the holder can revoke what is exempt from consent.
        if ![.endSeries, .distrustPayee].contains(operation.type) {
            shares += [(open.all, SCALimits.openOperations), (unfinished.all, SCALimits.unfinishedOperations)]
        }
        for (share, most) in shares where share.count >= most {
            return .tooManyOpen(retryAfter: RetryAfter.seconds(until: share.firstEnd, now: now))
        }
        if operation.type == .trustPayee, let payee = operation.payee,
            try isListFull(for: payee, account: account, client: client.rawValue, on: connection)
        {
            return .trustedPayeesFull
        }
        if operation.type == .distrustPayee, let payee = operation.payee,
            try listed(payee, of: account, client: client.rawValue, on: connection).isEmpty
        {
            return .trustedPayeeNotFound
        }
        if operation.type == .endSeries {
            guard let name = operation.endedSeries,
                try series(name, of: account, client: client.rawValue, on: connection) != nil
            else { return .seriesNotFound }
        }
        return nil
    }

    /// Why a verified operation cannot be carried out; `nil` if it can. The situation may have changed since the request.
    func refusalOfUse(
        _ record: WalletOperationRecord, _ content: OperationContent, on connection: any SQLConnection
    ) throws -> WalletOperationRefusal? {
        let operation = content.payload.operation
        if record.decision == .required, operation.type == .trustPayee, let payee = operation.payee,
            try isListFull(for: payee, account: record.accountID, client: record.clientID, on: connection)
        {
            return .trustedPayeesFull
        }
        if operation.type == .distrustPayee, let payee = operation.payee,
            try listed(payee, of: record.accountID, client: record.clientID, on: connection).isEmpty
        {
            return .trustedPayeeNotFound
        }
        if record.decision == .exempt(.recurring) {
            guard let request = try? WalletOperationRequest(JSONValue.object(parsing: content.request)),
                let name = request.grounds.series,
                let first = try series(name, of: record.accountID, client: record.clientID, on: connection),
                first.endedAt == nil
            else { return .seriesEnded }
        }
        if record.decision == .exempt(.trustedBeneficiary) {
            guard let payee = operation.payee,
                try isTrusted(payee, by: record.accountID, client: record.clientID, on: connection)
            else { return .exemptionOver }
        }
        if let counted = try newCount(of: record, on: connection) {
            let history = ExemptionHistory(
                lowValueSum: counted.lowValueSum, lowValueCount: counted.lowValueCount,
                isIncomplete: counted.isIncomplete)
            guard settings.policy.exemptions.isOfLowValue(operation, history: history) else {
                return .exemptionOver
            }
        }
        return nil
    }

    /// The account's current counters, if a low-value payment was counted before the last consent reset them and has to be counted
    /// again. `nil` for any other operation.
    func newCount(
        of record: WalletOperationRecord, on connection: any SQLConnection
    ) throws -> SCAHistory.Record? {
        guard let countedIn = record.countedIn else { return nil }
        let counted = try SCAHistory.find(record.accountID, on: connection)
        return counted.consents == countedIn ? nil : counted
    }

    /// Whether the person made a payee a trusted beneficiary at a backend and has not removed it since.
    func isTrusted(
        _ payee: Payee, by account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> Bool {
        try TrustedPayees.all(of: account, client: client, on: connection).contains { isAccount(of: payee, $0) }
    }

    /// The operation that began a series; `nil` if there is none or it was never carried out.
    func series(
        _ name: WalletOperationID, of account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        guard let first = try WalletOperations.find(name.rawValue, client: client, on: connection),
            first.accountID == account, first.type == WalletOperationType.beginSeries.rawValue,
            first.decision == .required, case .used = first.event.state
        else { return nil }
        return first
    }

    /// The entries on the person's list at a backend that go when a payee is removed: all whose account looks like the payee's.
    func listed(
        _ payee: Payee, of account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> [TrustedPayees.Record] {
        let wanted = PayeeAccount(payee.account)
        return try TrustedPayees.all(of: account, client: client, on: connection).filter { known in
            vault.account(ofPayee: known).map { PayeeAccount($0).looksLike(wanted) } ?? false
        }
    }

    /// Whether a known payee has the same account.
    private func isAccount(of payee: Payee, _ known: TrustedPayees.Record) -> Bool {
        vault.account(ofPayee: known).map { PayeeAccount($0) == PayeeAccount(payee.account) } ?? false
    }

    /// Whether the list has no room for a payee. One already on the list needs no further entry.
    private func isListFull(
        for payee: Payee, account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> Bool {
        let all = try TrustedPayees.all(of: account, client: client, on: connection)
        return Int64(all.count { !isAccount(of: payee, $0) }) >= TrustedPayees.most
    }
}

internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What an operation is refused for before anybody is asked: it could not be done, or there are too many already.
extension RequestedOperations {
    /// Why an operation cannot be asked for; `nil` where it can.
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
        // Whatever thieves have open in sessions of theirs, the holder can take back what passes without consent.
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

    /// Why an operation that may be carried out is not; `nil` where it is. Things have changed since it was asked for.
    func refusalOfUse(
        _ record: WalletOperationRecord, _ content: OperationVault.Content, on connection: any SQLConnection
    ) throws -> WalletOperationRefusal? {
        let operation = content.operation.operation
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
            guard context.settings.sca.policy.exemptions.isOfLowValue(operation, history: history) else {
                return .exemptionOver
            }
        }
        return nil
    }

    /// What is counted of the account, where a consent has begun the counts anew since a payment of low value was counted: it is
    /// one of those since the last consent, and has to be counted once more. `nil` for every other operation, those among them
    /// that an earlier version asked for, for the five minutes in which they may still be carried out.
    func newCount(
        of record: WalletOperationRecord, on connection: any SQLConnection
    ) throws -> SCAHistory.Record? {
        // From before it was kept in which count it stands: it is in the one that it was asked for in, and in none twice.
        guard record.decision == .exempt(.lowValue), record.countedIn != nil else { return nil }
        let counted = try SCAHistory.find(record.accountID, on: connection)
        return counted.consents == record.countedIn ? nil : counted
    }

    /// Whether the person has made a payee a trusted beneficiary at a backend, and not taken them off the list since.
    func isTrusted(
        _ payee: Payee, by account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> Bool {
        try TrustedPayees.all(of: account, client: client, on: connection).contains { isAccount(of: payee, $0) }
    }

    /// The operation by which a person began a series; `nil` where there is none, or it was never carried out.
    func series(
        _ name: WalletOperationID, of account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        guard let first = try WalletOperations.find(name.rawValue, client: client, on: connection),
            first.accountID == account, first.type == WalletOperationType.beginSeries.rawValue,
            first.decision == .required, case .used = first.event.state
        else { return nil }
        return first
    }

    /// The entries of the person's list at a backend that a payee is taken off by: all that look like its account. A person
    /// who takes a payee off wants every spelling gone.
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

    /// Whether the list has no room for a payee. One who stands on it already takes their own place.
    private func isListFull(
        for payee: Payee, account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> Bool {
        let all = try TrustedPayees.all(of: account, client: client, on: connection)
        return Int64(all.count { !isAccount(of: payee, $0) }) >= TrustedPayees.most
    }
}

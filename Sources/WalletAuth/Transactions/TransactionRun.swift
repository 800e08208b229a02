import Foundation
import WalletAuthWire

/// One flow that signs a transaction: claim, read, confirm, sign.
struct TransactionRun: Sendable {
    let authentication: DeviceAuthentication
    let time: any TimeSource
    let steps: FlowSteps

    private static let operation = WalletError.Operation.signTransaction

    /// Signs the transaction of a QR code.
    func sign(_ link: TransactionLink, account: AccountID?) async throws -> FlowUpdate.State {
        steps.tell(.processing)
        let calls = calls(of: try await enrollment(of: account))
        let claimed: DeviceTransaction
        do { claimed = try await calls.claim(link) } catch let error as WalletError where error.code == .transactionOver
        {
            await authentication.history.settle(
                link.transactionID, error.transactionStatus, of: calls.enrollment.account)
            throw error
        }
        guard claimed.transactionID == link.transactionID else { throw Self.refused("it is another transaction") }
        return try await confirmed(claimed, calls)
    }

    /// Signs a transaction that was scanned before.
    func sign(_ open: OpenTransaction) async throws -> FlowUpdate.State {
        steps.tell(.processing)
        let enrollment = try await authentication.enrollment(of: open.details.account, during: Self.operation)
        return try await confirmed(open.transaction, calls(of: enrollment))
    }

    /// Signs a transaction that the app begins. The app has already asked the person.
    func sign(_ transaction: ClientTransaction, account: AccountID?) async throws -> FlowUpdate.State {
        steps.tell(.processing)
        let enrollment = try await authentication.enrollment(of: account, during: Self.operation)
        let calls = calls(of: enrollment)
        let begun = try await calls.begin(transaction)
        try Self.check(begun.transaction, says: transaction, of: enrollment.account)
        return try await signed(begun.transaction, nil, draft: begun.draft, calls)
    }
}

// MARK: - Steps

extension TransactionRun {
    private func enrollment(of account: AccountID?) async throws -> Enrollment {
        if let account { return try await authentication.enrollment(of: account, during: Self.operation) }
        let accounts = try await authentication.enrollments.accounts()
        guard accounts.count > 1 else { return try await authentication.enrollment(of: nil, during: Self.operation) }
        let chosen = try await steps.ask {
            .chooseAccount(UserInteraction.AccountChoice(accounts: accounts, answer: $0))
        }
        return try await authentication.enrollment(of: chosen, during: Self.operation)
    }

    private func calls(of enrollment: Enrollment) -> DeviceTransactionCalls {
        DeviceTransactionCalls(authentication: authentication, enrollment: enrollment, operation: Self.operation)
    }

    /// Shows the content, and continues once the person agrees.
    private func confirmed(
        _ claimed: DeviceTransaction, _ calls: DeviceTransactionCalls
    ) async throws -> FlowUpdate.State {
        let details: TransactionDetails
        do {
            details = TransactionDetails(payload: try TransactionPayload(claimed, of: calls.enrollment.account))
        } catch {
            throw Self.refused("\(error)")
        }
        let hash = PayloadHash.transaction(claimed.payload)
        return try await noting(expiry: details, calls) {
            let decision = try await steps.ask {
                .confirmTransaction(UserInteraction.Confirmation(details: details, answer: $0))
            }
            switch decision {
            case .rejected(let reason):
                try await calls.reject(claimed.transactionID, hash, reason)
                await note(claimed.transactionID, details, .rejected, calls, because: reason)
                return .rejected(reason)
            case .confirmed:
                let confirmed = try await calls.confirm(claimed.transactionID, hash)
                guard confirmed.payload == claimed.payload else { throw Self.refused("the server changed it") }
                return try await signed(confirmed, details, draft: nil, calls)
            }
        }
    }

    /// Asks for the second factor until it has signed.
    private func signed(
        _ transaction: DeviceTransaction, _ details: TransactionDetails?, draft: TransactionDraft?,
        _ calls: DeviceTransactionCalls
    ) async throws -> FlowUpdate.State {
        let signature = SignatureRun(transaction: transaction, draft: draft, calls: calls, time: time)
        var question = try await SecondFactorQuestion(transaction, on: calls)
        while true {
            let asked = question
            guard !asked.allowed.isEmpty else { throw asked.unavailable }
            let proof = try await steps.ask {
                .verifySecondFactor(
                    UserInteraction.SecondFactor(
                        allowed: asked.allowed, remainingAttempts: asked.remainingAttempts, fault: asked.fault,
                        details: details, answer: $0))
            }
            do {
                try asked.require(proof.factor)
                try await signature.submit(proof, after: asked.fault)
            } catch {
                if signature.wasSent, error.leavesSignatureOpen {
                    await note(transaction.transactionID, details, .unconfirmed, calls, by: proof.factor)
                }
                guard let error = error as? WalletError else { throw error }
                try question.note(error)
                continue
            }
            await note(transaction.transactionID, details, .approved, calls, by: proof.factor)
            return .done(
                SignedTransaction(
                    id: transaction.transactionID, account: calls.enrollment.account, secondFactor: proof.factor,
                    payload: Data(transaction.payload), details: details))
        }
    }

    /// Records in the history that a transaction expired during a part of its flow.
    private func noting(
        expiry details: TransactionDetails, _ calls: DeviceTransactionCalls,
        _ part: () async throws -> FlowUpdate.State
    ) async throws -> FlowUpdate.State {
        do { return try await part() } catch {
            var isExpired = authentication.clock.now >= Instant(details.expiresAt)
            if let error = error as? WalletError, error.code == .transactionOver {
                await authentication.history.settle(details.id, error.transactionStatus, of: calls.enrollment.account)
                isExpired = error.transactionStatus == .expired
            }
            if isExpired { await note(details.id, details, .expired, calls) }
            throw error
        }
    }

    private func note(
        _ id: TransactionID, _ details: TransactionDetails?, _ outcome: HistoryEntry.Outcome,
        _ calls: DeviceTransactionCalls, by factor: TransactionFactor? = nil, because reason: RejectionReason? = nil
    ) async {
        let history = authentication.history
        await history.note(
            HistoryEntry(
                id, details, of: calls.enrollment.account, outcome, at: history.now, by: factor, because: reason))
    }

    /// Compares a draft with what the app asked to sign.
    private static func check(
        _ begun: DeviceTransaction, says asked: ClientTransaction, of account: AccountID
    ) throws {
        let payload: ClientTransactionPayload
        do { payload = try ClientTransactionPayload(parsing: begun.payload) } catch { throw refused("\(error)") }
        func hash(_ data: Data?) -> TransactionDataHash? {
            data.flatMap { $0.isEmpty ? nil : TransactionDataHash(of: $0) }
        }
        guard payload.transactionID == begun.transactionID, payload.account == account,
            payload.clientStateHash == hash(asked.clientState),
            payload.clientAdditionalDataHash == hash(asked.clientAdditionalData),
            payload.requiredSecondFactor == asked.requiredSecondFactorType
        else { throw refused("it is not the one the app started") }
    }

    private static func refused(_ reason: String) -> WalletError {
        WalletError(
            .payloadRefused, .refused, during: operation, reachedServer: true,
            reason: "the transaction cannot be shown, and was not signed: \(reason)")
    }
}

extension Error {
    /// Whether a signature that was sent may have arrived all the same.
    fileprivate var leavesSignatureOpen: Bool {
        guard let error = self as? WalletError else { return true }
        return switch error.outcome {
        case .offline, .temporarilyUnavailable, .misconfigured: true
        default: false
        }
    }
}

extension TransactionPayload {
    /// The bytes that a device received, parsed and compared with the rest of the answer.
    /// - Throws: `MalformedValue`.
    init(_ transaction: DeviceTransaction, of account: AccountID) throws {
        try self.init(parsing: transaction.payload)
        guard transactionID == transaction.transactionID, self.account == account, expiresAt == transaction.expiresAt
        else { throw MalformedValue(field: "payload", reason: "belongs to another transaction") }
    }
}

import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The calls with which a device lists what waits, and approves or refuses what another session requested (protocol section 4).
struct ApprovalCalls: Sendable {
    let authentication: DeviceAuthentication
    let enrollment: Enrollment
    let operation: WalletError.Operation

    /// The maximum number of pages in the list. A page holds 100.
    static let maximumPages = 20

    // MARK: The list

    /// Returns what waits, from all pages. What this version of the app cannot read or show is left out.
    /// - Throws: `MalformedValue` if the pages do not end.
    func pending() async throws -> [PendingApproval] {
        let factors = try await factors
        return try await entries().compactMap { entry in
            switch entry.kind {
            case .transaction: transaction(entry).map(PendingApproval.transaction)
            case .operation: payment(entry, factors).map(PendingApproval.payment)
            }
        }
    }

    private func entries() async throws -> [ApprovalEntry] {
        var entries: [ApprovalEntry] = []
        var cursor: TransactionID?
        for _ in 0..<Self.maximumPages {
            let query = cursor.map { "?cursor=\($0)" } ?? ""
            let page = try ApprovalPage(
                try await authentication.calls.send(.get, Endpoints.approvals.path + query, during: operation))
            entries += page.approvals
            guard let next = page.cursor else { return entries }
            guard next != cursor else { throw MalformedValue(field: "cursor", reason: "leads to the same page") }
            cursor = next
        }
        throw MalformedValue(field: "cursor", reason: "leads to more than \(Self.maximumPages) pages")
    }

    private func transaction(_ entry: ApprovalEntry) -> PendingTransaction? {
        let source: PendingTransaction.Source
        if let claimed = entry.transaction {
            guard claimed.transactionID == entry.id,
                let payload = try? TransactionPayload(claimed, of: enrollment.account)
            else { return nil }
            source = .claimed(OpenTransaction(details: TransactionDetails(payload: payload), transaction: claimed))
        } else {
            guard let link = try? TransactionLink(entry.link ?? ""), link.transactionID == entry.id,
                link.leads(to: authentication.issuer)
            else { return nil }
            source = .link(link, account: enrollment.account)
        }
        return PendingTransaction(id: entry.id, expiresAt: entry.expiresAt.date, source: source)
    }

    /// The content must be of this event, this operation and this account. Otherwise a person could agree to something that is not theirs.
    private func payment(_ entry: ApprovalEntry, _ factors: [TransactionFactor]) -> PendingPayment? {
        guard let payload = try? OperationPayload(toShow: entry.payload ?? []),
            payload.eventID.rawValue == entry.id.rawValue, payload.operationID == entry.operationID,
            payload.account == enrollment.account
        else { return nil }
        let ways = entry.allowedSecondFactors.filter(factors.contains).map { factor -> SCA.Verification in
            switch factor {
            case .pin: .devicePIN
            case .biometric: .deviceBiometric
            }
        }
        return PendingPayment(entry, payload, by: ways)
    }

    /// The factors that this device still has.
    private var factors: [TransactionFactor] {
        get async throws {
            var factors: [TransactionFactor] = []
            if try await authentication.hasPIN(enrollment) { factors.append(.pin) }
            if enrollment.presenceKeyID != nil { factors.append(.biometric) }
            return factors
        }
    }

    // MARK: The decision

    /// Approves a payment by the answer to one of its ways.
    func approve(_ payment: PendingPayment, with answer: SCA.Answer) async throws -> SCA.Attempt {
        let way: SCA.Verification
        let attempt: SCA.Attempt
        switch answer.kind {
        case .signature(let own, let prove):
            way = own
            attempt = try await prove(try signing(payment))
        case .biometrics(let reason):
            way = .deviceBiometric
            let challenge = try await challenge(for: payment)
            attempt = try await signing(payment).signed(
                by: challenge.challengeID, nonce: challenge.nonce, reason: reason)
        case .code, .passkey, .page, .elsewhere, .resend, .instead, .refuse, .disown:
            throw WalletError(
                .badRequest, .misconfigured, during: operation,
                reason: "a pending payment takes .biometrics(reason:), or .pin(_:) of WalletAuthPIN")
        }
        if attempt.status == .verified {
            let history = authentication.history
            await history.note(HistoryEntry(payment.id.rawValue, payment.operation, by: way, at: history.now))
        }
        return attempt
    }

    /// Ends a payment that the person did not start. Cancelling the caller's task does not keep that from the server.
    func reject(_ payment: PendingPayment) async throws {
        let (event, operationID) = try ids(of: payment)
        _ = try await Task { [authentication, operation] in
            try await authentication.calls.send(
                .post, Endpoints.approvalRefusal.path(event), SCARefusalRequest(operationID: operationID).json,
                // What is refused stays refused, so a lost response can be requested again.
                idempotencyKey: Randomness.token(), during: operation)
        }.value
    }

    private func signing(_ payment: PendingPayment) throws -> DeviceSigning<SCA.Attempt> {
        let (event, operationID) = try ids(of: payment)
        guard let transaction = event.transactionID, let payload = payment.entry.payload else {
            throw MalformedValue(field: "id", reason: "cannot be signed")
        }
        return DeviceSigning<SCA.Attempt>(
            authentication: authentication, enrollment: enrollment, act: .sca(transaction, .operation(payload)),
            operation: operation
        ) { [authentication, operation] assertion in
            let request = ApprovalAttempt(operationID: operationID, assertion: assertion)
            return SCA.Attempt(
                try SCAAttemptResponse(
                    try await authentication.calls.send(
                        .post, Endpoints.approvalAttempts.path(event), request.json,
                        // The device that approved gets the same response again.
                        idempotencyKey: Randomness.token(), during: operation)))
        }
    }

    /// A fresh challenge for the biometric key: that of the list may have aged or been used.
    private func challenge(for payment: PendingPayment) async throws -> ChallengeResponse {
        guard let fresh = try await entries().first(where: { $0.id == payment.id }) else {
            throw WalletError(
                .eventNotFound, .refused, during: operation, reachedServer: true,
                reason: "the payment no longer waits for an approval on this device")
        }
        guard fresh.payload == payment.entry.payload else {
            throw WalletError(
                .operationMismatch, .refused, during: operation, reachedServer: true,
                reason: "the server changed the payment")
        }
        guard let challenge = fresh.challenge else {
            throw WalletError(
                .biometricsNotEnabled, .refused, during: operation,
                reason: "the server does not accept face or fingerprint of this device: ask for the PIN")
        }
        return challenge
    }

    private func ids(of payment: PendingPayment) throws -> (SCAEventID, WalletOperationID) {
        (try SCAEventID(payment.id.rawValue), try WalletOperationID(payment.operation.walletOperationID))
    }
}

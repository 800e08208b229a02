import WalletAuthTransport
import WalletAuthWire

/// Signs one confirmed transaction with the second factor that the person chose, as often as they are asked.
struct SignatureRun: Sendable {
    private let transaction: DeviceTransaction
    private let signing: DeviceSigning<DeviceTransaction>
    private let calls: DeviceTransactionCalls
    private let time: any TimeSource
    /// When the transaction's challenge arrived, in uptime.
    private let began: Duration
    private let sent: LockedValue<Bool>

    /// Whether the last answer sent a signature, which may have arrived.
    var wasSent: Bool { sent.withLock { $0 } }

    /// - Parameter draft: the draft, if the app began the transaction.
    init(
        transaction: DeviceTransaction, draft: TransactionDraft?, calls: DeviceTransactionCalls, time: any TimeSource
    ) {
        let id = transaction.transactionID
        self.transaction = transaction
        self.calls = calls
        self.time = time
        began = time.uptime()
        let sent = LockedValue(false)
        self.sent = sent
        signing = DeviceSigning<DeviceTransaction>(
            authentication: calls.authentication, enrollment: calls.enrollment,
            act: .transaction(id, .transaction(transaction.payload)), draft: draft, operation: calls.operation
        ) { assertion in
            sent.withLock { $0 = true }
            return if let draft {
                try await calls.store(draft, by: assertion)
            } else {
                try await calls.sign(id, by: assertion)
            }
        }
    }

    /// Signs, and has the server store the signature.
    /// - Parameter fault: the fault of the last answer; nil for the first.
    /// - Throws: ``WalletError``; `MalformedValue` if the server's answer is not that of a signed transaction.
    func submit(
        _ proof: UserInteraction.SecondFactor.Proof, after fault: UserInteraction.SecondFactor.Fault?
    ) async throws {
        sent.withLock { $0 = false }
        let signed: DeviceTransaction
        switch proof {
        case .signature(let prove):
            signed = try await WalletError.during(signing.operation) { try await prove(signing) }
        case .biometrics(let reason):
            let challenge = try await challenge(after: fault)
            signed = try await WalletError.during(signing.operation) {
                try await signing.signed(by: challenge.challengeID, nonce: challenge.nonce, reason: reason)
            }
        }
        guard signed.status == .signed, signed.transactionID == transaction.transactionID else {
            throw MalformedValue(field: "status", reason: "is not SIGNED")
        }
    }

    /// The challenge for a biometric signature. It may have aged while the person tried a PIN or looked away, so the
    /// transaction is confirmed again for a new one. A draft expires with its own.
    private func challenge(after fault: UserInteraction.SecondFactor.Fault?) async throws -> ChallengeResponse {
        let hasAged = transaction.challenge.map { $0.hasAged(after: time.uptime() - began) } ?? true
        let fresh =
            signing.draft == nil && (fault != nil || hasAged)
            ? try await calls.confirm(transaction.transactionID, .transaction(transaction.payload)) : transaction
        guard let challenge = fresh.challenge else { throw MalformedValue(field: "challenge", reason: "is missing") }
        return challenge
    }
}

extension UserInteraction.SecondFactor.Proof {
    /// The factor that it proves.
    var factor: TransactionFactor {
        switch self {
        case .signature: .pin
        case .biometrics: .biometric
        }
    }
}

extension ChallengeResponse {
    /// Whether it may expire before the device has checked for its owner and the signature has arrived.
    fileprivate func hasAged(after time: Duration) -> Bool { time > .seconds(expiresIn) / 2 }
}

import WalletAuthWire

/// The question for the second factor, and its changes from answer to answer.
package struct SecondFactorQuestion: Sendable {
    /// The factors that are left.
    package private(set) var allowed: [TransactionFactor]
    package private(set) var remainingAttempts: Int?
    /// Why the last answer did not sign.
    package private(set) var fault: UserInteraction.SecondFactor.Fault?
    private let operation: WalletError.Operation
    /// What the device lacks if it has none of the factors that the server named.
    private let shortage: SecondFactorShortage?
    /// Whether face or fingerprint would sign if the device's set of them had not changed.
    private let isPresenceKeyLost: Bool
    /// Whether face or fingerprint would sign if the PIN were not due.
    private let isBiometricsBarred: Bool

    /// The factors that the transaction allows, the server knows and this device still has.
    init(_ transaction: DeviceTransaction, on calls: DeviceTransactionCalls) async throws {
        let hasPIN = try await calls.authentication.hasPIN(calls.enrollment)
        let hasPresenceKey = calls.enrollment.presenceKeyID != nil
        let isPINDue =
            hasPresenceKey ? try await calls.authentication.biometricLimit.isDue(for: calls.enrollment) : false
        allowed = transaction.allowedSecondFactors.filter { factor in
            switch factor {
            case .pin: hasPIN
            case .biometric: hasPresenceKey && !isPINDue && transaction.challenge != nil
            }
        }
        isPresenceKeyLost =
            calls.enrollment.hasLostPresenceKey == true && transaction.allowedSecondFactors.contains(.biometric)
        operation = calls.operation
        isBiometricsBarred = isPINDue && transaction.allowedSecondFactors.contains(.biometric)
        shortage = RequiredSecondFactor.allCases.first { $0.allowed == Set(transaction.allowedSecondFactors) }
            .map { SecondFactorShortage(required: $0, pin: $0.allowed.contains(.pin) ? .notSet : nil) }
    }

    /// The error if no factor is left.
    package var unavailable: WalletError {
        guard !isPresenceKeyLost else { return DeviceAuthentication.presenceKeyLost(operation) }
        guard !isBiometricsBarred else { return BiometricLimit.pinRequired(operation) }
        return WalletError(
            .secondFactorUnavailable, .refused, during: operation, secondFactorShortage: shortage,
            reason: "this device has none of the factors that the transaction allows")
    }

    func require(_ factor: TransactionFactor) throws {
        guard allowed.contains(factor) else {
            throw WalletError(
                .badRequest, .misconfigured, during: operation, reachedServer: false,
                reason: "the answer is not one of the allowed factors")
        }
    }

    /// Records why an answer did not sign.
    /// - Throws: the error, if asking again would not help.
    package mutating func note(_ error: WalletError) throws {
        switch (error.code, error.outcome) {
        case (.invalidCredentials, _) where error.remainingAttempts != nil:
            remainingAttempts = error.remainingAttempts
            fault = .pinFailed
        case (.badRequest, .refused) where !error.reachedServer: fault = .pinMalformed
        case (.cancelledByPerson, _): fault = .biometricsDeclined
        case (.pinRequired, _): try drop(.biometric, .pinRequired, error)
        case (.biometricsLockedOut, _): try drop(.biometric, .biometricsLockedOut, error)
        case (.biometricsNotEnabled, _), (_, .keyLost(recovery: .enableBiometricsAgain)):
            try drop(.biometric, .biometricsRemoved, error)
        case (.pinNotSet, _), (.pinServerKeyChanged, _), (_, .keyLost(recovery: .setPINAgain)):
            try drop(.pin, .pinRemoved, error)
        default: throw error
        }
    }

    private mutating func drop(
        _ factor: TransactionFactor, _ fault: UserInteraction.SecondFactor.Fault, _ error: WalletError
    ) throws {
        allowed.removeAll { $0 == factor }
        guard !allowed.isEmpty else { throw error }
        self.fault = fault
    }
}

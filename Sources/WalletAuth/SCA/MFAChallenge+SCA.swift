import WalletAuthWire

/// A sign-in's second factor in the terms of a payment's consent, so that an app can ask for both on the same screen.
extension MFAChallenge {
    /// This factor; nil for a secret question and for a recovery code, which no consent asks for.
    public var verification: SCA.Verification? { SCA.Verification(method, channel) }

    /// This factor, and the others that the person may use instead, as far as a consent has them too.
    public var availableVerifications: [SCA.AvailableVerification] {
        let others = alternatives.map { SCA.AvailableVerification($0.verification, destination: $0.destination) }
        return ([SCA.AvailableVerification(verification, destination: destination)] + others).compactMap { $0 }
    }

    /// Switches to another factor, like ``choose(_:)``.
    /// - Parameter verification: the way of one of the ``availableVerifications``, except this factor's own.
    /// - Returns: ``LoginOutcome/mfaRequired(_:)`` with the other factor.
    /// - Throws: ``WalletError``; `verification_unavailable` if the person has no such factor.
    public func choose(verification: SCA.Verification) async throws -> LoginOutcome {
        guard let other = alternatives.first(where: { $0.verification == verification }) else {
            throw WalletError(
                .verificationUnavailable, .refused, during: continuation.attempt.operation,
                reason: "the person cannot use this factor instead")
        }
        return try await choose(other)
    }
}

extension MFAChallenge.Alternative {
    /// This factor in the terms of a payment's consent; nil for a secret question and for a recovery code.
    public var verification: SCA.Verification? { SCA.Verification(method, channel) }
}

extension SCA.Verification {
    fileprivate init?(_ method: String, _ channel: String?) {
        switch FactorKind(method: method, channel: channel) {
        case .sms: self = .sms
        case .email: self = .email
        case .totp: self = .authenticator
        case .secretQuestion, .recoveryCode, nil: return nil
        }
    }
}

extension SCA.AvailableVerification {
    fileprivate init?(_ verification: SCA.Verification?, destination: String?) {
        guard let verification else { return nil }
        self.init(verification, destination: destination)
    }
}

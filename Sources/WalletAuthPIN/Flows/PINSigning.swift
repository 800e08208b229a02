public import WalletAuth
import WalletAuthWire

extension PINDevice {
    /// An assertion that uses one of the PIN's attempts.
    struct Attempt: Sendable {
        let assertion: SignedAssertion
        /// Whether it uses the last one, so that a wrong PIN locks.
        let isLast: Bool
    }

    /// The assertion of an act by the PIN.
    func assertion(_ act: DeviceAssertion.Act, by pin: PIN) async throws -> SignedAssertion {
        try await attempt(act, by: pin).assertion
    }

    func attempt(_ act: DeviceAssertion.Act, by pin: PIN, draft: TransactionDraft? = nil) async throws -> Attempt {
        let use = try PINUse(act)
        let present = try await PresentPIN(device: self, pin: pin, draft: draft).evaluate { .use(use, $0) }
        let assertion = try await authentication.assertion(
            act, factor: .pin(present.epoch), challenge: present.answer.challengeID, nonce: present.answer.nonce,
            of: enrollment, by: [present.key], during: operation)
        return Attempt(assertion: assertion, isLast: present.answer.present?.attemptsLeft == 0)
    }
}

extension DeviceSigning {
    /// Signs the act with the device's key and the PIN's key, and submits the assertion.
    ///
    /// - Parameters:
    ///   - digits: the PIN in use as typed. A wrong one uses an attempt.
    ///   - verdict: what an answer says about the PIN.
    fileprivate func signed(
        byPIN digits: String, verdict: @escaping @Sendable (Answer) -> PINVerdict = { _ in .right }
    ) async throws -> Answer {
        let pin = try PIN(signing: digits, during: operation)
        let device = PINDevice(authentication, enrollment, during: operation)
        // A concurrent evaluation would invalidate this one, whose attempt is then lost.
        return try await device.alone {
            let attempt = try await device.attempt(act, by: pin, draft: draft)
            return try await device.noting(isLastAttempt: attempt.isLast, verdict: verdict) {
                try await submit(attempt.assertion)
            }
        }
    }
}

extension UserInteraction.SecondFactor {
    /// Signs with this device's PIN.
    ///
    /// The PIN's key and the device's key sign the hash of the displayed bytes. Neither the PIN nor anything derived
    /// from it is stored or sent. A wrong PIN uses one of five attempts, and the flow asks again with `pinFailed`.
    ///
    /// - Parameter digits: the PIN as the person typed it.
    public func pin(_ digits: String) {
        sign { try await $0.signed(byPIN: digits) }
    }
}

extension ElsewhereSignIn.Approval {
    /// Approves with this device's PIN.
    ///
    /// The PIN's key and the device's key sign the hash of the displayed bytes. Neither the PIN nor anything derived
    /// from it is stored or sent. A wrong PIN uses one of five attempts; call again with another.
    ///
    /// - Parameter digits: the PIN as the person typed it.
    /// - Throws: `WalletError`: `invalid_credentials` with the attempts left, `pin_locked`, `scan_expired`, `offline` …
    public func approve(pin digits: String) async throws {
        try await approve { try await $0.signed(byPIN: digits) }
    }
}

extension SCA.Answer {
    /// Answers `.devicePIN` with this device's PIN.
    ///
    /// The PIN's key and the device's key sign the event and the hash of the displayed bytes. Neither the PIN nor
    /// anything derived from it is stored or sent. A wrong PIN uses one of its five attempts, and one of the event's.
    /// The PIN's last one locks it; if that ends the event as well, the error `data_error` has a `pinLockReason`.
    ///
    /// - Parameter digits: the PIN as the person typed it.
    public static func pin(_ digits: String) -> SCA.Answer {
        .signature(of: .devicePIN) {
            try await $0.signed(byPIN: digits) {
                switch $0.statusReason {
                case .valid, .additionalFactorRequired: .right
                case .invalidValue: .wrong
                case .codeExpired, .codeUsed, .notChallenged: .unknown
                }
            }
        }
    }
}

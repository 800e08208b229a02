public import WalletAuth
import WalletAuthWire

extension PINDevice {
    /// The assertion of an act by the PIN.
    func assertion(
        _ act: DeviceAssertion.Act, by pin: PIN, draft: TransactionDraft? = nil
    ) async throws -> SignedAssertion {
        let use = try PINUse(act)
        let present = try await PresentPIN(device: self, pin: pin, draft: draft).evaluate { .use(use, $0) }
        return try await authentication.assertion(
            act, factor: .pin(present.epoch), challenge: present.answer.challengeID, nonce: present.answer.nonce,
            of: enrollment, by: [present.key], during: operation)
    }

    /// Signs an act with the device's key and the PIN's key, and submits the assertion.
    ///
    /// - Parameters:
    ///   - act: the act to sign.
    ///   - pin: the PIN in use. A wrong one uses an attempt.
    ///   - draft: the draft, if the act signs a transaction that the app started.
    ///   - isRight: whether an answer says that the PIN was right.
    ///   - submit: submits the assertion.
    func signed<Answer: Sendable>(
        _ act: DeviceAssertion.Act, by pin: PIN, draft: TransactionDraft? = nil,
        isRight: @escaping @Sendable (Answer) -> Bool = { _ in true },
        _ submit: @escaping @Sendable (SignedAssertion) async throws -> Answer
    ) async throws -> Answer {
        let device = self
        // A concurrent evaluation would invalidate this one, whose attempt is then lost.
        return try await alone {
            let assertion = try await device.assertion(act, by: pin, draft: draft)
            return try await device.noting(isRight: isRight) { try await submit(assertion) }
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
        sign { signing in
            let pin = try PIN(signing: digits, during: signing.operation)
            let device = PINDevice(signing.authentication, signing.enrollment, during: signing.operation)
            return try await device.signed(signing.act, by: pin, draft: signing.draft) { try await signing.submit($0) }
        }
    }
}

extension SCA.Answer {
    /// Answers `.devicePIN` with this device's PIN.
    ///
    /// The PIN's key and the device's key sign the event and the hash of the displayed bytes. Neither the PIN nor
    /// anything derived from it is stored or sent. A wrong PIN uses one of its five attempts, and one of the event's.
    ///
    /// - Parameter digits: the PIN as the person typed it.
    public static func pin(_ digits: String) -> SCA.Answer {
        .signature(of: .devicePIN) { signing in
            let pin = try PIN(signing: digits, during: signing.operation)
            let device = PINDevice(signing.authentication, signing.enrollment, during: signing.operation)
            return try await device.signed(
                signing.act, by: pin,
                isRight: { $0.status == .verified || $0.statusReason == .additionalFactorRequired }
            ) { try await signing.submit($0) }
        }
    }
}

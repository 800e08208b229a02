package import Core
internal import Crypto
package import WalletAuthWire

/// An evaluation that was issued, and the assertion expected for it. Each enrollment has at most one open challenge.
package struct PINChallenge: Hashable, Sendable {
    package var id: ChallengeID
    /// The assertion repeats it.
    package var nonce: Nonce
    package var deviceID: DeviceID
    package var subject: Subject
    /// The `Idempotency-Key` of the request that opened it.
    package var idempotencyKey: IdempotencyKey
    /// ``digest(of:)`` of that request.
    package var requestDigest: [UInt8]
    package var expiresAt: Timestamp
    package var state = State.open

    /// The purpose of a challenge.
    package enum Subject: Hashable, Sendable {
        /// An act with the PIN in use.
        case use(PINUse, PINEpoch)
        /// Sets a PIN, with its new epoch.
        case enroll(PINEpoch)
        /// Changes the PIN from the old epoch to the new one.
        case change(PINEpoch, to: PINEpoch)
    }

    /// A challenge leaves ``open`` once.
    package enum State: Hashable, Sendable {
        case open
        /// The assertion was correct. The value is the keyed digest of its payload; a repetition gets the same result.
        case used([UInt8])
        case failed(Failure)
        /// A newer challenge replaced it.
        case abandoned
    }

    /// The answer to a wrong PIN.
    package struct Failure: Hashable, Sendable {
        /// The keyed digest of the assertion's payload; a repetition gets the same result.
        package var payloadDigest: [UInt8]
        /// The attempts left; `nil` if this was the last one and locked the PIN.
        package var triesLeft: Int?
    }

    /// Identifies a request: SHA-256 over every field in canonical form. The signature is excluded, because one key
    /// makes many over the same request.
    package static func digest(of request: PINEvaluationRequest) -> [UInt8] {
        Array(SHA256.hash(data: request.withoutDraft.json.bytes))
    }
}

extension PINChallenge {
    /// The answer to a request with a valid signature whose `Idempotency-Key` opened this challenge before.
    package enum Repetition: Hashable, Sendable {
        /// The same request: return the sealed answer without a new charge.
        case sameAnswer
        case refused(PINRefusal)
    }

    package func repetition(of request: PINEvaluationRequest, now: Timestamp) -> Repetition {
        guard request.deviceID == deviceID, Self.digest(of: request) == requestDigest else {
            return .refused(.idempotencyMismatch)
        }
        switch state {
        case .open where now < expiresAt: return .sameAnswer
        case .open, .used, .failed, .abandoned: return .refused(.challengeOver)
        }
    }
}

/// The stored keys that must have signed a challenge's assertion.
package struct PINVerificationKeys: Hashable, Sendable {
    package var device: JWK
    /// The PIN keys of the epochs in use or being set. A key being set comes with the request.
    package var pins: [PINEpoch: JWK]
    /// The key being set as it will be stored.
    package var sealed: [UInt8]?
}

/// The result of verifying an assertion.
package enum PINVerification: Hashable, Sendable {
    /// Correct. One write ends the challenge and stores the new PIN.
    case proven(DevicePIN, payloadDigest: [UInt8])
    /// The assertion that was correct before. Return the stored result; nothing changes.
    case repeated
    /// The assertion whose PIN was wrong before. Return the stored result; nothing changes.
    case repeatedFailure(PINChallenge.Failure)
    /// Signed by the device, with a wrong PIN. One write ends the challenge and stores the PIN, which keeps the charge.
    case wrongPIN(DevicePIN, [DevicePIN.End], PINChallenge.Failure)
    /// The challenge was still open, but had expired. One write ends it and stores the PIN, so that no assertion succeeds after this one
    /// was refused as late.
    case late(DevicePIN, [DevicePIN.End], JOSEError)
    /// Nothing changes.
    case refused(JOSEError)
}

extension PINChallenge {
    /// Verifies an assertion.
    /// - Parameters:
    ///   - digests: the keyed digests of its payload, the present key's first. The payload names the PIN key, so an
    ///     unkeyed digest would let a thief of the database verify guesses of the PIN.
    ///   - act: the subject of the request, as the server knows it. It must match both the challenge and the assertion.
    package func verify(
        _ assertion: PresentedAssertion, digests: [[UInt8]], of account: AccountID, audience: Issuer,
        act: DeviceAssertion.Act, keys: PINVerificationKeys, pin: DevicePIN, now: Timestamp
    ) -> PINVerification {
        let result = verification(
            assertion, digests: digests, of: account, audience: audience, act: act, keys: keys, pin: pin, now: now)
        guard case .refused(let error) = result, state == .open, now >= expiresAt else { return result }
        let (next, ends) = pin.failing(now: now)
        return .late(next, ends, error)
    }

    private func verification(
        _ assertion: PresentedAssertion, digests: [[UInt8]], of account: AccountID, audience: Issuer,
        act: DeviceAssertion.Act, keys: PINVerificationKeys, pin: DevicePIN, now: Timestamp
    ) -> PINVerification {
        guard fits(act), brings(act, keys) else { return .refused(.unknownKey) }
        let expectation = PresentedAssertion.Expectation(
            audience: audience, account: account, deviceID: deviceID, factor: .pin(subject.asserted),
            challengeID: id, nonce: nonce, act: act)
        if isRepeatedChange(assertion, digests, for: expectation, keys: keys, now: now) { return .repeated }
        if let failure = repeatedFailure(assertion, digests, for: expectation, keys: keys, now: now) {
            return .repeatedFailure(failure)
        }
        guard let parties = keys.assertionKeys(for: subject), let digest = digests.first else {
            return .refused(.unknownKey)
        }
        let verdict = assertion.verdict(
            keys: parties, for: expectation, now: NumericDate(clamping: now.seconds))
        switch (verdict, state) {
        case (.refused(let error), _): return .refused(error)
        case (.proven, .used(let used)) where digests.contains(used): return .repeated
        case (_, .used), (_, .failed), (_, .abandoned): return .refused(.claim(name: "cid", .mismatch))
        case (_, .open) where now >= expiresAt: return .refused(.claim(name: "cid", .expired))
        case (.wrongSecondFactor, .open):
            let (next, ends) = subject.charged == nil ? (pin, []) : pin.failing(now: now)
            let isOver = subject.charged == nil || ends.contains(.locked)
            return .wrongPIN(
                next, ends, Failure(payloadDigest: digest, triesLeft: isOver ? nil : next.triesLeft(at: now)))
        case (.proven, .open):
            guard let next = pin.succeeding(self, newKey: keys.sealed, now: now) else {
                return .refused(.claim(name: "epoch", .mismatch))
            }
            return .proven(next, payloadDigest: digest)
        }
    }

    /// Whether a successful change is repeated because its answer was lost. The old key, which signed it, was deleted
    /// with its epoch. The digest shows that it signed this payload, and the device and the new key are verified again.
    private func isRepeatedChange(
        _ assertion: PresentedAssertion, _ digests: [[UInt8]], for expectation: PresentedAssertion.Expectation,
        keys: PINVerificationKeys,
        now: Timestamp
    ) -> Bool {
        guard case .change(let old, let new) = subject, case .used(let used) = state, digests.contains(used),
            keys.pins[old] == nil, let newKey = keys.pins[new]
        else { return false }
        return assertion.isRepetition(
            keys: AssertionKeys(device: keys.device, seconds: newKey), for: expectation,
            now: NumericDate(clamping: now.seconds))
    }

    /// The stored answer to a wrong PIN, if the device repeats the same payload. The second signature is not verified:
    /// the last wrong PIN locked its key, so there may be none, and an answer that depended on it would be another
    /// attempt.
    private func repeatedFailure(
        _ assertion: PresentedAssertion, _ digests: [[UInt8]], for expectation: PresentedAssertion.Expectation,
        keys: PINVerificationKeys, now: Timestamp
    ) -> Failure? {
        guard case .failed(let failure) = state, digests.contains(failure.payloadDigest),
            assertion.isSigned(byDevice: keys.device, for: expectation, now: NumericDate(clamping: now.seconds))
        else { return nil }
        return failure
    }

    /// Whether the assertion signs the key in the request, if the request has one.
    private func brings(_ act: DeviceAssertion.Act, _ keys: PINVerificationKeys) -> Bool {
        switch act {
        case .enroll(let hash), .pinChange(let hash):
            keys.pins[subject.asserted].map { PayloadHash.key($0.thumbprint) == hash } ?? false
        case .login, .sca, .transaction, .reject, .biometric: true
        }
    }

    /// Whether the request matches the purpose of the challenge. The key of a new PIN is not known when the challenge
    /// is opened; the request names it, and the assertion signs it.
    private func fits(_ act: DeviceAssertion.Act) -> Bool {
        switch (subject, act) {
        case (.use(let use, _), _): use.act == act
        case (.enroll, .enroll), (.change, .pinChange): true
        case (.enroll, _), (.change, _): false
        }
    }
}

extension PINChallenge.Subject {
    /// The epoch that the assertion names; for a PIN being set or changed, the new one.
    package var asserted: PINEpoch {
        switch self {
        case .use(_, let epoch), .enroll(let epoch), .change(_, let epoch): epoch
        }
    }

    /// The epoch that was charged an attempt.
    package var charged: PINEpoch? {
        switch self {
        case .use(_, let epoch), .change(let epoch, _): epoch
        case .enroll: nil
        }
    }

    var setsPIN: Bool {
        switch self {
        case .use: false
        case .enroll, .change: true
        }
    }

    /// The state after the right assertion.
    func succeeding(_ state: PINState) -> PINState? {
        switch self {
        case .use(_, let epoch): state.succeeding(epoch: epoch)
        case .enroll(let epoch): state.promoting(epoch)
        case .change(let old, let new): state.active == old ? state.promoting(new) : nil
        }
    }
}

extension PINVerificationKeys {
    fileprivate func assertionKeys(for subject: PINChallenge.Subject) -> AssertionKeys? {
        guard let asserted = pins[subject.asserted] else { return nil }
        switch subject {
        case .use, .enroll: return AssertionKeys(device: device, seconds: asserted)
        case .change(let old, _): return pins[old].map { AssertionKeys(device: device, seconds: $0, asserted) }
        }
    }
}

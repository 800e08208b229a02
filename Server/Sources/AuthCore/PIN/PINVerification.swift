// The rules of device PINs (WPIN-1): attempts, challenges and assertions. Rows belong to AuthStore, requests and events
// to AuthCredentials, the account PIN to the folder AccountPIN.

package import WalletAuthWire

/// The stored keys that must have signed a challenge's assertion.
package struct PINVerificationKeys: Hashable, Sendable {
    package var device: JWK
    /// The PIN keys of the epochs in use or being set. A key being set comes with the request.
    package var pins: [PINEpoch: JWK]

    package init(device: JWK, pins: [PINEpoch: JWK]) {
        self.device = device
        self.pins = pins
    }
}

/// The result of verifying an assertion.
package enum PINVerification: Hashable, Sendable {
    /// Correct. One guarded write moves the challenge from OPEN to USED and stores the new state.
    case proven(PINState, payloadDigest: [UInt8])
    /// The assertion that was correct before. Return the stored result; nothing changes.
    case repeated
    /// The assertion whose PIN was wrong before. Return the stored result; nothing changes.
    case repeatedFailure(PINChallenge.Failure)
    /// Signed by the device, with a wrong PIN. The challenge moves from OPEN to FAILED, the charge stays, and the state
    /// becomes the new one. The answer is that of ``refused(_:)``, with the number of attempts left.
    case wrongPIN(PINState, payloadDigest: [UInt8])
    /// Nothing changes. The answer is ``PINRefusal/invalidCredentials`` and no more.
    case refused(JOSEError)
}

extension PINChallenge {
    /// Judges an assertion.
    /// - Parameters:
    ///   - digests: the keyed digests of its payload, the present key's first. The payload names the PIN key, so an
    ///     unkeyed digest would let a thief of the database verify guesses of the PIN.
    ///   - act: the subject of the request, as the server knows it. It must match both the challenge and the assertion.
    package func verify(
        _ assertion: PresentedAssertion, digests: [[UInt8]], of account: AccountID, audience: Issuer,
        act: DeviceAssertion.Act, keys: PINVerificationKeys, state: PINState, now: Timestamp
    ) -> PINVerification {
        guard fits(act), brings(act, keys) else { return .refused(.unknownKey) }
        let expectation = PresentedAssertion.Expectation(
            audience: audience, account: account, deviceID: deviceID, factor: .pin(subject.asserted),
            challengeID: id, nonce: nonce, act: act)
        if isRepeatedChange(assertion, digests, for: expectation, keys: keys, now: now) { return .repeated }
        if let failure = repeatedFailure(assertion, digests, for: expectation, keys: keys, now: now) {
            return .repeatedFailure(failure)
        }
        guard let parties = keys.assertionKeys(for: subject) else { return .refused(.unknownKey) }
        let verdict = assertion.verdict(
            keys: parties, for: expectation, now: NumericDate(clamping: now.seconds))
        guard let digest = digests.first else { return .refused(.unknownKey) }
        switch (verdict, self.state) {
        case (.refused(let error), _): return .refused(error)
        case (.proven, .used(let used)) where digests.contains(used): return .repeated
        case (_, .used), (_, .failed), (_, .abandoned): return .refused(.claim(name: "cid", .mismatch))
        case (_, .open) where now >= expiresAt: return .refused(.claim(name: "cid", .expired))
        case (.wrongSecondFactor, .open):
            return .wrongPIN(subject.charged.map(state.failing) ?? state, payloadDigest: digest)
        case (.proven, .open):
            guard let next = subject.succeeding(state) else { return .refused(.claim(name: "epoch", .mismatch)) }
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

    fileprivate func succeeding(_ state: PINState) -> PINState? {
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

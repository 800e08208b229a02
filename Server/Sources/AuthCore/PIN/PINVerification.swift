package import WalletAuthWire

/// The keys that a challenge's assertion must be signed by, as the store has them.
package struct PINVerificationKeys: Hashable, Sendable {
    /// The device's key.
    package var device: JWK
    /// The PIN key of each epoch that is in use or being set. A key that is being set comes with the request.
    package var pins: [PINEpoch: JWK]

    /// Names keys.
    /// - Parameters:
    ///   - device: the device's key.
    ///   - pins: the PIN key of each epoch.
    package init(device: JWK, pins: [PINEpoch: JWK]) {
        self.device = device
        self.pins = pins
    }
}

/// What becomes of an assertion.
package enum PINVerification: Hashable, Sendable {
    /// Right: the challenge goes from OPEN to USED by one guarded write, and the state to the one named here with it.
    case proven(PINState, payloadDigest: [UInt8])
    /// The very assertion that was right before: the stored result, and nothing changes.
    case repeated
    /// The very assertion whose PIN was wrong before: the stored result, and nothing changes.
    case repeatedFailure(PINChallenge.Failure)
    /// The device's own, with a wrong PIN: the challenge goes from OPEN to FAILED, the charge stays, and the state becomes
    /// the one named here. The sender is told what ``refused(_:)`` tells, and how many tries are left.
    case wrongPIN(PINState, payloadDigest: [UInt8])
    /// Nothing changes. ``PINRefusal/invalidCredentials`` is all that the sender is told.
    case refused(JOSEError)
}

extension PINChallenge {
    /// Decides about an assertion.
    /// - Parameters:
    ///   - assertion: the assertion, parsed.
    ///   - digests: the keyed digests of its payload, the present key's first. An unkeyed one would tell a thief of the
    ///     database which guess of a PIN is right, since the payload names the PIN key.
    ///   - account: the device's account.
    ///   - audience: this server.
    ///   - act: what the request is about, as the server knows it: an assertion is for nothing else than the challenge was
    ///     asked for *and* the request is about.
    ///   - keys: the keys by which it must be signed.
    ///   - state: where the enrollment stands.
    ///   - now: the present moment.
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

    /// Whether a change that took comes again, its answer lost. The old key, which signed it, is deleted with its epoch: it
    /// signed this very payload when that was found right, and the device and the new key still do.
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

    /// What a wrong PIN was answered by, where the same payload comes again from the device. The second signature is not looked at:
    /// the last wrong PIN locked it, so that there may be no key, and an answer that depended on it would be one more try.
    private func repeatedFailure(
        _ assertion: PresentedAssertion, _ digests: [[UInt8]], for expectation: PresentedAssertion.Expectation,
        keys: PINVerificationKeys, now: Timestamp
    ) -> Failure? {
        guard case .failed(let failure) = state, digests.contains(failure.payloadDigest),
            assertion.isSigned(byDevice: keys.device, for: expectation, now: NumericDate(clamping: now.seconds))
        else { return nil }
        return failure
    }

    /// Whether the assertion signs the very key that the request brings, where it brings one.
    private func brings(_ act: DeviceAssertion.Act, _ keys: PINVerificationKeys) -> Bool {
        switch act {
        case .enroll(let hash), .pinChange(let hash):
            keys.pins[subject.asserted].map { PayloadHash.key($0.thumbprint) == hash } ?? false
        case .login, .sca, .transaction, .reject, .biometric: true
        }
    }

    /// Whether the request is about what the challenge was asked for. The key that a PIN is set to is not known when the
    /// challenge is opened; the request names it, and the assertion signs it.
    private func fits(_ act: DeviceAssertion.Act) -> Bool {
        switch (subject, act) {
        case (.use(let use, _), _): use.act == act
        case (.enroll, .enroll), (.change, .pinChange): true
        case (.enroll, _), (.change, _): false
        }
    }
}

extension PINChallenge.Subject {
    /// The epoch that the assertion names: where a PIN is set or changed, the new one.
    package var asserted: PINEpoch {
        switch self {
        case .use(_, let epoch), .enroll(let epoch), .change(_, let epoch): epoch
        }
    }

    /// The epoch that a try was charged to.
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

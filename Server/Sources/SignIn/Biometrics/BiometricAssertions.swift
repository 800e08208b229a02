package import Core
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire

/// Verifies assertions signed with a device's key and its biometric key, over a challenge of `POST /v1/challenges`.
///
/// Nothing is counted, because neither key can be guessed.
package struct BiometricAssertions: Sendable {
    let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The device that an assertion names, and its account.
    package struct Signer: Sendable {
        let device: DeviceRecord
        let account: AccountRecord
    }

    /// Thrown to roll back a write.
    private struct Spent: Error {}

    /// The use of a challenge.
    private enum Use<Effect: Sendable>: Sendable {
        /// The first one, and the effect is committed.
        case first(Effect)
        /// By the payload that used it before.
        case repeated
        case byOtherPayload
    }

    /// Verifies an assertion that has no effect in the write that uses up its challenge.
    package func check(
        _ assertion: PresentedAssertion, act: DeviceAssertion.Act, purpose: ChallengeRequest.Purpose = .login,
        thumbprint: JWKThumbprint?, now: Timestamp
    ) async throws -> AssertionDecision {
        let outcome: AssertionOutcome<Void> = try await verify(
            assertion, act: act, purpose: purpose, thumbprint: thumbprint, now: now, carryOut: { _, _ in })
        return outcome.decision
    }

    /// Verifies an assertion.
    /// - Parameters:
    ///   - assertion: from the request.
    ///   - signer: its signer, if the caller has just read it; otherwise it is read here.
    ///   - act: the act that the request is about, as the server knows it.
    ///   - purpose: the purpose of the challenge.
    ///   - thumbprint: the DPoP key of the request, to which the challenge is bound; `nil` if it is bound to the device's own
    ///     key.
    ///   - now: the present moment.
    ///   - carryOut: runs in the write that uses up the challenge, which may run more than once: what it finds out is its result. A
    ///     repetition runs nothing.
    package func verify<Effect: Sendable>(
        _ assertion: PresentedAssertion, by signer: Signer? = nil, act: DeviceAssertion.Act,
        purpose: ChallengeRequest.Purpose, thumbprint: JWKThumbprint?, now: Timestamp,
        carryOut: @escaping @Sendable (DeviceRecord, any SQLConnection) throws -> Effect
    ) async throws -> AssertionOutcome<Effect> {
        var known = signer
        if known == nil { known = try await context.database.read { try Self.signer(of: assertion, on: $0) } }
        guard assertion.unverified.factor == .biometric, let known, let key = known.device.biometricKey,
            key.counts(in: context.settings.environment)
        else { return .refused(.invalidCredentials) }
        let (device, account) = (known.device, known.account)
        let deviceKey = try device.key
        let binding = DeviceChallenges.Binding(
            purpose: purpose, thumbprint: thumbprint ?? deviceKey.thumbprint, account: nil,
            device: assertion.unverified.deviceID.rawValue,
            transaction: purpose == .transaction ? act.transactionID?.rawValue : nil)
        guard
            let challenge = DeviceChallenges(context: context).open(
                assertion.unverified.challengeID, for: binding, now: now)
        else { return .refused(.invalidCredentials) }
        let expected = PresentedAssertion.Expectation(
            audience: context.settings.issuer, account: try AccountID(bytes: account.id.bytes),
            deviceID: assertion.unverified.deviceID, factor: .biometric,
            challengeID: assertion.unverified.challengeID, nonce: challenge.nonce, act: act)
        let verdict = assertion.verdict(
            keys: AssertionKeys(device: deviceKey, seconds: try key.key), for: expected,
            now: NumericDate(clamping: now.seconds))
        guard verdict == .proven else {
            context.logger.debug("refused a biometric assertion", metadata: ["verdict": "\(verdict)"])
            return .refused(.invalidCredentials)
        }
        switch device.state {
        case .active: break
        case .suspended: return .refused(.deviceSuspended)
        case .deactivated: return .refused(.deviceDeactivated)
        case .removed: return .refused(.invalidCredentials)
        }
        // As old as the challenge, even if a lost answer is requested again, and good for one session.
        let proof = AssertionProof(
            device: device, account: account,
            grantID: Array(Digests.of("biometric-sign-in", challenge.digest).prefix(16)),
            securityVersion: account.securityVersion, at: challenge.madeAt)
        let found: Use<Effect> = try await use(
            challenge, by: assertion, version: account.securityVersion, now: now
        ) { connection in
            try carryOut(device, connection)
        }
        switch found {
        case .first(let effect): return AssertionOutcome(decision: .success(proof), effect: effect)
        case .repeated: return AssertionOutcome(decision: .success(proof))
        case .byOtherPayload: return .refused(.invalidCredentials)
        }
    }

    /// Reads the signer of an assertion; `nil` if there is none, or if its second factor is not the biometric key.
    package static func signer(
        of assertion: PresentedAssertion, on connection: any SQLConnection
    ) throws -> Signer? {
        guard assertion.unverified.factor == .biometric,
            let id = UniqueID(uuid: assertion.unverified.deviceID.rawValue),
            let device = try Devices.find(id, on: connection),
            let account = try Accounts.find(device.accountID, on: connection)
        else { return nil }
        return Signer(device: device, account: account)
    }

    /// Uses up the challenge. If an answer is lost, the same payload is right again while the account is unchanged; any other
    /// payload is wrong.
    private func use<Effect: Sendable>(
        _ challenge: DeviceChallenges.Opened, by assertion: PresentedAssertion, version: Int64, now: Timestamp,
        carryOut: @escaping @Sendable (any SQLConnection) throws -> Effect
    ) async throws -> Use<Effect> {
        let payload = Digests.of("biometric", assertion.payloadDigest + Array("\(version)".utf8))
        do {
            return try await context.database.write { connection -> Use<Effect> in
                let isUnused = try challenge.use(now: now, on: connection)
                let isNew = try SeenJTIs.remember(payload, until: now + DeviceChallenges.lifetime, on: connection)
                if isUnused { return .first(try carryOut(connection)) }
                // Used by another payload: this one must not be remembered.
                if isNew { throw Spent() }
                return .repeated
            }
        } catch is Spent {
            return .byOtherPayload
        }
    }
}

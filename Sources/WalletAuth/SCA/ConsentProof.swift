import Foundation
import WalletAuthWire

/// Answers a challenge with the person's input or with this device's signature.
struct ConsentProof: Sendable {
    let calls: ConsentCalls
    let authentication: DeviceAuthentication
    /// The session in which the operation began; nil for the current one.
    let generation: SessionGeneration?
    let operation: WalletError.Operation

    /// Throws ``WalletError``, and what the ports throw.
    func submit(_ answer: SCA.Answer, to challenge: SCA.Challenge) async throws -> SCA.Attempt {
        guard answer.fits(challenge.verification) else {
            throw mistake("the answer does not match the challenge: \(challenge.verification.expectation)")
        }
        let attempt =
            switch answer.kind {
            case .code(let value): try await send(value, to: challenge)
            case .signature(_, let prove): try await prove(try await signing(challenge))
            case .biometrics(let reason): try await sign(challenge, reason: reason)
            case .passkey: try await usePasskey(for: challenge)
            case .page, .elsewhere, .resend, .instead, .refuse, .disown:
                throw mistake("answer a challenge with a code, or with this device's signature")
            }
        return await noted(attempt, challenge)
    }

    /// Asks for the result of a hosted page, or of another device.
    func outcome(of challenge: SCA.Challenge) async throws -> SCA.Attempt {
        await noted(try await send(nil, to: challenge), challenge)
    }

    /// Adds a completed consent to the history.
    private func noted(_ attempt: SCA.Attempt, _ challenge: SCA.Challenge) async -> SCA.Attempt {
        guard attempt.status == .verified else { return attempt }
        let history = authentication.history
        await history.note(HistoryEntry(challenge, at: history.now))
        return attempt
    }

    private func send(_ value: String?, to challenge: SCA.Challenge) async throws -> SCA.Attempt {
        try await calls.attempt(
            SCA.AttemptRequest(
                walletOperationID: challenge.walletOperationID, verification: challenge.verification, value: value),
            of: challenge.eventID, in: generation, during: operation)
    }

    private func signing(_ challenge: SCA.Challenge) async throws -> DeviceSigning<SCA.Attempt> {
        guard let act = challenge.act else {
            throw MalformedValue(field: "eventId", reason: "cannot be signed")
        }
        return DeviceSigning<SCA.Attempt>(
            authentication: authentication,
            enrollment: try await authentication.signedInEnrollment(during: operation), act: act, operation: operation,
            submit: { assertion in try await send(assertion.reveal(), to: challenge) })
    }

    private func sign(_ challenge: SCA.Challenge, reason: String) async throws -> SCA.Attempt {
        let signing = try await signing(challenge)
        guard let asked = challenge.response.deviceChallenge else {
            throw MalformedValue(field: "challengeId", reason: "is missing")
        }
        return try await signing.signed(by: asked.id, nonce: asked.nonce, reason: reason)
    }

    private func usePasskey(for challenge: SCA.Challenge) async throws -> SCA.Attempt {
        guard let options = challenge.response.passkey else {
            throw MalformedValue(field: "passkey", reason: "is missing")
        }
        let assertion = try await Wallet.Passkeys.assertion(
            options, by: authentication.nativeLogin.passkeys, of: authentication.issuer, during: operation)
        return try await send(assertion.text, to: challenge)
    }

    private func mistake(_ reason: String) -> WalletError {
        WalletError(.badRequest, .misconfigured, during: operation, reason: reason)
    }
}

extension Wallet.Authentication {
    /// Starts one way of agreeing to an operation, or sends its code again: every 30 seconds, at most three codes per
    /// event. If called too soon, it sends nothing and says when to try again.
    ///
    /// The response is checked against the session: content of another event, operation or account is refused. The app
    /// can check in ``SCA/Challenge/operation`` that amount and payee are what the person intended.
    /// - Parameters:
    ///   - eventID: from the operation's 403 (``SCA/Required``).
    ///   - request: the way to agree.
    /// - Returns: the challenge, and the operation to agree to.
    /// - Throws: ``WalletError``: `data_error` if the event is locked, expired, cancelled or used; `no_code_left`;
    ///   `verification_unavailable` for a way that this person does not have, or that would not help;
    ///   `push_unavailable` for `.push` if no push message reaches a device that could approve;
    ///   `already_verified`: repeat the operation; `event_not_found`; `return_url_not_registered`;
    ///   `operation_mismatch`; `temporarily_unavailable` with the time to wait if many codes were sent; `signed_out`,
    ///   `offline` …
    public func sendSCAChallenge(eventID: String, request: SCA.ChallengeRequest) async throws -> SCA.Challenge {
        try await wallet.log.during(.sendSCAChallenge) {
            do {
                return try await wallet.consentCalls.challenge(request, of: eventID, during: .sendSCAChallenge)
            } catch let refusal as ConsentCalls.Unavailable { throw refusal.error }
        }
    }

    /// Answers a challenge with a code, or asks for the result of a hosted page or of another device (`.push`).
    ///
    /// Repeat the call if its response is lost: after the consent, every repetition returns `.verified`. Repeating a
    /// wrong code may cost more than one try.
    /// - Parameters:
    ///   - eventID: the challenge's event.
    ///   - request: the operation, the way that was challenged, the code.
    /// - Returns: `.verified`, or `.failed` with a reason.
    /// - Throws: ``WalletError``: `data_error` after the fifth wrong value, or if the event ended in another way;
    ///   `bad_request` for input that cannot be a code, at no cost; `event_not_found`; `temporarily_unavailable` with
    ///   the time to wait after too many wrong values over several events; `signed_out`, `offline` …
    public func submitSCAAttempt(eventID: String, request: SCA.AttemptRequest) async throws -> SCA.Attempt {
        try await wallet.log.during(.submitSCAAttempt) {
            try await wallet.consentCalls.attempt(request, of: eventID, during: .submitSCAAttempt)
        }
    }

    /// Answers a challenge with the person's input or with this device's signature: `.code(_:)`,
    /// `.biometrics(reason:)`, and WalletAuthPIN's `.pin(_:)`.
    ///
    /// The device signs the hash of the same bytes from which ``SCA/Challenge/operation`` was read.
    /// - Parameters:
    ///   - answer: an answer that fits the challenge's verification.
    ///   - challenge: the challenge.
    /// - Returns: `.verified`, or `.failed` with a reason. After a failure, a biometric answer needs a new challenge.
    /// - Throws: ``WalletError``: what ``submitSCAAttempt(eventID:request:)`` throws; `bad_request` for an answer that
    ///   does not fit; `device_not_enrolled`, `pin_locked`, `pin_not_set`, `biometrics_not_enabled`,
    ///   `cancelled_by_person`, `key_lost` …
    public func submitSCAAttempt(_ answer: SCA.Answer, to challenge: SCA.Challenge) async throws -> SCA.Attempt {
        try await wallet.log.during(.submitSCAAttempt) {
            try await ConsentProof(
                calls: wallet.consentCalls, authentication: wallet.deviceAuthentication, generation: nil,
                operation: .submitSCAAttempt
            ).submit(answer, to: challenge)
        }
    }
}

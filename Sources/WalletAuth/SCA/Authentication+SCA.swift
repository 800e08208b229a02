import WalletAuthWire

extension Wallet.Authentication {
    /// Challenges one way of agreeing to an operation, or has its code sent again: thirty seconds apart, three codes for an
    /// event. Asked for too soon it sends nothing, and says when.
    ///
    /// What comes back is held against the session: bytes of another event, operation or account are refused. Whether the
    /// amount and the payee are those that the person meant, the app can see by ``SCA/Challenge/operation``.
    /// - Parameters:
    ///   - eventID: as the operation's 403 named it (``SCA/Required``).
    ///   - request: which way.
    /// - Returns: the challenge, and what is agreed to.
    /// - Throws: ``WalletError``: `data_error` where the event is locked, expired, cancelled or used; `no_code_left`;
    ///   `verification_unavailable` for a way that this person does not have, or that would bring nothing on;
    ///   `already_verified`: repeat the operation; `event_not_found`; `return_url_not_registered`; `operation_mismatch`;
    ///   `temporarily_unavailable` with the time to wait where many codes were sent; `signed_out`, `offline` …
    public func sendSCAChallenge(eventID: String, request: SCA.ChallengeRequest) async throws -> SCA.Challenge {
        try await core.during(.sendSCAChallenge) {
            do {
                return try await core.consentCalls.challenge(request, of: eventID, during: .sendSCAChallenge)
            } catch let refusal as ConsentCalls.Unavailable { throw refusal.error }
        }
    }

    /// Answers a challenge by a code, or asks what came of a hosted page.
    ///
    /// A call whose answer is lost is repeated: after the consent every repetition is `.verified`. A wrong code whose answer
    /// is lost may so cost more than one try.
    /// - Parameters:
    ///   - eventID: the challenge's event.
    ///   - request: the operation, the way that was challenged, the code.
    /// - Returns: `.verified`, or `.failed` and why.
    /// - Throws: ``WalletError``: `data_error` after the fifth wrong value, and where the event is over in another way;
    ///   `bad_request` for what can be no code, at no cost; `event_not_found`; `temporarily_unavailable` with the time to wait
    ///   after too many wrong values over several events; `signed_out`, `offline` …
    public func submitSCAAttempt(eventID: String, request: SCA.AttemptRequest) async throws -> SCA.Attempt {
        try await core.during(.submitSCAAttempt) {
            try await core.consentCalls.attempt(request, of: eventID, during: .submitSCAAttempt)
        }
    }

    /// Answers a challenge by what the person types or by what this device signs: `.code(_:)`, `.biometrics(reason:)`, and
    /// `.pin(_:)` of the product WalletAuthPIN.
    ///
    /// The device signs the hash of the very bytes from which ``SCA/Challenge/operation`` was read.
    /// - Parameters:
    ///   - answer: what fits the challenge's verification.
    ///   - challenge: the challenge.
    /// - Returns: `.verified`, or `.failed` and why. A face or finger needs a new challenge after that.
    /// - Throws: ``WalletError``: what ``submitSCAAttempt(eventID:request:)`` throws; `bad_request` for an answer that does not
    ///   fit; `device_not_enrolled`, `pin_locked`, `pin_not_set`, `biometrics_not_enabled`, `cancelled_by_person`, `key_lost` …
    public func submitSCAAttempt(_ answer: SCA.Answer, to challenge: SCA.Challenge) async throws -> SCA.Attempt {
        try await core.during(.submitSCAAttempt) {
            try await ConsentProof(core: core, generation: nil, operation: .submitSCAAttempt)
                .submit(answer, to: challenge)
        }
    }
}

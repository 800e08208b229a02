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
    package var state: State

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

        package init(payloadDigest: [UInt8], triesLeft: Int?) {
            self.payloadDigest = payloadDigest
            self.triesLeft = triesLeft
        }
    }

    package init(
        id: ChallengeID, nonce: Nonce, deviceID: DeviceID, subject: Subject, idempotencyKey: IdempotencyKey,
        requestDigest: [UInt8], expiresAt: Timestamp, state: State = .open
    ) {
        self.id = id
        self.nonce = nonce
        self.deviceID = deviceID
        self.subject = subject
        self.idempotencyKey = idempotencyKey
        self.requestDigest = requestDigest
        self.expiresAt = expiresAt
        self.state = state
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

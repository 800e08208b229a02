internal import Crypto
package import WalletAuthWire

/// One evaluation that was given out, and the assertion that it waits for. One is open for each enrollment.
package struct PINChallenge: Hashable, Sendable {
    /// Names it.
    package var id: ChallengeID
    /// What the assertion has to repeat.
    package var nonce: Nonce
    /// The enrollment.
    package var deviceID: DeviceID
    /// What it was asked for.
    package var subject: Subject
    /// The `Idempotency-Key` of the request that opened it.
    package var idempotencyKey: IdempotencyKey
    /// ``digest(of:)`` of that request.
    package var requestDigest: [UInt8]
    /// When it is over.
    package var expiresAt: Timestamp
    /// Where it stands.
    package var state: State

    /// What a challenge was asked for.
    package enum Subject: Hashable, Sendable {
        /// An act by the PIN in use.
        case use(PINUse, PINEpoch)
        /// Setting a PIN: the new epoch.
        case enroll(PINEpoch)
        /// Changing it: the old epoch and the new one.
        case change(PINEpoch, to: PINEpoch)
    }

    /// Where a challenge stands. It leaves ``open`` once.
    package enum State: Hashable, Sendable {
        /// Waits for its assertion.
        case open
        /// The assertion was right: the keyed digest of its payload, by which a repetition gets the same result.
        case used([UInt8])
        /// The PIN was wrong.
        case failed(Failure)
        /// A newer one took its place.
        case abandoned
    }

    /// What a wrong PIN was answered by.
    package struct Failure: Hashable, Sendable {
        /// The keyed digest of the assertion's payload, by which a repetition gets the same result.
        package var payloadDigest: [UInt8]
        /// How many tries it left; `nil` where it was the last one and locked the PIN.
        package var triesLeft: Int?

        /// Each parameter is the property of its name.
        package init(payloadDigest: [UInt8], triesLeft: Int?) {
            self.payloadDigest = payloadDigest
            self.triesLeft = triesLeft
        }
    }

    /// A challenge.
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

    /// What tells two requests apart: SHA-256 over every field, in one order and one spelling. Bytes of a signature have no
    /// part in it, since one key makes many over the same request.
    package static func digest(of request: PINEvaluationRequest) -> [UInt8] {
        Array(SHA256.hash(data: request.withoutDraft.json.bytes))
    }
}

extension PINChallenge {
    /// What becomes of a request whose signature was right and whose `Idempotency-Key` opened this challenge before.
    package enum Repetition: Hashable, Sendable {
        /// The same request: the same answer, which was kept sealed, and no new charge.
        case sameAnswer
        /// Refused.
        case refused(PINRefusal)
    }

    /// Decides about a repeated `Idempotency-Key`.
    /// - Parameters:
    ///   - request: the request as it came now.
    ///   - now: the present moment.
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

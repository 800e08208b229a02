package import AuthCore
package import WalletAuthWire

/// The state of a device's PIN, with the sealed keys of its epochs.
package struct PINRecord: Sendable, Hashable {
    package let deviceID: UniqueID
    package let state: PINState
    /// Why it is locked; `nil` if it is not. Guesses lock it only when no attempt is left; with attempts left, a
    /// restore did.
    package let lockReason: PINLockReason?
    /// The highest epoch that there ever was.
    package let lastEpoch: PINEpoch
    /// The VOPRF key of the epoch in use, sealed.
    package let evaluationKey: [UInt8]?
    /// The public half of the PIN key in use. It is sealed, because together with a stolen device it would verify
    /// guesses.
    package let publicKey: [UInt8]?
    /// The VOPRF key of the pending epoch, sealed.
    package let pendingEvaluationKey: [UInt8]?

    static let columns = """
        device_id, state, epoch, failed, pending_epoch, last_epoch, evaluation_key, public_key, pending_evaluation_key
        """

    init(_ row: SQLRow) throws {
        deviceID = try row.id(0)
        let failed = Int(try row.integer(3))
        state = try PINState(
            stored: try row.text(1), epoch: try row.epoch(2), failed: failed, pending: try row.epoch(4))
        lockReason = state.isLocked ? (failed < PINLimits.tries ? .restore : .tooManyTries) : nil
        guard let last = try row.epoch(5) else { throw StoreError(.unexpectedRow, "a PIN without an epoch") }
        lastEpoch = last
        evaluationKey = try row.optionalBlob(6)
        publicKey = try row.optionalBlob(7)
        pendingEvaluationKey = try row.optionalBlob(8)
    }
}

extension PINState {
    fileprivate init(stored state: String, epoch: PINEpoch?, failed: Int, pending: PINEpoch?) throws {
        switch (state, epoch, pending) {
        case ("none", nil, nil): self = .none
        case ("none", nil, let pending?): self = .pending(pending)
        case ("active", let epoch?, nil): self = .active(epoch, failed: failed)
        case ("active", let epoch?, let pending?): self = .changing(epoch, failed: failed, to: pending)
        case ("locked", let epoch?, nil): self = .locked(epoch)
        case ("locked", let epoch?, let pending?): self = .replacing(epoch, with: pending)
        default: throw StoreError(.unexpectedRow, "a PIN in an unknown state")
        }
    }
}

extension SQLRow {
    func epoch(_ position: Int) throws -> PINEpoch? {
        try optionalInteger(position).map { number in
            guard let epoch = PINEpoch(exactly: number) else {
                throw StoreError(.unexpectedRow, "an invalid epoch")
            }
            return epoch
        }
    }
}

/// A row of an issued evaluation.
package struct PINChallengeRecord: Sendable, Hashable {
    /// Devices get it as text.
    package var id: UniqueID
    package var deviceID: UniqueID
    package var idempotencyKey: String
    /// Tells this request from others with the same key.
    package var requestDigest: [UInt8]
    /// The request. It contains no secret: blinded elements reveal nothing.
    package var request: String
    /// The assertion repeats it.
    package var nonce: String
    /// The epoch that was charged.
    package var epoch: PINEpoch?
    /// The pending epoch.
    package var newEpoch: PINEpoch?
    /// The attempts left after the charge.
    package var attemptsLeft: Int64?
    package var state: PINChallenge.State
    /// `nil` if it was not used.
    package var use: Use?
    package var endsAt: Timestamp
    /// The end of the time in which a repetition is recognized.
    package var expiresAt: Timestamp

    /// The use of a challenge. A repetition of the assertion proves the same again, and no more.
    package struct Use: Sendable, Hashable {
        /// Keyed digest of the assertion's payload.
        package var payloadDigest: [UInt8]
        /// The account's security version at that time.
        package var securityVersion: Int64
        package var at: Timestamp

        package init(payloadDigest: [UInt8], securityVersion: Int64, at: Timestamp) {
            self.payloadDigest = payloadDigest
            self.securityVersion = securityVersion
            self.at = at
        }
    }

    /// A new challenge.
    package init(
        id: UniqueID, deviceID: UniqueID, idempotencyKey: String, requestDigest: [UInt8], request: String,
        nonce: String,
        epoch: PINEpoch?, newEpoch: PINEpoch?, attemptsLeft: Int64?, endsAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.deviceID = deviceID
        self.idempotencyKey = idempotencyKey
        self.requestDigest = requestDigest
        self.request = request
        self.nonce = nonce
        self.epoch = epoch
        self.newEpoch = newEpoch
        self.attemptsLeft = attemptsLeft
        state = .open
        self.endsAt = endsAt
        self.expiresAt = expiresAt
    }

    static let columns = """
        id, device_id, idempotency_key, request_digest, request, nonce, epoch, new_epoch, attempts_left, ends_at, \
        expires_at, state, payload_digest, security_version, used_at, tries_left
        """

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), deviceID: try row.id(1), idempotencyKey: try row.text(2),
            requestDigest: try row.blob(3), request: try row.text(4), nonce: try row.text(5), epoch: try row.epoch(6),
            newEpoch: try row.epoch(7), attemptsLeft: try row.optionalInteger(8), endsAt: try row.time(9),
            expiresAt: try row.time(10))
        state =
            switch (try row.text(11), try row.optionalBlob(12)) {
            case ("open", _): .open
            case ("used", let digest?): .used(digest)
            case ("failed", let digest?):
                .failed(
                    PINChallenge.Failure(
                        payloadDigest: digest, triesLeft: try row.optionalInteger(15).map { Int($0) }))
            default: .abandoned
            }
        if case .used(let digest) = state, let version = try row.optionalInteger(13),
            let at = try row.optionalTime(14)
        {
            use = Use(payloadDigest: digest, securityVersion: version, at: at)
        }
    }
}

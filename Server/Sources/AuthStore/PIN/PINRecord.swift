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

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case deviceID, state, epoch, failed, pendingEpoch, lastEpoch, evaluationKey, publicKey, pendingEvaluationKey
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        deviceID = try row.id(.deviceID)
        let failed = Int(try row.integer(.failed))
        state = try PINState(
            stored: try row.text(.state), epoch: try row.epoch(.epoch), failed: failed,
            pending: try row.epoch(.pendingEpoch))
        lockReason = state.isLocked ? (failed < PINLimits.tries ? .restore : .tooManyTries) : nil
        guard let last = try row.epoch(.lastEpoch) else { throw StoreError(.unexpectedRow, "a PIN without an epoch") }
        lastEpoch = last
        evaluationKey = try row.optionalBlob(.evaluationKey)
        publicKey = try row.optionalBlob(.publicKey)
        pendingEvaluationKey = try row.optionalBlob(.pendingEvaluationKey)
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

extension RecordRow {
    fileprivate func epoch(_ column: Column) throws -> PINEpoch? {
        try optionalInteger(column).map { number in
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
    /// The request, sealed, in base64url.
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

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, deviceID, idempotencyKey, requestDigest, request, nonce, epoch, newEpoch, attemptsLeft, endsAt
        case expiresAt, state, payloadDigest, securityVersion, usedAt, triesLeft
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), deviceID: try row.id(.deviceID), idempotencyKey: try row.text(.idempotencyKey),
            requestDigest: try row.blob(.requestDigest), request: try row.text(.request),
            nonce: try row.text(.nonce), epoch: try row.epoch(.epoch), newEpoch: try row.epoch(.newEpoch),
            attemptsLeft: try row.optionalInteger(.attemptsLeft), endsAt: try row.time(.endsAt),
            expiresAt: try row.time(.expiresAt))
        state =
            switch (try row.text(.state), try row.optionalBlob(.payloadDigest)) {
            case ("open", _): .open
            case ("used", let digest?): .used(digest)
            case ("failed", let digest?):
                .failed(
                    PINChallenge.Failure(
                        payloadDigest: digest, triesLeft: try row.optionalInteger(.triesLeft).map { Int($0) }))
            default: .abandoned
            }
        if case .used(let digest) = state, let version = try row.optionalInteger(.securityVersion),
            let at = try row.optionalTime(.usedAt)
        {
            use = Use(payloadDigest: digest, securityVersion: version, at: at)
        }
    }
}

package import AuthCore

/// A device that an account enrolled: one row for one account on one device, with keys of its own.
package struct DeviceRecord: Sendable, Hashable {
    /// Its id, time-ordered.
    package var id: UniqueID
    /// Whose device it is.
    package var accountID: UniqueID
    /// The client that it was enrolled by.
    package var clientID: String
    /// What its holder calls it, sealed.
    package var name: [UInt8]
    /// What it is: `ios`, `android`, `linux` and so on, with a version where the app tells it.
    package var platform: String
    /// The public half of the signing key: the two coordinates of P-256, 64 bytes.
    package var signingKey: [UInt8]
    /// The 32 bytes of that key's thumbprint (RFC 7638).
    package var thumbprint: [UInt8]
    /// The 32 bytes of the thumbprint of the DPoP key that its app had when it was enrolled: what was signed in by that key
    /// was signed in on this device, whether or not the sign-in named it.
    package var dpopThumbprint: [UInt8]
    /// Where the private half lies, as far as it was attested.
    package var keyStorage: KeyStorage
    /// The key that signs only after the device saw its holder.
    package var biometricKey: BiometricKeyRecord?
    /// Where it is in its life.
    package var state: DeviceState
    /// Whether the installation confirmed its code, where the client asks for that.
    package var instance: InstanceVerification
    /// Where push messages go, sealed.
    package var pushAddress: [UInt8]?
    /// When it was enrolled.
    package var createdAt: Timestamp
    /// Until when lower limits hold, since it is new.
    package var coolingUntil: Timestamp
    /// When it last signed in.
    package var lastUsedAt: Timestamp
    /// When ``state`` became what it is.
    package var stateChangedAt: Timestamp
    /// Who closed it; `nil` while it is not deactivated, and of those that were closed before this was kept.
    package var closedBy: DeactivationCause?

    /// A device that is being enrolled.
    /// - Parameters:
    ///   - id: a time-ordered id.
    ///   - accountID: whose device it is.
    ///   - clientID: the client that enrolls it.
    ///   - name: what its holder calls it, sealed.
    ///   - platform: what it is.
    ///   - signingKey: 64 bytes.
    ///   - thumbprint: 32 bytes.
    ///   - dpopThumbprint: of the DPoP key of the session that enrolls it; 32 bytes.
    ///   - keyStorage: where the private half lies.
    ///   - instance: whether the installation has a code to confirm.
    ///   - createdAt: now.
    ///   - coolingUntil: until when lower limits hold.
    package init(
        id: UniqueID, accountID: UniqueID, clientID: String, name: [UInt8], platform: String, signingKey: [UInt8],
        thumbprint: [UInt8], dpopThumbprint: [UInt8], keyStorage: KeyStorage, instance: InstanceVerification,
        createdAt: Timestamp, coolingUntil: Timestamp
    ) {
        self.id = id
        self.accountID = accountID
        self.clientID = clientID
        self.name = name
        self.platform = platform
        self.signingKey = signingKey
        self.thumbprint = thumbprint
        self.dpopThumbprint = dpopThumbprint
        self.keyStorage = keyStorage
        state = .active
        self.instance = instance
        self.createdAt = createdAt
        self.coolingUntil = coolingUntil
        lastUsedAt = createdAt
        stateChangedAt = createdAt
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        id, account_id, client_id, name, platform, signing_key, thumbprint, key_storage, instance, created_at, \
        cooling_until, dpop_jkt, state, push_address, last_used_at, state_changed_at, biometric_key, \
        biometric_key_set_at, biometric_key_storage, biometric_presence_attested, closed_by
        """

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), accountID: try row.id(1), clientID: try row.text(2), name: try row.blob(3),
            platform: try row.text(4), signingKey: try row.blob(5), thumbprint: try row.blob(6),
            dpopThumbprint: try row.blob(11), keyStorage: try row.name(7), instance: try row.name(8),
            createdAt: try row.time(9),
            coolingUntil: try row.time(10))
        state = try row.name(12)
        pushAddress = try row.optionalBlob(13)
        lastUsedAt = try row.time(14)
        stateChangedAt = try row.time(15)
        biometricKey = try BiometricKeyRecord(row, from: 16)
        closedBy = try row.optionalText(20).flatMap(DeactivationCause.init)
    }
}

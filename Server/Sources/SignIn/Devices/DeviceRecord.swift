package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// A row of an enrolled device: one account on one device, with its own keys.
package struct DeviceRecord: Sendable, Hashable {
    /// Time-ordered.
    package var id: UniqueID
    package var accountID: UniqueID
    /// The client that enrolled it.
    package var clientID: String
    /// The holder's name for it, sealed.
    package var name: [UInt8]
    /// `ios`, `android`, `linux` and so on, with a version if the app sent one.
    package var platform: String
    /// The public half of the signing key: the two coordinates of P-256, 64 bytes.
    package var signingKey: [UInt8]
    /// The thumbprint of the signing key (RFC 7638), 32 bytes.
    package var thumbprint: [UInt8]
    /// The thumbprint of the DPoP key that its app had at enrollment, 32 bytes. A session with that key belongs to this
    /// device, even if the sign-in did not name it.
    package var dpopThumbprint: [UInt8]
    /// The storage of the private half, as far as it was attested.
    package var keyStorage: KeyStorage
    /// The key that signs only after the device recognized its holder.
    package var biometricKey: BiometricKeyRecord?
    package var state: DeviceState
    /// Whether the installation confirmed its code, if the client requires that.
    package var instance: InstanceVerification
    /// The address of push messages, sealed.
    package var pushAddress: [UInt8]?
    package var createdAt: Timestamp
    /// The end of the period in which lower limits apply to a new device.
    package var coolingUntil: Timestamp
    /// When it last signed in.
    package var lastUsedAt: Timestamp
    package var stateChangedAt: Timestamp
    /// `nil` unless it is deactivated.
    package var deactivatedBy: DeactivationCause?
    /// The app that vouched for the device's key; `nil` if none did.
    package var attestation: DeviceAttestation?

    /// A new device. `dpopThumbprint` is that of the session that enrolls it.
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

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, accountID, clientID, name, platform, signingKey, thumbprint, keyStorage, instance, createdAt
        case coolingUntil, dpopJKT, state, pushAddress, lastUsedAt, stateChangedAt, biometricKey
        case biometricKeySetAt, biometricKeyStorage, biometricKeyVoucher, deactivatedBy
        case attestation, attestedKey, attestationCounter
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), accountID: try row.id(.accountID), clientID: try row.text(.clientID),
            name: try row.blob(.name), platform: try row.text(.platform), signingKey: try row.blob(.signingKey),
            thumbprint: try row.blob(.thumbprint), dpopThumbprint: try row.blob(.dpopJKT),
            keyStorage: try row.name(.keyStorage), instance: try row.name(.instance),
            createdAt: try row.time(.createdAt), coolingUntil: try row.time(.coolingUntil))
        state = try row.name(.state)
        pushAddress = try row.optionalBlob(.pushAddress)
        lastUsedAt = try row.time(.lastUsedAt)
        stateChangedAt = try row.time(.stateChangedAt)
        biometricKey = try BiometricKeyRecord(row)
        deactivatedBy = try row.optionalText(.deactivatedBy).flatMap(DeactivationCause.init)
        attestation = try DeviceAttestation(row)
    }
}

/// The key with which a device signs only after it recognized its holder.
package struct BiometricKeyRecord: Sendable, Hashable {
    /// The public half: the two coordinates of P-256, 64 bytes.
    package var publicKey: [UInt8]
    /// The storage of the private half, as far as it was attested.
    package var storage: KeyStorage
    /// On whose word the key signs only after the device recognized its holder; `nil` for no one's.
    package var voucher: BiometricKeyVoucher?
    package var setAt: Timestamp

    package init(publicKey: [UInt8], storage: KeyStorage, voucher: BiometricKeyVoucher?, setAt: Timestamp) {
        self.publicKey = publicKey
        self.storage = storage
        self.voucher = voucher
        self.setAt = setAt
    }

    /// Reads four columns of the device's row. Returns `nil` if there is no key.
    init?(_ row: RecordRow<DeviceRecord.Column>) throws {
        guard let key = try row.optionalBlob(.biometricKey), let setAt = try row.optionalTime(.biometricKeySetAt) else {
            return nil
        }
        self.init(
            publicKey: key, storage: try row.name(.biometricKeyStorage),
            voucher: try row.optionalText(.biometricKeyVoucher).flatMap(BiometricKeyVoucher.init), setAt: setAt)
    }
}

/// Seals and opens personal data in the devices' rows.
package typealias DeviceVault = Vault<DeviceField>

package enum DeviceField: String, SealedField {
    case name = "devices|name"
    case pushAddress = "devices|push_address"

    package var purpose: KeyPurpose { .personal }
    package var mayBeEmpty: Bool { true }
}

extension DeviceVault {
    /// The holder's name for a device; its platform if the name is lost.
    /// - Throws: `MalformedValue` if a damaged row has no platform.
    package func shownName(of device: DeviceRecord) throws -> DeviceName {
        try DeviceName(open(device.name, .name, of: device.id) ?? device.platform)
    }
}

extension BiometricKeyRecord {
    /// Whether its signature is a factor of its own.
    package func counts(under rule: BiometricKeyRule) -> Bool { rule.accepts(voucher) }

    /// The public half.
    /// - Throws: `JOSEError` if the row is damaged.
    var key: JWK {
        get throws(JOSEError) { try JWK(.p256(x: Array(publicKey.prefix(32)), y: Array(publicKey.suffix(32)))) }
    }
}

extension DeviceRecord {
    /// The public half of the signing key.
    /// - Throws: `JOSEError` if the row is damaged.
    package var key: JWK {
        get throws(JOSEError) { try JWK(.p256(x: Array(signingKey.prefix(32)), y: Array(signingKey.suffix(32)))) }
    }
}

extension DeviceRecord {
    /// The second factors with which the device can sign now, the PIN first.
    package func signingFactors(
        under biometricKeys: BiometricKeyRule, now: Timestamp, on connection: any SQLConnection
    ) throws -> [TransactionFactor] {
        var factors: [TransactionFactor] = []
        if try PINs.find(id, on: connection).triesLeft(at: now) > 0 { factors.append(.pin) }
        if biometricKey?.counts(under: biometricKeys) ?? false { factors.append(.biometric) }
        return factors
    }
}

extension DeviceAssertion.Factor {
    package var transactionFactor: TransactionFactor {
        switch self {
        case .pin: .pin
        case .biometric: .biometric
        }
    }

    /// Its value in `amr`.
    package var authenticationMethod: String { transactionFactor.authenticationMethod }
}

extension TransactionFactor {
    /// Its value in `amr`.
    package var authenticationMethod: String {
        switch self {
        case .pin: AuthenticationStrength.pin
        case .biometric: AuthenticationStrength.biometric
        }
    }
}

internal import Consent
package import Core
internal import Kernel
internal import SignIn
package import Store
package import WalletAuthWire

/// A row of a transaction.
package struct TransactionRecord: Sendable, Hashable {
    /// Time-ordered.
    package var id: UniqueID
    package var origin: TransactionOrigin
    /// The client that created it, or whose app began it.
    package var clientID: String
    /// The brand whose accounts may sign it.
    package var brandID: String
    /// The server's issuer at its creation.
    package var issuer: String
    /// The digest of the `Idempotency-Key` that created it.
    package var createKey: String?
    /// The account that signs; nil until a device scans a code without an account.
    package var accountID: UniqueID?
    /// Whether the backend named the account. Otherwise it is the first account that scanned the code.
    package var isAddressed: Bool
    package var state: TransactionState
    /// The request that created it, sealed.
    package var sealed: [UInt8]
    /// The bytes to sign, once a device has claimed it.
    package var payload: Payload?
    /// The signatures of the device and its second factor, sealed.
    package var assertion: [UInt8]?
    /// Increases with each change and guards the next one.
    package var revision: Int64
    package var createdAt: Timestamp
    /// When the row may be deleted.
    package var keptUntil: Timestamp

    package struct Payload: Sendable, Hashable {
        package var sealed: [UInt8]
        package var hash: PayloadHash
    }

    /// A new transaction.
    package init(
        id: UniqueID, origin: TransactionOrigin, clientID: String, brandID: String, issuer: String,
        createKey: String? = nil, accountID: UniqueID?, state: TransactionState, sealed: [UInt8],
        payload: Payload? = nil,
        assertion: [UInt8]? = nil, createdAt: Timestamp, keptUntil: Timestamp
    ) {
        self.id = id
        self.origin = origin
        self.clientID = clientID
        self.brandID = brandID
        self.issuer = issuer
        self.createKey = createKey
        self.accountID = accountID
        isAddressed = accountID != nil
        self.state = state
        self.sealed = sealed
        self.payload = payload
        self.assertion = assertion
        revision = 1
        self.createdAt = createdAt
        self.keptUntil = keptUntil
    }
}

extension TransactionRecord {
    /// Whether its backend may know who claimed it: it named the account itself, or the account has signed.
    package var namesSigner: Bool {
        if case .signed = state.phase { true } else { isAddressed }
    }

    /// The same in SQL.
    static let namesSigner = "(addressed = 1 OR state = 'signed')"

    /// The values of columns, in their order.
    func values(of columns: [Column]) -> [SQLValue] {
        let phase = stored
        return columns.map { value(of: $0, phase) }
    }

    private func value(of column: Column, _ phase: StoredPhase) -> SQLValue {
        switch column {
        case .id: .id(id)
        case .origin: .name(origin)
        case .clientID: .text(clientID)
        case .brandID: .text(brandID)
        case .issuer: .text(issuer)
        case .createKey: .optional(createKey)
        case .accountID: .id(accountID)
        case .deviceID: .id(deviceID)
        case .state: .text(phase.name)
        case .reason: .optional(phase.reason)
        case .requiredFactor: .name(state.requiredSecondFactor)
        case .factor: .optional(phase.factor)
        case .sealed: .blob(sealed)
        case .payload: .optional(payload?.sealed)
        case .payloadHash: .optional(payload?.hash.rawValue)
        case .assertion: .optional(assertion)
        case .revision: .integer(revision)
        case .createdAt: .time(createdAt)
        case .expiresAt: .time(state.expiresAt)
        case .endedAt: .time(state.endedAt)
        case .keptUntil: .time(keptUntil)
        case .addressed: .integer(isAddressed ? 1 : 0)
        }
    }

    /// A status in the column `state`, which never has `expired`.
    static func name(of status: TransactionStatus) -> String { status.rawValue.lowercased() }

    /// The device that claimed or began it.
    var deviceID: UniqueID? { state.device.flatMap { UniqueID(uuid: $0.rawValue) } }

    /// The phase as it is stored.
    private struct StoredPhase {
        var name: String
        var reason: String?
        var factor: String?
    }

    private var stored: StoredPhase {
        let name = Self.name(of: state.phase.status)
        return switch state.phase {
        case .created, .claimed, .confirmed, .failed: StoredPhase(name: name)
        case .signed(_, let factor, _): StoredPhase(name: name, factor: factor.rawValue)
        case .rejected(_, let reason, _): StoredPhase(name: name, reason: reason.rawValue)
        case .cancelled(_, let reason, _): StoredPhase(name: name, reason: reason.rawValue)
        }
    }

    /// The columns that ``init(_:)`` reads and ``values(of:)`` gives.
    enum Column: Int, RecordColumn {
        case id, origin, clientID, brandID, issuer, createKey, accountID, deviceID, state, reason, requiredFactor
        case factor, sealed, payload, payloadHash, assertion, revision, createdAt, expiresAt, endedAt, keptUntil
        case addressed
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        func damaged(_ column: String) -> StoreError {
            StoreError(.unexpectedRow, "column \(column) does not fit the state")
        }
        let device = try row.optionalID(.deviceID).map { try DeviceID($0.uuid) }
        let endedAt = try row.optionalTime(.endedAt)
        let name = try row.text(.state)
        guard let status = TransactionStatus(rawValue: name.uppercased()), Self.name(of: status) == name else {
            throw damaged("state")
        }
        let phase: TransactionState.Phase
        switch (status, device, endedAt) {
        case (.created, nil, nil): phase = .created
        case (.claimed, let device?, nil): phase = .claimed(by: device)
        case (.confirmed, let device?, nil): phase = .confirmed(by: device)
        case (.signed, let device?, let at?): phase = .signed(by: device, with: try row.name(.factor), at: at)
        case (.rejected, let device?, let at?): phase = .rejected(by: device, try row.name(.reason), at: at)
        case (.failed, let device?, let at?): phase = .failed(by: device, at: at)
        case (.cancelled, let device, let at?): phase = .cancelled(claimedBy: device, try row.name(.reason), at: at)
        default: throw damaged("state")
        }
        self.init(
            id: try row.id(.id), origin: try row.name(.origin), clientID: try row.text(.clientID),
            brandID: try row.text(.brandID), issuer: try row.text(.issuer),
            createKey: try row.optionalText(.createKey), accountID: try row.optionalID(.accountID),
            state: TransactionState(
                phase: phase, expiresAt: try row.time(.expiresAt),
                requiredSecondFactor: try row.name(.requiredFactor)),
            sealed: try row.blob(.sealed), assertion: try row.optionalBlob(.assertion),
            createdAt: try row.time(.createdAt), keptUntil: try row.time(.keptUntil))
        isAddressed = try row.integer(.addressed) == 1
        if let sealed = try row.optionalBlob(.payload) {
            guard let hash = try? PayloadHash(row.text(.payloadHash)) else { throw damaged("payload_hash") }
            payload = Payload(sealed: sealed, hash: hash)
        }
        revision = try row.integer(.revision)
    }
}

/// Seals the personal and financial data in the rows of transactions.
typealias TransactionVault = Vault<TransactionField>

enum TransactionField: String, SealedField {
    case content = "transactions|sealed"
    case payload = "transactions|payload"
    /// With a stolen device, the signature by the PIN key would verify guesses.
    case assertion = "transactions|assertion"
    case circumstances = "transactions|circumstances"

    var purpose: KeyPurpose { self == .assertion ? .pin : .personal }
}

/// The request behind a transaction.
enum TransactionSource: Sendable {
    /// From a backend, with the secret of its QR code.
    case server(TransactionRequest, TransactionSecret)
    /// From an app.
    case client(clientState: [UInt8]?, clientAdditionalData: [UInt8]?)
}

extension TransactionVault {
    func seal(_ content: TransactionSource, of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        switch content {
        case .server(let request, let secret):
            object["request"] = .object(request.json)
            object.set("secret", secret.reveal())
        case .client(let state, let data):
            object.set("clientState", state.map { Base64URL.encode($0) })
            object.set("clientAdditionalData", data.map { Base64URL.encode($0) })
        }
        return try seal(object.bytes, .content, of: id)
    }

    /// - Throws: ``DamagedRow`` if the row does not open: its key is lost, or it was moved.
    func open(_ record: TransactionRecord) throws -> TransactionSource {
        let object = try object(record.sealed, .content, of: record.id)
        switch record.origin {
        case .server:
            guard let request = object["request"]?.object,
                let secret = try object.secret("secret") as TransactionSecret?
            else { throw DamagedRow() }
            return .server(try TransactionRequest(recorded: request), secret)
        case .client:
            return .client(
                clientState: try object.decoded("clientState"),
                clientAdditionalData: try object.decoded("clientAdditionalData"))
        }
    }

    /// Adds what a report repeats of the request. The rest of a backend's request is not parsed again.
    /// - Throws: ``DamagedRow`` as ``open(_:)``.
    func addSource(of record: TransactionRecord, to report: inout TransactionReport) throws {
        let object = try object(record.sealed, .content, of: record.id)
        switch record.origin {
        case .server:
            guard let request = object["request"]?.object else { throw DamagedRow() }
            report.reference = try request.string("reference")
            report.data = try request.decoded("data")
        case .client:
            report.clientState = try object.decoded("clientState")
            report.clientAdditionalData = try object.decoded("clientAdditionalData")
        }
    }

    func seal(payload: [UInt8], of id: UniqueID) throws -> TransactionRecord.Payload {
        TransactionRecord.Payload(
            sealed: try seal(payload, .payload, of: id),
            hash: .transaction(payload))
    }

    /// The bytes to sign; `nil` until a device has claimed the transaction.
    func payload(of record: TransactionRecord) throws -> [UInt8]? {
        guard let payload = record.payload else { return nil }
        let bytes = try bytes(payload.sealed, .payload, of: record.id)
        guard PayloadHash.transaction(bytes) == payload.hash else { throw DamagedRow() }
        return bytes
    }

    /// - Parameter factor: the second factor of the assertion.
    func seal(
        _ assertion: SignedAssertion, with factor: TransactionFactor, by device: DeviceRecord, of id: UniqueID
    ) throws -> [UInt8] {
        var object = JSONObject()
        object.set("assertion", assertion.reveal())
        object["deviceKey"] = .object(try device.key.json)
        object["attestation"] = device.attestation.map { .object($0.app.json) }
        if factor == .biometric { object.set("biometricKey", device.biometricKey?.voucher?.rawValue) }
        return try seal(object.bytes, .assertion, of: id)
    }

    /// The device's own signature, without the second factor's; `nil` until the transaction is signed.
    func signature(of record: TransactionRecord) throws -> String? {
        try record.assertion.map { try signature(in: object($0, .assertion, of: record.id)) }
    }

    private func signature(in sealed: JSONObject) throws -> String {
        // A general JWS that was verified before it was stored: its parts are those of the compact form, and nothing is
        // decoded.
        guard let text = sealed["assertion"]?.string,
            case let assertion = try JSONValue.object(parsing: Array(text.utf8)),
            let payload = assertion["payload"]?.string, let first = assertion["signatures"]?.array?.first?.object,
            let header = first["protected"]?.string, let signature = first["signature"]?.string
        else { throw DamagedRow() }
        return "\(header).\(payload).\(signature)"
    }

    /// The device that signed, with its key and what vouched for it at that time; `nil` until the transaction is signed.
    func signer(of record: TransactionRecord) throws -> OperationEvidenceClaims.Device? {
        guard let sealed = record.assertion else { return nil }
        let object = try object(sealed, .assertion, of: record.id)
        guard let id = record.state.device, let key = object["deviceKey"]?.object else { throw DamagedRow() }
        return OperationEvidenceClaims.Device(
            id: id, key: try JWK(key), signature: try signature(in: object),
            attestation: try object["attestation"]?.object.map { try AppAttestation($0) },
            biometricKey: object["biometricKey"]?.string.flatMap(BiometricKeyVoucher.init))
    }

    /// Whether this assertion signed the transaction: a repetition whose response was lost.
    func isSigned(_ record: TransactionRecord, by presented: PresentedAssertion) throws -> Bool {
        guard let sealed = record.assertion,
            let text = try object(sealed, .assertion, of: record.id)["assertion"]?.string
        else { return false }
        return try PresentedAssertion(SignedAssertion(text)).payloadDigest == presented.payloadDigest
    }

    /// The network address and user agent of a request, which are erased with the account.
    func seal(_ origin: RequestOrigin, of id: UniqueID) throws -> [UInt8] {
        try seal(OperationEvidenceClaims.Circumstances(origin).json.bytes, .circumstances, of: id)
    }

    func circumstances(in sealed: [UInt8]?, of id: UniqueID) throws -> OperationEvidenceClaims.Circumstances? {
        try sealed.map {
            try OperationEvidenceClaims.Circumstances(object($0, .circumstances, of: id))
        }
    }
}

extension JSONObject {
    /// Bytes in base64url; `nil` if there are none.
    fileprivate func decoded(_ name: String) throws -> [UInt8]? { try string(name).flatMap { Base64URL.decode($0) } }
}

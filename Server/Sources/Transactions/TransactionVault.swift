internal import Consent
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

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

    func seal(_ assertion: SignedAssertion, by device: DeviceRecord, of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("assertion", assertion.reveal())
        object["deviceKey"] = .object(try device.key.json)
        return try seal(object.bytes, .assertion, of: id)
    }

    /// The device's own signature, without the second factor's; `nil` until the transaction is signed.
    func signature(of record: TransactionRecord) throws -> String? {
        guard let sealed = record.assertion else { return nil }
        // A general JWS that was verified before it was stored: its parts are those of the compact form, and nothing is
        // decoded.
        guard let text = try object(sealed, .assertion, of: record.id)["assertion"]?.string,
            case let assertion = try JSONValue.object(parsing: Array(text.utf8)),
            let payload = assertion["payload"]?.string, let first = assertion["signatures"]?.array?.first?.object,
            let header = first["protected"]?.string, let signature = first["signature"]?.string
        else { throw DamagedRow() }
        return "\(header).\(payload).\(signature)"
    }

    /// The device's key at the time of its signature; `nil` until the transaction is signed.
    func deviceKey(of record: TransactionRecord) throws -> JWK? {
        guard let sealed = record.assertion else { return nil }
        guard let key = try object(sealed, .assertion, of: record.id)["deviceKey"]?.object else {
            throw DamagedRow()
        }
        return try JWK(key)
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

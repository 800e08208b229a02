internal import AuthConsent
internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
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
            func bytes(_ name: String) throws -> [UInt8]? { try object.string(name).flatMap { Base64URL.decode($0) } }
            return .client(
                clientState: try bytes("clientState"), clientAdditionalData: try bytes("clientAdditionalData"))
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

    /// The device's own signature and key, without the second factor's signature; `nil` until the transaction is signed.
    func signature(of record: TransactionRecord) throws -> (jws: String, key: JWK)? {
        guard let sealed = record.assertion else { return nil }
        let object = try object(sealed, .assertion, of: record.id)
        guard let text = object["assertion"]?.string, let key = object["deviceKey"]?.object,
            let first = try GeneralJWS(Array(text.utf8)).signatures.first
        else { throw DamagedRow() }
        let jws = String(decoding: first.signingInput, as: UTF8.self) + "." + Base64URL.encode(first.signature)
        return (jws, try JWK(key))
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

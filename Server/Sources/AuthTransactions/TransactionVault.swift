internal import AuthConsent
internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Seals the personal and financial data in the rows of transactions.
struct TransactionVault: Sendable {
    let context: ServerContext

    /// The request behind a transaction.
    enum Content: Sendable {
        /// From a backend, with the secret of its QR code.
        case server(TransactionRequest, TransactionSecret)
        /// From an app.
        case client(clientState: [UInt8]?, clientAdditionalData: [UInt8]?)
    }

    func seal(_ content: Content, of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        switch content {
        case .server(let request, let secret):
            object["request"] = .object(request.json)
            object.set("secret", secret.reveal())
        case .client(let state, let data):
            object.set("clientState", state.map { Base64URL.encode($0) })
            object.set("clientAdditionalData", data.map { Base64URL.encode($0) })
        }
        return try context.seal(object.bytes, for: .personal, context: Self.label("sealed", id))
    }

    /// - Throws: ``SourceFailure`` if the row does not open: its key is lost, or it was moved.
    func open(_ record: TransactionRecord) throws -> Content {
        let object = try object(record.sealed, for: .personal, Self.label("sealed", record.id))
        switch record.origin {
        case .server:
            guard let request = object["request"]?.object,
                let secret = try object.secret("secret") as TransactionSecret?
            else { throw SourceFailure() }
            return .server(try TransactionRequest(recorded: request), secret)
        case .client:
            func bytes(_ name: String) throws -> [UInt8]? { try object.string(name).flatMap { Base64URL.decode($0) } }
            return .client(
                clientState: try bytes("clientState"), clientAdditionalData: try bytes("clientAdditionalData"))
        }
    }

    func seal(payload: [UInt8], of id: UniqueID) throws -> TransactionRecord.Payload {
        TransactionRecord.Payload(
            sealed: try context.seal(payload, for: .personal, context: Self.label("payload", id)),
            hash: .transaction(payload))
    }

    /// The bytes to sign; `nil` until a device has claimed the transaction.
    func payload(of record: TransactionRecord) throws -> [UInt8]? {
        guard let payload = record.payload else { return nil }
        guard let bytes = context.open(payload.sealed, for: .personal, context: Self.label("payload", record.id)),
            PayloadHash.transaction(bytes) == payload.hash
        else { throw SourceFailure() }
        return bytes
    }

    /// Seals the signature with the key for PINs: with a stolen device, the signature by the PIN key would verify guesses.
    func seal(_ assertion: SignedAssertion, by device: DeviceRecord, of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("assertion", assertion.reveal())
        object["deviceKey"] = .object(try device.key.json)
        return try context.seal(object.bytes, for: .pin, context: Self.label("assertion", id))
    }

    /// The device's own signature and key, without the second factor's signature; `nil` until the transaction is signed.
    func signature(of record: TransactionRecord) throws -> (jws: String, key: JWK)? {
        guard let sealed = record.assertion else { return nil }
        let object = try object(sealed, for: .pin, Self.label("assertion", record.id))
        guard let text = object["assertion"]?.string, let key = object["deviceKey"]?.object,
            let first = try GeneralJWS(Array(text.utf8)).signatures.first
        else { throw SourceFailure() }
        let jws = String(decoding: first.signingInput, as: UTF8.self) + "." + Base64URL.encode(first.signature)
        return (jws, try JWK(key))
    }

    /// Whether this assertion signed the transaction: a repetition whose response was lost.
    func isSigned(_ record: TransactionRecord, by presented: PresentedAssertion) throws -> Bool {
        guard let sealed = record.assertion,
            let text = try object(sealed, for: .pin, Self.label("assertion", record.id))["assertion"]?.string
        else { return false }
        return try PresentedAssertion(SignedAssertion(text)).payloadDigest == presented.payloadDigest
    }

    /// The network address and user agent of a request, which are erased with the account.
    func seal(_ origin: RequestOrigin, of id: UniqueID) throws -> [UInt8] {
        try context.seal(
            OperationEvidenceClaims.Circumstances(origin).json.bytes, for: .personal,
            context: Self.label("circumstances", id))
    }

    func circumstances(in sealed: [UInt8]?, of id: UniqueID) throws -> OperationEvidenceClaims.Circumstances? {
        try sealed.map {
            try OperationEvidenceClaims.Circumstances(object($0, for: .personal, Self.label("circumstances", id)))
        }
    }

    private func object(_ sealed: [UInt8], for purpose: KeyPurpose, _ label: String) throws -> JSONObject {
        guard let bytes = context.open(sealed, for: purpose, context: label) else { throw SourceFailure() }
        return try JSONValue.object(parsing: bytes)
    }

    private static func label(_ column: String, _ id: UniqueID) -> String { "transactions|\(column)|\(id.uuid)" }
}

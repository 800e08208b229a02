internal import Crypto
package import WalletAuthWire

/// The end of one chain at one moment.
package struct AuditHead: Sendable, Hashable {
    package var partition: AuditPartition
    /// The last entry; 0 for none.
    package var sequence: Int64
    package var link: [UInt8]
    /// The unkeyed digest over all entries up to this one.
    package var digest: [UInt8]

    package init(partition: AuditPartition, sequence: Int64, link: [UInt8], digest: [UInt8]) {
        self.partition = partition
        self.sequence = sequence
        self.link = link
        self.digest = digest
    }

    /// One entry, as the writer of the log identifies it.
    package struct Place: Sendable, Hashable {
        package var partition: AuditPartition
        package var sequence: Int64
        package var link: [UInt8]

        package init(partition: AuditPartition, sequence: Int64, link: [UInt8]) {
            self.partition = partition
            self.sequence = sequence
            self.link = link
        }
    }

    package static func beginning(of partition: AuditPartition) -> AuditHead {
        AuditHead(partition: partition, sequence: 0, link: AuditEntry.beginning, digest: AuditEntry.beginning)
    }
}

/// The ends of all chains at one moment, signed and kept outside the database. Later changes or cuts contradict it,
/// even if they were made with every key of the server.
package struct AuditCheckpoint: Sendable, Hashable {
    package var issuer: String
    /// In whole seconds.
    package var issuedAt: Timestamp
    /// The chains that have entries.
    package var heads: [AuditHead]

    package init(issuer: String, issuedAt: Timestamp, heads: [AuditHead]) {
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.heads = heads
    }

    /// The `typ` header (RFC 8725 §3.11).
    package static let type = JWSType("walletauth-audit-checkpoint+jwt")

    /// The number of entries it covers.
    package var entries: Int64 { heads.reduce(0) { $0 + $1.sequence } }

    var json: JSONObject {
        var json = JSONObject()
        json.set("iss", issuer)
        json.set("iat", issuedAt.seconds)
        json["heads"] = .array(
            heads.map { head in
                var item = JSONObject()
                item.set("partition", head.partition.rawValue)
                item.set("seq", head.sequence)
                item.set("link", Base64URL.encode(head.link))
                item.set("digest", Base64URL.encode(head.digest))
                return .object(item)
            })
        return json
    }

    init(_ json: JSONObject) throws {
        issuer = try json.required("iss", try json.string("iss"))
        issuedAt = Timestamp(seconds: try json.required("iat", try json.integer("iat")))
        heads = try (json["heads"]?.array ?? []).map { item in
            guard let item = item.object, let partition = try item.integer("partition"),
                let partition = AuditPartition(rawValue: partition), let sequence = try item.integer("seq"),
                let link = try item.string("link").flatMap(Base64URL.decode),
                let digest = try item.string("digest").flatMap(Base64URL.decode)
            else { throw MalformedValue(field: "heads", reason: "is not a list of chain heads") }
            return AuditHead(partition: partition, sequence: sequence, link: link, digest: digest)
        }
    }
}

/// The key that signs checkpoints. It is derived from the audit key, so that it is stored as safely and lives as long
/// as the log. Auditors keep its public half from the first day.
package struct AuditCheckpointKey: Sendable {
    private let key: P256.Signing.PrivateKey
    private let id: String

    /// - Parameter auditKey: a key of ``KeyPurpose/audit``.
    package init(_ auditKey: DataKey) throws {
        key = try Self.derive(from: auditKey)
        // A rotation after a restore repeats the number of a key that the restore lost. Its thumbprint (RFC 7638) does not repeat.
        id = "audit-\(auditKey.id.value)-\(JWK(key.publicKey).thumbprint.rawValue.prefix(8))"
    }

    private static func derive(from auditKey: DataKey) throws -> P256.Signing.PrivateKey {
        // Nearly any 32 bytes are a private key. The counter covers the exceptions.
        var counter: UInt8 = 0
        while true {
            let bytes = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: auditKey.key, info: Array("wallet-audit-checkpoint".utf8) + [counter],
                outputByteCount: 32)
            do {
                return try bytes.withUnsafeBytes { try P256.Signing.PrivateKey(rawRepresentation: $0) }
            } catch  where counter < UInt8.max {
                counter += 1
            }
        }
    }

    package var publicKey: JWK { JWK(key.publicKey, keyID: id) }

    /// Signs a checkpoint: ES256 in the compact form (RFC 7515 §7.1).
    package func sign(_ checkpoint: AuditCheckpoint) throws -> String {
        try sign(checkpoint.json, as: AuditCheckpoint.type)
    }

    package func sign(_ endorsement: AuditKeyEndorsement) throws -> String {
        try sign(endorsement.json, as: AuditKeyEndorsement.type)
    }

    /// Signs the evidence of an operation. It uses the same key, so that an auditor keeps only one.
    package func sign(_ evidence: OperationEvidenceClaims) throws -> OperationEvidence {
        try OperationEvidence(sign(evidence.json, as: .walletOperationEvidence))
    }

    package func sign(_ evidence: TransactionEvidenceClaims) throws -> TransactionEvidence {
        try TransactionEvidence(sign(evidence.json, as: .walletTransactionEvidence))
    }

    private func sign(_ json: JSONObject, as type: JWSType) throws -> String {
        let signer = P256Signer(key, keyID: id)
        return try CompactJWSEncoder(signer: signer, type: type).encode(json.bytes, signer: signer)
    }

    /// Reads a checkpoint signed by one of the trusted keys.
    /// - Parameter text: the compact form, from any source.
    /// - Throws: a `JOSEError` or `MalformedValue` for anything else.
    package static func read(_ text: String, trusting keys: [AuditCheckpointKey]) throws -> AuditCheckpoint {
        let verifiers = keys.map { P256Verifier($0.key.publicKey, keyID: $0.id) }
        let jws = try CompactJWS(text).verified(by: verifiers, type: AuditCheckpoint.type)
        return try AuditCheckpoint(try JSONValue.object(parsing: jws.payload))
    }
}

/// A statement in which an audit key vouches for its successor.
package struct AuditKeyEndorsement: Sendable, Hashable {
    package var issuer: String
    /// In whole seconds.
    package var issuedAt: Timestamp
    /// The public half of the key that signs checkpoints from now on.
    package var key: JWK

    package init(issuer: String, issuedAt: Timestamp, key: JWK) {
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.key = key
    }

    /// The `typ` header (RFC 8725 §3.11).
    package static let type = JWSType("walletauth-audit-key+jwt")

    var json: JSONObject {
        var json = JSONObject()
        json.set("iss", issuer)
        json.set("iat", issuedAt.seconds)
        json["key"] = .object(key.json)
        return json
    }

    init(_ json: JSONObject) throws {
        issuer = try json.required("iss", try json.string("iss"))
        issuedAt = Timestamp(seconds: try json.required("iat", try json.integer("iat")))
        key = try JWK(json.required("key", json["key"]?.object))
    }
}

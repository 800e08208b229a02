package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Evidence of how an operation was consented to, for the client that requested it.
extension RequestedOperations {
    /// Creates the document. Its content is deterministic for the same facts.
    /// - Parameter id: the name that the backend gave the operation.
    package func evidence(
        of id: WalletOperationID, call: BackendCaller
    ) async throws -> Result<OperationEvidence, WalletOperationRefusal> {
        let (name, client) = (id.rawValue, call.client.id.rawValue)
        let found = try await evidence(now: call.now) {
            try WalletOperations.find(name, client: client, on: $0).map { [$0] } ?? []
        }
        return found.first.map { .success($0.document) } ?? .failure(.operationNotFound)
    }

    /// The documents of the operations with an id, for the operator: that of their event, or the clients' own, which several may
    /// have used.
    package func evidence(
        named id: String, now: Timestamp
    ) async throws -> [(document: OperationEvidence, account: UniqueID?)] {
        try await evidence(now: now) { try WalletOperations.find(named: id, on: $0) }
    }

    private func evidence(
        now: Timestamp, of find: @escaping @Sendable (any SQLConnection) throws -> [WalletOperationRecord]
    ) async throws -> [(document: OperationEvidence, account: UniqueID?)] {
        let read: @Sendable (any SQLConnection) throws -> (claims: [OperationEvidenceClaims], isSettled: Bool) = {
            connection in
            // After the retention, the steps are deleted before the operation is.
            let records = try find(connection).filter { $0.keptUntil > now }
            let claims = try records.map { record in
                try RecordedSteps(audit: audit, record: record, now: now).require(on: connection)
                return try self.claims(of: record, now: now, on: connection)
            }
            return (claims, !records.contains { $0.event.hasJustExpired(at: now) })
        }
        var found = try await ledger.database.read(read)
        if !found.isSettled {
            // A write in progress may contain a consent or a use that came in time.
            found = try await ledger.database.write { connection in
                for record in try find(connection) where ledger.database.mustTouch(record.event, at: now) {
                    try WalletOperations.touch(record.id, on: connection)
                }
                return try read(connection)
            }
        }
        let key = try AuditCheckpointKey(keyRing.active(.audit))
        do {
            return try found.claims.map { (try key.sign($0), UniqueID(uuid: $0.account.rawValue)) }
        } catch let fault as MalformedValue {
            throw EvidenceNotMade(fault: fault)
        }
    }

    /// The places of an operation's steps in the audit log, in order; those of several, if several clients used the id.
    package func auditPlaces(named id: String) async throws -> [AuditHead.Place] {
        try await ledger.database.read { connection in
            try WalletOperations.find(named: id, on: connection).flatMap { record in
                try SCASteps.all(of: record.id, on: connection).compactMap(\.place)
            }
        }
    }

    /// The rows do not fit into a document. The request is valid; it is a fault of the server that the operator has to learn about.
    struct EvidenceNotMade: Error, CustomStringConvertible {
        let fault: MalformedValue

        var description: String { "the evidence of an operation could not be created: \(fault)" }
    }

    package func claims(
        of record: WalletOperationRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> OperationEvidenceClaims {
        let content = try vault.open(record)
        let kept = try SCASteps.all(of: record.id, on: connection)
        let attempts = try WalletOperations.attempts(of: record.id, on: connection).map {
            try attempt($0, of: record.id)
        }
        let decision: OperationEvidenceClaims.Decision =
            switch record.decision {
            case .required: .required
            case .exempt(let exemption): .exempt(exemption)
            }
        return OperationEvidenceClaims(
            issuer: try Issuer(record.issuer),
            status: Self.status(of: record, at: now),
            operationID: content.payload.operationID, clientID: content.payload.clientID,
            account: content.payload.account, session: try SessionID(bytes: record.sessionID.bytes),
            eventID: content.payload.eventID, payload: content.bytes,
            requestedAt: record.createdAt.milliseconds, expiresAt: record.event.expiresAt.milliseconds,
            decision: decision, findings: try Self.findings(record.findings),
            steps: try kept.map { try step($0, of: record.id) },
            attempts: attempts,
            authorization: try authorization(of: record, steps: kept))
    }

    private func step(_ kept: SCASteps.Record, of id: UniqueID) throws -> OperationEvidenceClaims.Step {
        guard let kind = OperationEvidenceClaims.Step.Kind(rawValue: kept.kind) else { throw DamagedRow() }
        let facts = try OperationFacts(kept.facts)
        let circumstances = try vault.open(circumstances: kept.circumstances, of: id)
        return OperationEvidenceClaims.Step(
            kind: kind, at: kept.at.milliseconds, verification: facts.verification,
            destination: circumstances?.destination, signIn: facts.signIn, isWithdrawal: facts.isWithdrawal,
            circumstances: circumstances?.origin,
            place: kept.place.map {
                OperationEvidenceClaims.Place(
                    partition: $0.partition.rawValue, sequence: $0.sequence, link: $0.link)
            })
    }

    private func attempt(
        _ kept: WalletOperations.Attempt, of id: UniqueID
    ) throws -> OperationEvidenceClaims.Attempt {
        OperationEvidenceClaims.Attempt(
            verification: kept.proof.verification, at: kept.proof.at.milliseconds, isRight: kept.isRight,
            methods: kept.proof.methods, device: try kept.evidence.flatMap { try vault.device(in: $0, of: id) },
            session: try kept.evidence.flatMap { try vault.session(in: $0, of: id) },
            passkey: try kept.evidence.flatMap { try vault.passkey(in: $0, of: id) },
            circumstances: try vault.open(circumstances: kept.circumstances, of: id)?.origin)
    }

    private func authorization(
        of record: WalletOperationRecord, steps: [SCASteps.Record]
    ) throws -> OperationEvidenceClaims.Authorization? {
        let authorized = OperationEvidenceClaims.Step.Kind.authorized.rawValue
        guard let use = record.use, let step = steps.last(where: { $0.kind == authorized }),
            let key = try OperationFacts(step.facts).key
        else { return nil }
        return OperationEvidenceClaims.Authorization(
            code: try vault.open(answer: use.answer, of: record.id), key: key)
    }
}

/// The origin of a request and the destination of a code. They are erased with the account.
struct SealedCircumstances: Sendable {
    var origin: OperationEvidenceClaims.Circumstances?
    var destination: String?
}

extension OperationVault {
    /// - Parameter destination: the masked destination of a code.
    /// - Returns: `nil` if there is nothing to keep.
    func seal(_ origin: RequestOrigin?, destination: String? = nil, of id: UniqueID) throws -> [UInt8]? {
        guard origin != nil || destination != nil else { return nil }
        var object = JSONObject()
        if let origin { object["from"] = .object(OperationEvidenceClaims.Circumstances(origin).json) }
        object.set("destination", destination)
        return try seal(object.bytes, .circumstances, of: id)
    }

    /// - Throws: ``DamagedRow`` if they do not open: their key is lost, or they were moved.
    func open(circumstances sealed: [UInt8]?, of id: UniqueID) throws -> SealedCircumstances? {
        guard let sealed else { return nil }
        let object = try object(sealed, .circumstances, of: id)
        return SealedCircumstances(
            origin: try object["from"]?.object.map { try OperationEvidenceClaims.Circumstances($0) },
            destination: try object.string("destination"))
    }

    /// The device's own signature in a stored assertion. The signatures inside it are not released: with a stolen device, a signature
    /// by the PIN key verifies guesses.
    func device(in sealed: [UInt8], of id: UniqueID) throws -> OperationEvidenceClaims.Device? {
        let object = try object(sealed, .evidence, of: id)
        guard let text = object["assertion"]?.string, let key = object["device_key"]?.object else { return nil }
        let general = try GeneralJWS(Array(text.utf8))
        guard let first = general.signatures.first else { throw DamagedRow() }
        return OperationEvidenceClaims.Device(
            id: try DeviceID(object.required("device_id", object.string("device_id"))), key: try JWK(key),
            signature: String(decoding: first.signingInput, as: UTF8.self) + "." + Base64URL.encode(first.signature),
            attestation: try object["attestation"]?.object.map { try AppAttestation($0) },
            biometricKey: object["biometric_key"]?.string.flatMap(BiometricKeyVoucher.init))
    }

    /// The session of the app that approved for another session; `nil` if the operation's own session proved the factor.
    func session(in sealed: [UInt8], of id: UniqueID) throws -> SessionID? {
        let text = try object(sealed, .evidence, of: id)["session_id"]?.string
        return try text.flatMap { UniqueID(uuid: $0) }.map { try SessionID(bytes: $0.bytes) }
    }

    /// A stored passkey signature, complete but for the row's ID: no guessable secret is involved in it. `nil` if a device signed.
    func passkey(in sealed: [UInt8], of id: UniqueID) throws -> PasskeySignature? {
        let object = try object(sealed, .evidence, of: id)
        return try object["passkey"]?.object.map { try PasskeySignature($0) }
    }
}

extension OperationEvidenceClaims.Circumstances {
    /// The number of bytes kept of a `User-Agent`, so that a document has room for the maximum number of steps.
    static let keptUserAgentBytes = 256

    /// The part of a request's origin that evidence keeps.
    package init(_ origin: RequestOrigin) {
        self.init(
            address: origin.address, userAgent: origin.userAgent.map { Self.beginning(of: $0) },
            traceID: origin.traceID)
    }

    /// The kept part of a `User-Agent`: whole characters, without those that JSON writes as six.
    private static func beginning(of agent: String) -> String {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in agent.unicodeScalars where scalar.properties.generalCategory != .control {
            length += scalar.utf8.count
            guard length <= keptUserAgentBytes else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}

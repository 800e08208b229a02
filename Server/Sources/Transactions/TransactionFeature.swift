internal import Consent
package import Core
package import Kernel
package import Operations
internal import SignIn
package import Store
package import WalletAuthWire
package import Web

/// What transactions add to the server.
package enum TransactionFeature {
    package static let events: [any SecurityEventKind] = TransactionEvent.allCases
    package static let pages: [any PageValues.Type] = [TransactionValues.self]

    package static func routes(_ edge: Edge, _ transactions: TransactionFlows) -> [Route] {
        let pins = PINAnswers(edge)
        let answers = TransactionAnswers(pins: pins)
        let devices = DeviceTransactionEndpoints(transactions: transactions, answers: answers)
        return BackendTransactionEndpoints(transactions: transactions, devices: devices, answers: answers).routes
            + devices.routes + ScannedSignInEndpoints(signIns: transactions.signIns, answers: answers).routes
            + [PINEvaluationEndpoint(pins: transactions.pins, answers: pins).route]
            + BackchannelAuthenticationEndpoint(
                authentications: transactions.backchannel, proofs: edge.proofs
            ).routes
            + [PendingApprovalEndpoint(approvals: transactions.approvals, answers: ApprovalAnswers(edge.faults)).route]
            + TransactionPageEndpoint(pages: edge.pages, links: transactions.links).routes
    }
}

/// Transactions end with their device, and lose what identifies the person with the account.
package struct TransactionRows: DependentRows {
    package init() {}

    package func deviceRemoved(_ device: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        for record in try Transactions.cancelAll(onRemovedDevice: device, now: now, on: connection) {
            if record.isBackchannel, let account = record.accountID {
                _ = try DeviceGrants.decide(record.id, by: account, grant: nil, now: now, on: connection)
            }
            // The audit log has the removal, and no entry for each transaction.
            let digest = Digests.of("transaction-cancelled", record.id.bytes)
            guard let id = UniqueID.timeOrdered(now, digest.prefix(16)) else { throw InvariantViolation() }
            try record.webhook(.cancelled, .cancelled, id: id, at: now).write(sequence: 0, on: connection)
        }
    }

    package func waits(
        _ kind: String, _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool? {
        guard kind == ApprovalSubject.Kind.transaction.rawValue else { return nil }
        return try Transactions.find(id, on: connection)?.state.status(at: now).isFinal == false
    }

    package func openPayments(
        of account: UniqueID, sealing: SealingKeys, limit: Int, now: Timestamp, on connection: any SQLConnection
    ) throws -> [OpenPayment] {
        try Transactions.open(of: account, limit: limit, now: now, on: connection).map { record in
            // One whose row is damaged keeps the account open as well.
            var content: TransactionContent?
            if case .server(let request, _)? = try? TransactionVault(sealing).open(record) { content = request.content }
            return OpenPayment(
                kind: .transaction, id: try TransactionID(record.id.uuid), payee: content?.payee?.name,
                amount: content?.amount, begunAt: NumericDate(clamping: record.createdAt.seconds),
                expiresAt: NumericDate(clamping: record.state.expiresAt.seconds))
        }
    }

    package func payment(
        _ details: JSONObject, of account: UniqueID, in language: Language, sealing: SealingKeys,
        on connection: any SQLConnection
    ) throws -> String? {
        guard let id = details["transaction_id"]?.string.flatMap(UniqueID.init(uuid:)),
            let record = try Transactions.find(id, on: connection), record.accountID == account,
            case .server(let request, _)? = try? TransactionVault(sealing).open(record)
        else { return nil }
        return PaymentLine.text(request.content.amount, to: request.content.payee, in: language)
    }

    /// Signed transactions outlast the account, as evidence, but not the origins of the requests.
    package func accountErased(_ account: UniqueID, on connection: any SQLConnection) throws {
        for id in try Transactions.backchannel(of: account, on: connection) {
            try DeviceGrants.remove(id, on: connection)
        }
        try Transactions.eraseUnsigned(of: account, on: connection)
        try TransactionSteps.eraseCircumstances(of: account, on: connection)
        try ScanSignIns.removeAll(of: account, on: connection)
    }
}

/// Transactions: created by a backend or begun by an app, and signed on an enrolled device (docs/protocol.md, section 6).
///
/// This target owns transactions. The check of a PIN or a device's key (`SignIn`) knows only why one is refused.
package struct TransactionFlows: Sendable {
    package let ofBackends: BackendTransactions
    package let onDevices: DeviceTransactions
    /// Transactions that an app begins itself.
    package let drafts: TransactionDrafts
    /// Sign-ins at clients that name the person.
    package let backchannel: BackchannelAuthentications
    /// Sign-ins at other devices' browsers, approved by scanning their page.
    package let signIns: ScannedSignIns
    /// Evaluations of PINs, whatever they are to sign.
    package let pins: TransactionPINs
    /// What waits on a device, operations included.
    package let approvals: PendingApprovals
    let ledger: TransactionLedger
    let links: TransactionLinks

    package init(_ server: AuthorizationServer) {
        let context = server.context
        let (settings, random) = (context.settings, context.random)
        let admission = DeviceAdmission(clients: context.clients)
        ledger = TransactionLedger(
            database: context.database, clock: context.clock, changes: context.changes,
            vault: TransactionVault(context.sealing), auditLog: context.auditLog)
        links = TransactionLinks(
            database: context.database, clients: context.clients, clock: context.clock, random: random,
            vault: ledger.vault, sealing: context.sealing)
        ofBackends = BackendTransactions(
            ledger: ledger, random: random, issuer: settings.issuer, audit: context.audit,
            keyRing: context.keyRing, pushes: server.signIn.approvalPushes)
        backchannel = BackchannelAuthentications(
            transactions: ofBackends, proofs: context.proofs, clients: context.clientAuthenticator,
            people: BackchannelPeople(context), vault: DeviceGrantVault(context.sealing))
        onDevices = DeviceTransactions(
            ledger: ledger,
            assertions: server.signIn.assertions, admission: admission,
            challenges: DeviceChallenges(sealing: context.sealing), random: random, issuer: settings.issuer,
            biometricKeys: settings.biometricKeyRule, evidenceRetention: settings.sca.evidenceRetention)
        drafts = TransactionDrafts(ledger: ledger, devices: onDevices, sealing: context.sealing)
        signIns = ScannedSignIns(
            devices: onDevices, vault: ScanSignInVault(context.sealing), keyRing: context.keyRing)
        pins = TransactionPINs(
            evaluation: server.signIn.evaluation, ledger: ledger, drafts: drafts, signIns: signIns,
            admission: admission, issuer: settings.issuer)
        approvals = PendingApprovals(devices: onDevices, phones: server.consent.approvals)
    }
}

extension TransactionFlows: AdministeredFlow {
    package static var eventKinds: [any SecurityEventKind] { TransactionFeature.events }

    package func evidence(named id: String) async throws -> [FoundEvidence] {
        guard let id = UniqueID(uuid: id),
            let document = try await ofBackends.evidence(of: id, now: ledger.clock.now())
        else { return [] }
        let account = try await ledger.database.read { try Transactions.find(id, on: $0)?.accountID }
        return [FoundEvidence(document: document.rawValue, account: account)]
    }

    package func auditPlaces(named id: String) async throws -> [AuditHead.Place] {
        guard let id = UniqueID(uuid: id) else { return [] }
        return try await ledger.database.read { try TransactionSteps.all(of: id, on: $0).map(\.place) }
    }

    /// The transactions that an account signed or was asked to sign, as their evidence describes them.
    package func export(of account: UniqueID) async throws -> (member: String, value: JSONValue) {
        let now = ledger.clock.now()
        var transactions: [JSONValue] = []
        var cursor: UniqueID?
        while true {
            let (page, last) = try await ledger.database.read { [cursor] connection in
                let records = try Transactions.list(
                    of: .account(account), after: cursor, limit: TransactionLimits.pageSize, now: now, on: connection)
                return (try records.map { try exported($0, now: now, on: connection) }, records.last?.id)
            }
            transactions += page
            guard let last, page.count == TransactionLimits.pageSize else { break }
            cursor = last
        }
        return ("transactions", .array(transactions))
    }

    /// A transaction in its person's export, with the signed bytes decoded.
    private func exported(
        _ record: TransactionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> JSONValue {
        do {
            let claims = try ledger.claims(of: record, now: now, on: connection)
            var json = claims.json.exported(timesIn: .milliseconds)
            switch try ledger.vault.open(record) {
            case .server(let request, _): json["request"] = .object(request.json)
            case .client(let state, let data):
                json.set("clientState", state.map { Base64URL.encode($0) })
                json.set("clientAdditionalData", data.map { Base64URL.encode($0) })
            }
            json["payload"] = try claims.payload.map {
                .object(try JSONValue.object(parsing: $0).exported(timesIn: .seconds))
            }
            return .object(json)
        } catch let error where error is DamagedRow || error is MalformedValue || error is JOSEError {
            // A damaged transaction must not keep the person from getting the others.
            var json = JSONObject()
            json.set("transactionId", record.id.uuid)
            json.set("clientId", record.clientID)
            json.set("createdAt", record.createdAt.text)
            json.set("fault", "The stored data of this transaction cannot be read.")
            return .object(json)
        }
    }
}

package import Core
package import Kernel
package import SignIn
package import Store
package import WalletAuthWire

/// A row of a wallet operation and its event.
package struct WalletOperationRecord: Sendable, Hashable {
    /// The id of the event, time-ordered.
    package var id: UniqueID
    package var clientID: String
    /// The backend's id of the operation.
    package var operationID: String
    /// The digest of the `Idempotency-Key` that created it.
    package var createKey: String?
    package var accountID: UniqueID
    package var sessionID: UniqueID
    /// The issuer it was requested under, exactly.
    package private(set) var issuer: String
    package var type: String
    /// The operation and the request for it.
    package var sealed: [UInt8]
    /// Whether the person has to agree.
    package var decision: Decision
    /// The findings for each exemption, as JSON.
    package var findings: String
    /// An exempt operation is verified from the beginning.
    package var event: SCAEvent
    package var challenge: Challenge
    package var use: Use?
    /// Increases with each change and guards it.
    package var revision: Int64
    package var createdAt: Timestamp
    /// The end of the retention as evidence.
    package var keptUntil: Timestamp
    /// The consent since which a low-value payment was counted (``SCAHistory/Record/consents``); nil if it is not
    /// counted.
    package var countedIn: Int64?
    /// When the series that the operation began ended.
    package private(set) var endedAt: Timestamp?

    package enum Decision: Sendable, Hashable {
        case required
        /// By an exemption or, if that is nil, by the operator's rule.
        case exempt(SCAExemption?)
    }

    /// The data of the current challenge, in addition to its factor.
    package struct Challenge: Sendable, Hashable {
        /// The stored form of a sent code.
        package var code: OpenFactorRecord.Code?
        /// The id of a challenge that a device or page answers.
        package var id: [UInt8]?
    }

    /// The single use of the consent, with its answer.
    package struct Use: Sendable, Hashable {
        /// The digest of the `Idempotency-Key` that carried it out.
        package var key: String?
        /// Sealed.
        package var answer: [UInt8]

        package init(key: String?, answer: [UInt8]) {
            self.key = key
            self.answer = answer
        }
    }

    /// A new operation.
    package init(
        id: UniqueID, clientID: String, operationID: String, createKey: String?, accountID: UniqueID,
        sessionID: UniqueID, issuer: String, type: String, sealed: [UInt8], decision: Decision, findings: String,
        event: SCAEvent, createdAt: Timestamp, keptUntil: Timestamp
    ) {
        self.id = id
        self.clientID = clientID
        self.operationID = operationID
        self.createKey = createKey
        self.accountID = accountID
        self.sessionID = sessionID
        self.issuer = issuer
        self.type = type
        self.sealed = sealed
        self.decision = decision
        self.findings = findings
        self.event = event
        challenge = Challenge()
        revision = 1
        self.createdAt = createdAt
        self.keptUntil = keptUntil
    }
}

extension WalletOperationRecord {
    /// The columns that ``init(_:attempts:)`` reads and ``values(of:)`` gives. `failed` contains the attempts spent (``SCAEvent/spent``); the
    /// wrong ones are counted from the rows of attempts.
    enum Column: Int, RecordColumn {
        case eventID, clientID, operationID, createKey, accountID, sessionID, type, sealed, decision, exemption
        case findings, state, method, channel, challengeID, codeMAC, macKeyID, codeExpiresAt, failed, sends, sentAt
        case completedAt, useKey, answer, revision, createdAt, expiresAt, keptUntil, challenges, triedAt, countedIn
        case endedAt, issuer, compared
    }

    static let columns = Column.list()

    /// The values of columns, in their order.
    func values(of columns: [Column]) -> [SQLValue] {
        let state = StoredState(event.state, challenge)
        return columns.map { value(of: $0, state) }
    }

    /// The state of the event as it is stored, with the challenge if one is open.
    private struct StoredState {
        var name: String
        var present: SCAEvent.Challenge?
        var challenge = Challenge()
        var completedAt: Timestamp?

        init(_ state: SCAEvent.State, _ challenge: Challenge) {
            switch state {
            case .open: name = "open"
            case .challenged(let present):
                name = "challenged"
                self.present = present
                self.challenge = challenge
            case .verified(let at): (name, completedAt) = ("verified", at)
            case .used(let at): (name, completedAt) = ("used", at)
            case .locked: name = "locked"
            case .cancelled: name = "cancelled"
            }
        }
    }

    private func value(of column: Column, _ state: StoredState) -> SQLValue {
        switch column {
        case .eventID: .id(id)
        case .clientID: .text(clientID)
        case .operationID: .text(operationID)
        case .createKey: .optional(createKey)
        case .accountID: .id(accountID)
        case .sessionID: .id(sessionID)
        case .type: .text(type)
        case .sealed: .blob(sealed)
        case .decision: decision == .required ? .text("required") : .text("exempt")
        case .exemption: if case .exempt(let exemption?) = decision { .name(exemption) } else { .null }
        case .findings: .text(findings)
        case .state: .text(state.name)
        case .method: .optional(state.present?.verification.method.rawValue)
        case .channel: .optional(state.present?.verification.channel.rawValue)
        case .challengeID: .optional(state.challenge.id)
        case .codeMAC: .optional(state.challenge.code?.mac)
        case .macKeyID: .optional(state.challenge.code.map { Int64($0.keyID.value) })
        case .codeExpiresAt: .time(state.present?.codeExpiresAt)
        case .failed: .integer(Int64(event.spent))
        case .sends: .integer(Int64(event.sends))
        case .sentAt: .time(event.sentAt)
        case .completedAt: .time(state.completedAt)
        case .useKey: .optional(use?.key)
        case .answer: .optional(use?.answer)
        case .revision: .integer(revision)
        case .createdAt: .time(createdAt)
        case .expiresAt: .time(event.expiresAt)
        case .keptUntil: .time(keptUntil)
        case .challenges: .integer(Int64(event.challenges))
        case .triedAt: .time(event.triedAt)
        case .countedIn: .optional(countedIn)
        case .endedAt: .time(endedAt)
        case .issuer: .text(issuer)
        case .compared: .optional(event.compared.isEmpty ? nil : Array(event.compared.joined()))
        }
    }

    init(_ row: SQLRow, attempts: [WalletOperations.Attempt]) throws {
        func damaged(_ column: String) -> StoreError {
            StoreError(.unexpectedRow, "column \(column) has no known value")
        }
        let row = RecordRow<Column>(row)
        id = try row.id(.eventID)
        clientID = try row.text(.clientID)
        operationID = try row.text(.operationID)
        createKey = try row.optionalText(.createKey)
        accountID = try row.id(.accountID)
        sessionID = try row.id(.sessionID)
        type = try row.text(.type)
        sealed = try row.blob(.sealed)
        switch (try row.text(.decision), try row.optionalText(.exemption)) {
        case ("required", _): decision = .required
        case ("exempt", nil): decision = .exempt(nil)
        case ("exempt", let name?):
            guard let exemption = SCAExemption(rawValue: name) else { throw damaged("exemption") }
            decision = .exempt(exemption)
        default: throw damaged("decision")
        }
        findings = try row.text(.findings)
        let codeExpiresAt = try row.optionalTime(.codeExpiresAt)
        let completedAt = try row.optionalTime(.completedAt)
        let state: SCAEvent.State
        switch (try row.text(.state), completedAt) {
        case ("open", _): state = .open
        case ("challenged", _):
            let verification = try? SCAVerification(method: row.name(.method), channel: row.name(.channel))
            guard let verification else { throw damaged("method") }
            state = .challenged(SCAEvent.Challenge(verification, codeExpiresAt: codeExpiresAt))
        case ("verified", let at?): state = .verified(at: at)
        case ("used", let at?): state = .used(at: at)
        case ("locked", _): state = .locked
        case ("cancelled", _): state = .cancelled
        default: throw damaged("state")
        }
        challenge = Challenge(id: try row.optionalBlob(.challengeID))
        if let mac = try row.optionalBlob(.codeMAC), let codeExpiresAt {
            challenge.code = OpenFactorRecord.Code(
                mac: mac, keyID: KeyID(UInt32(clamping: try row.integer(.macKeyID))), expiresAt: codeExpiresAt)
        }
        event = SCAEvent(
            state: state, proofs: attempts.filter(\.isRight).map(\.proof),
            spent: Int(clamping: try row.integer(.failed)), wrong: attempts.count { !$0.isRight },
            sends: Int(clamping: try row.integer(.sends)), sentAt: try row.optionalTime(.sentAt),
            expiresAt: try row.time(.expiresAt), challenges: Int(clamping: try row.integer(.challenges)),
            triedAt: try row.optionalTime(.triedAt),
            compared: try Self.digests(in: row.optionalBlob(.compared) ?? []))
        if let answer = try row.optionalBlob(.answer) {
            use = Use(key: try row.optionalText(.useKey), answer: answer)
        }
        revision = try row.integer(.revision)
        createdAt = try row.time(.createdAt)
        keptUntil = try row.time(.keptUntil)
        countedIn = try row.optionalInteger(.countedIn)
        endedAt = try row.optionalTime(.endedAt)
        issuer = try row.text(.issuer)
    }

    /// The digests that a column keeps one after the other.
    private static func digests(in bytes: [UInt8]) throws -> [[UInt8]] {
        let size = 32
        guard bytes.count.isMultiple(of: size) else {
            throw StoreError(.unexpectedRow, "column compared has no known value")
        }
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<$0 + size]) }
    }
}

/// Seals the personal and financial data in the rows of wallet operations.
package typealias OperationVault = Vault<OperationField>

package enum OperationField: String, SealedField {
    case content = "wallet_operations|sealed"
    case answer = "wallet_operations|answer"
    /// A device's assertion: with a stolen device, the signature by the PIN key verifies guesses.
    case evidence = "sca_attempts|evidence"
    case circumstances = "sca|circumstances"
    case payee = "trusted_payees|sealed"

    package var purpose: KeyPurpose { self == .evidence ? .pin : .personal }
}

/// The sealed content of an operation's row.
struct OperationContent: Sendable {
    /// The bytes that the person consents to.
    var bytes: [UInt8]
    /// The same bytes, decoded.
    var payload: OperationPayload
    /// The request as it arrived, to recognize a repetition.
    var request: [UInt8]
}

extension OperationVault {
    func seal(_ payload: [UInt8], request: [UInt8], of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("payload", Base64URL.encode(payload))
        object.set("request", Base64URL.encode(request))
        return try seal(object.bytes, .content, of: id)
    }

    /// - Throws: ``DamagedRow`` if the row does not open: its key is lost, or it was moved.
    func open(_ record: WalletOperationRecord) throws -> OperationContent {
        let object = try object(record.sealed, .content, of: record.id)
        guard let bytes = object["payload"]?.string.flatMap({ Base64URL.decode($0) }),
            let request = object["request"]?.string.flatMap({ Base64URL.decode($0) }),
            let payload = try? OperationPayload(parsing: bytes)
        else { throw DamagedRow() }
        return OperationContent(bytes: bytes, payload: payload, request: request)
    }

    func open(answer: [UInt8], of id: UniqueID) throws -> AuthenticationCode {
        try AuthenticationCode(String(decoding: bytes(answer, .answer, of: id), as: UTF8.self))
    }

    func seal(payee: Payee, id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("name", payee.name)
        object.set("account", payee.account)
        return try seal(object.bytes, .payee, of: id)
    }

    /// The account of a trusted payee; `nil` if it does not open.
    func account(ofPayee record: TrustedPayees.Record) -> String? { payee(of: record)?.account }

    /// A trusted payee; `nil` if it does not open.
    package func payee(of record: TrustedPayees.Record) -> (name: String?, account: String?)? {
        (try? object(record.sealed, .payee, of: record.id)).map { ($0["name"]?.string, $0["account"]?.string) }
    }
}

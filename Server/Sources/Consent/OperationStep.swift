internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A step in the life of a wallet operation, recorded in one write for the audit log and for evidence.
struct OperationStep: Sendable {
    let context: ServerContext
    let kind: OperationEvidenceClaims.Step.Kind
    /// The row after the step.
    let record: WalletOperationRecord
    let origin: RequestOrigin?
    let now: Timestamp
    /// The challenged method, with the masked destination of its code.
    var challenged: AvailableVerification?
    /// The session's sign-in at that time, which also counted for the step.
    var signIn: OperationEvidenceClaims.SignIn?
    /// The issuer's key that signed the authentication code issued with the step. The key is published for some months
    /// only, and evidence is kept for longer.
    var key: JWK?
    /// `nil` for a step that the audit log does not record.
    var entry: AuditLog.Entry?

    func write(on connection: any SQLConnection) throws {
        let place = try entry?.write(on: connection)
        try SCASteps.add(
            SCASteps.Record(
                kind: kind.rawValue,
                facts: String(decoding: facts.json.bytes, as: UTF8.self),
                circumstances: try OperationVault(context.sealing).seal(
                    origin, destination: challenged?.destination, of: record.id), place: place, at: now),
            to: record.id, on: connection)
    }

    private var facts: OperationFacts {
        var facts = OperationFacts(verification: challenged?.verification)
        facts.signIn = signIn
        facts.key = key
        return facts
    }
}

/// The stored facts of a step that contain no personal data.
struct OperationFacts: Sendable {
    /// The challenged method.
    var verification: SCAVerification?
    /// The factors of the sign-in.
    var signIn: OperationEvidenceClaims.SignIn?
    /// The issuer's key that signed the authentication code.
    var key: JWK?

    init(verification: SCAVerification?) { self.verification = verification }

    init(_ json: String) throws {
        let object = try JSONValue.object(parsing: Array(json.utf8))
        verification = try object["verification"]?.object.map { try SCAVerification($0) }
        signIn = try object["signIn"]?.object.map { try OperationEvidenceClaims.SignIn($0) }
        key = try object["key"]?.object.map { try JWK($0) }
    }

    var json: JSONObject {
        var object = JSONObject()
        if let verification { object["verification"] = .object(verification.json) }
        if let signIn { object["signIn"] = .object(signIn.json) }
        if let key { object["key"] = .object(key.json) }
        return object
    }
}

extension OperationEvidenceClaims.SignIn {
    init(_ session: OperationSession, at now: Timestamp) {
        self.init(
            methods: session.methods, at: session.authTime.milliseconds, isCounted: !session.methods(at: now).isEmpty)
    }
}

extension OperationEvidenceClaims.Step.Kind {
    /// The step for an audit log event.
    init(_ event: OperationEvent) {
        switch event {
        case .requested: self = .requested
        case .exempted: self = .exempted
        case .verified: self = .verified
        case .locked: self = .locked
        case .cancelled: self = .cancelled
        case .refused: self = .refused
        case .authorized: self = .authorized
        }
    }
}

internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Something that happens to a wallet operation: in the audit log, and in what evidence is made of, by one write.
struct OperationStep: Sendable {
    let context: ServerContext
    let kind: OperationEvidenceClaims.Step.Kind
    /// As it stands with the step done.
    let record: WalletOperationRecord
    let origin: RequestOrigin?
    let now: Timestamp
    /// The way that was challenged, and where its code goes, masked.
    var challenged: AvailableVerification?
    /// What decided beside the step: the session's sign-in, as it stood then.
    var signIn: OperationSession?
    /// The authentication code that is given out with the step.
    var code: AuthenticationCode?
    /// The audit log's entry; `nil` for what is not recorded there.
    var entry: AuditLog.Entry?

    /// Writes the entry and the step.
    func write(on connection: any SQLConnection) throws {
        let place = try entry?.write(on: connection)
        try SCASteps.add(
            SCASteps.Record(
                kind: kind.rawValue,
                facts: String(decoding: try facts.json.bytes, as: UTF8.self),
                circumstances: try OperationVault(context: context).seal(
                    origin, destination: challenged?.destination, of: record.id), place: place, at: now),
            to: record.id, on: connection)
    }

    private var facts: OperationFacts {
        get throws {
            var facts = OperationFacts(verification: challenged?.verification)
            facts.signIn = signIn.map { signIn in
                OperationEvidenceClaims.SignIn(
                    methods: signIn.methods, at: signIn.authTime.milliseconds,
                    isCounted: !signIn.methods(at: now).isEmpty)
            }
            // It is published for some months, and evidence is kept for longer.
            facts.key = try code.flatMap { try CompactJWS($0.rawValue).header.keyID }
                .flatMap { context.keyRing.publishedKeys()[$0] }
            return facts
        }
    }
}

/// What belongs to a step and says nothing of the person, as it is kept.
struct OperationFacts: Sendable {
    /// The way that was challenged.
    var verification: SCAVerification?
    /// What the sign-in proved.
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

extension OperationEvidenceClaims.Step.Kind {
    /// The step that an entry of the audit log tells of; `nil` for an entry of something else.
    init?(_ event: AuditLog.Event) {
        switch event {
        case .operationRequested: self = .requested
        case .operationExempted: self = .exempted
        case .operationVerified: self = .verified
        case .operationLocked: self = .locked
        case .operationCancelled: self = .cancelled
        case .operationRefused: self = .refused
        case .operationAuthorized: self = .authorized
        default: return nil
        }
    }
}

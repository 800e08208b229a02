/// The proof that an operation was authorized (the authentication code of RTS article 4): a compact JWS by the server's
/// signing key over the operation, its payer, payee and amount. It opens nothing; it is evidence, and may be kept in the open.
public struct AuthenticationCode: WireValue {
    /// The compact JWS.
    public let rawValue: String

    /// Checks the form.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...CompactJWS.maximumBytes) {
            throw MalformedValue(field: "authenticationCode", reason: reason)
        }
        rawValue = text
    }
}

/// What an ``AuthenticationCode`` says: a JWT of type `wallet-operation+jwt`.
public struct AuthenticationCodeClaims: Hashable, Sendable {
    /// `iss`: the server.
    public var issuer: Issuer
    /// `aud`: the backend's client.
    public var clientID: ClientID
    /// `sub`: whose operation it is.
    public var account: AccountID
    /// `jti`: the code's own name.
    public var id: String
    /// `iat`: when the backend was told to carry it out.
    public var issuedAt: NumericDate
    /// `walletOperationId`.
    public var operationID: WalletOperationID
    /// `type`, `amount`, `payee` and `details`.
    public var operation: WalletOperation
    /// `sca`: on what grounds.
    public var basis: Basis

    /// On what grounds an operation was authorized.
    public enum Basis: Hashable, Sendable {
        /// The person agreed.
        case verified(Consent)
        /// An exemption of the RTS, or, where it is nil, the operator's own rule.
        case exempt(SCAExemption?)
    }

    /// How the person agreed.
    public struct Consent: Hashable, Sendable {
        /// What ``methods`` are made of.
        public enum Version: Int64, Hashable, Sendable {
            /// What was proved for the event, and what the session stood by when the operation was carried out, whether it had
            /// counted or not. Earlier servers made such codes; they have no `ver`.
            case methodsAtUse = 1
            /// What counted when the person agreed, and nothing else.
            case methodsAtConsent = 2
        }

        /// `ver`: what ``methods`` are made of.
        public var version: Version
        /// `eventId`.
        public var eventID: SCAEventID
        /// `operationHash`: the hash of the bytes agreed to, ``OperationPayload/hash``.
        public var payloadHash: PayloadHash
        /// `amr`: the methods that were proved (RFC 8176), at the sign-in and in the event.
        public var methods: [String]
        /// `verifiedAt`.
        public var at: NumericDate

        /// Each parameter is the property of its name.
        public init(
            eventID: SCAEventID, payloadHash: PayloadHash, methods: [String], at: NumericDate,
            version: Version = .methodsAtConsent
        ) {
            self.version = version
            self.eventID = eventID
            self.payloadHash = payloadHash
            self.methods = methods
            self.at = at
        }
    }

    /// Each parameter is the property of its name.
    public init(
        issuer: Issuer, clientID: ClientID, account: AccountID, id: String, issuedAt: NumericDate,
        operationID: WalletOperationID, operation: WalletOperation, basis: Basis
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.account = account
        self.id = id
        self.issuedAt = issuedAt
        self.operationID = operationID
        self.operation = operation
        self.basis = basis
    }

    /// Reads the claims of a code whose signature was verified.
    /// - Parameter object: the claims.
    public init(_ object: JSONObject) throws(MalformedValue) {
        issuer = try object.required("iss", object.value("iss"))
        clientID = try object.required("aud", object.value("aud"))
        account = try object.required("sub", object.value("sub"))
        id = try object.required("jti", object.string("jti"))
        issuedAt = try object.required("iat", object.date("iat"))
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        operation = try WalletOperation(members: object)
        basis = try Basis(object.required("sca", object.object("sca")))
    }

    /// The claims as JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("iss", issuer)
        object.set("aud", clientID)
        object.set("sub", account)
        object.set("jti", id)
        object.set("iat", issuedAt)
        object.set("walletOperationId", operationID)
        operation.add(to: &object)
        object["sca"] = .object(basis.json)
        return object
    }
}

extension AuthenticationCodeClaims.Basis {
    init(_ object: JSONObject) throws(MalformedValue) {
        switch try object.string("status") {
        case WalletOperationStatus.verified.rawValue:
            let stated = try object.integer("ver") ?? AuthenticationCodeClaims.Consent.Version.methodsAtUse.rawValue
            guard let version = AuthenticationCodeClaims.Consent.Version(rawValue: stated) else {
                throw MalformedValue(field: "sca.ver", reason: "is not known here: a newer program is needed")
            }
            self = .verified(
                AuthenticationCodeClaims.Consent(
                    eventID: try object.required("eventId", object.value("eventId")),
                    payloadHash: try object.required("operationHash", object.value("operationHash")),
                    methods: try object.strings("amr") ?? [],
                    at: try object.required("verifiedAt", object.date("verifiedAt")), version: version))
        case WalletOperationStatus.exempt.rawValue:
            let name = try object.string("exemption")
            let exemption = name.flatMap(SCAExemption.init)
            // An exemption that is not known here must not pass for the operator's rule.
            guard (name == nil) == (exemption == nil) else {
                throw MalformedValue(field: "exemption", reason: "is not known here")
            }
            self = .exempt(exemption)
        default: throw MalformedValue(field: "sca", reason: "has a status that is not known here")
        }
    }

    var json: JSONObject {
        var object = JSONObject()
        switch self {
        case .verified(let consent):
            object.set("status", WalletOperationStatus.verified.rawValue)
            // A code without it is of the first version: those that were handed out stay as they are.
            if consent.version != .methodsAtUse { object.set("ver", consent.version.rawValue) }
            object.set("eventId", consent.eventID)
            object.set("operationHash", consent.payloadHash)
            object.set("amr", consent.methods)
            object.set("verifiedAt", consent.at)
        case .exempt(let exemption):
            object.set("status", WalletOperationStatus.exempt.rawValue)
            object.set("exemption", exemption?.rawValue)
        }
        return object
    }
}

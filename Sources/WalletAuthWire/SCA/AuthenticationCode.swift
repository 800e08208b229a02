/// The proof that an operation was authorized (the authentication code of RTS article 4): a compact JWS by the server's
/// signing key over the operation, its payer, payee and amount. It is evidence and grants no access, so it need not be
/// kept secret.
public struct AuthenticationCode: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...CompactJWS.maximumBytes) }

    /// The compact JWS.
    public let rawValue: String

    /// Validates the form.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) {
        rawValue = try Self.checked(text, "authenticationCode")
    }
}

/// The claims of an ``AuthenticationCode``: a JWT of type `wallet-operation+jwt`.
public struct AuthenticationCodeClaims: Hashable, Sendable {
    /// `iss`: the server.
    public var issuer: Issuer
    /// `aud`: the backend's client.
    public var clientID: ClientID
    /// `sub`: the account of the operation.
    public var account: AccountID
    /// `jti`: the code's identifier.
    public var id: String
    /// `iat`: when the backend was authorized to carry it out.
    public var issuedAt: NumericDate
    /// `walletOperationId`.
    public var operationID: WalletOperationID
    /// `type`, `amount`, `payee` and `details`.
    public var operation: WalletOperation
    /// `sca`: the basis of the authorization.
    public var basis: Basis

    /// The basis of an authorization.
    public enum Basis: Hashable, Sendable {
        /// The person agreed.
        case verified(Consent)
        /// An exemption of the RTS or, if nil, the operator's own rule.
        case exempt(SCAExemption?)
    }

    /// The person's consent.
    public struct Consent: Hashable, Sendable {
        /// `ver`: that ``methods`` names what counted and nothing else.
        static let version: Int64 = 2

        /// `eventId`.
        public var eventID: SCAEventID
        /// `operationHash`: the hash of the bytes that the person agreed to, ``OperationPayload/hash``.
        public var payloadHash: PayloadHash
        /// `amr`: the methods (RFC 8176) that counted, proved at the sign-in and in the event.
        public var methods: [String]
        /// `verifiedAt`.
        public var at: NumericDate

        /// Creates a value. Each parameter sets the property of the same name.
        public init(eventID: SCAEventID, payloadHash: PayloadHash, methods: [String], at: NumericDate) {
            self.eventID = eventID
            self.payloadHash = payloadHash
            self.methods = methods
            self.at = at
        }
    }

    /// Creates a value. Each parameter sets the property of the same name.
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

    /// Reads the claims of a code with a verified signature.
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
            guard try object.integer("ver") == AuthenticationCodeClaims.Consent.version else {
                throw MalformedValue(field: "sca.ver", reason: "is not known here: a newer program is needed")
            }
            self = .verified(
                AuthenticationCodeClaims.Consent(
                    eventID: try object.required("eventId", object.value("eventId")),
                    payloadHash: try object.required("operationHash", object.value("operationHash")),
                    methods: try object.strings("amr") ?? [],
                    at: try object.required("verifiedAt", object.date("verifiedAt"))))
        case WalletOperationStatus.exempt.rawValue:
            let name = try object.string("exemption")
            let exemption = name.flatMap(SCAExemption.init)
            // An unknown exemption must not pass for the operator's rule.
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
            object.set("ver", AuthenticationCodeClaims.Consent.version)
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

extension JWSType {
    /// The proof of how an operation was consented to.
    public static let walletOperationEvidence = JWSType("wallet-operation-evidence+jwt")
}

/// The proof of how an operation was consented to, or why it needed no consent (RTS article 29, PSD2 article 72): a compact
/// JWS by the server's audit key, to be verified without the server (``verified(by:rsaVerifier:)``).
public struct OperationEvidence: WireValue {
    /// The compact JWS.
    public let rawValue: String

    /// The media type of the document.
    public static let mediaType = "application/wallet-operation-evidence+jwt"
    /// The longest document.
    public static let maximumBytes = 262_144

    /// Checks the form.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...Self.maximumBytes) {
            throw MalformedValue(field: "evidence", reason: reason)
        }
        rawValue = text
    }
}

/// What an ``OperationEvidence`` says. Times are milliseconds since 1970.
public struct OperationEvidenceClaims: Hashable, Sendable {
    /// `ver`: the version of the format. A document in which a passkey's signature stands is of version 2, every other of
    /// version 1.
    public var version: Int64 { attempts.contains { $0.passkey != nil } ? 2 : 1 }

    /// `iss`: the server, by the issuer that it had when the operation was asked for.
    public var issuer: Issuer
    /// `status`: where the operation stood when the document was made.
    public var status: WalletOperationStatus
    /// `walletOperationId`: the backend's name for it.
    public var operationID: WalletOperationID
    /// `clientId`: the backend's client.
    public var clientID: ClientID
    /// `accountId`: whose operation it is.
    public var account: AccountID
    /// `sessionId`: the session that it came from.
    public var session: SessionID
    /// `eventId`: the event by which the person agrees; an exempt operation has one in name.
    public var eventID: SCAEventID
    /// `operation`: the very bytes that are agreed to (``OperationPayload``), whose hash a device signs.
    public var payload: [UInt8]
    /// `requestedAt`.
    public var requestedAt: Int64
    /// `expiresAt`: until when the person could agree; after that, until when it could be carried out.
    public var expiresAt: Int64
    /// `decision`: whether the person had to agree.
    public var decision: Decision
    /// What was thought of each way to let it pass.
    public var findings: [ExemptionFinding]
    /// `steps`: what happened, in order.
    public var steps: [Step]
    /// `attempts`: every value that was compared, in order.
    public var attempts: [Attempt]
    /// `authorization`: the authentication code, where the operation was carried out.
    public var authorization: Authorization?

    /// Whether the person had to agree.
    public enum Decision: Hashable, Sendable {
        /// They had to.
        case required
        /// By an exemption, or, where it is nil, by the operator's own rule, they had not.
        case exempt(SCAExemption?)
    }

    /// Something that happened to the operation.
    public struct Step: Hashable, Sendable {
        /// What happened.
        public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
            /// The backend asked, and the person has to agree.
            case requested
            /// The backend asked, and the person need not agree.
            case exempted
            /// A way to agree was challenged; a code was sent where the way sends one.
            case challenged
            /// The person agreed.
            case verified
            /// Too many values were wrong.
            case locked
            /// The backend took it back.
            case cancelled
            /// The person said that they did not ask for it.
            case refused
            /// The database was restored from a copy, or the server got another issuer, which ended it.
            case voided
            /// It was carried out.
            case authorized
        }

        /// What happened.
        public var kind: Kind
        /// When.
        public var at: Int64
        /// The way that was challenged.
        public var verification: SCAVerification?
        /// Where the code was sent, masked; nil where none was, and once the account is erased.
        public var destination: String?
        /// What the session's sign-in had proved, where it counted or might have.
        public var signIn: SignIn?
        /// From where; nil once the account is erased.
        public var circumstances: Circumstances?
        /// Where it stands in the audit record; nil for what is not recorded there.
        public var place: Place?

        /// Each parameter is the property of its name.
        public init(
            kind: Kind, at: Int64, verification: SCAVerification? = nil, destination: String? = nil,
            signIn: SignIn? = nil, circumstances: Circumstances? = nil, place: Place? = nil
        ) {
            self.kind = kind
            self.at = at
            self.verification = verification
            self.destination = destination
            self.signIn = signIn
            self.circumstances = circumstances
            self.place = place
        }
    }

    /// What a sign-in proved.
    public struct SignIn: Hashable, Sendable {
        /// `amr` (RFC 8176).
        public var methods: [String]
        /// `authTime`.
        public var at: Int64
        /// `counted`: whether it counted: the session was not idle for longer than the policy says (RTS article 4(3)(d)).
        public var isCounted: Bool

        /// Each parameter is the property of its name.
        public init(methods: [String], at: Int64, isCounted: Bool) {
            self.methods = methods
            self.at = at
            self.isCounted = isCounted
        }
    }

    /// From where something came. None of it is proof of anything.
    public struct Circumstances: Hashable, Sendable {
        /// The network address.
        public var address: String?
        /// The `User-Agent`: the program and its version.
        public var userAgent: String?
        /// The server's name for the call in its log.
        public var traceID: String?

        /// Each parameter is the property of its name.
        public init(address: String? = nil, userAgent: String? = nil, traceID: String? = nil) {
            self.address = address
            self.userAgent = userAgent
            self.traceID = traceID
        }
    }

    /// An entry of the audit record.
    public struct Place: Hashable, Sendable {
        /// Which chain.
        public var partition: Int64
        /// Which entry.
        public var sequence: Int64
        /// The entry's link: with it an auditor finds the very entry.
        public var link: [UInt8]

        /// Each parameter is the property of its name.
        public init(partition: Int64, sequence: Int64, link: [UInt8]) {
            self.partition = partition
            self.sequence = sequence
            self.link = link
        }
    }

    /// A value that was compared.
    public struct Attempt: Hashable, Sendable {
        /// By which way.
        public var verification: SCAVerification
        /// When.
        public var at: Int64
        /// Whether it was right.
        public var isRight: Bool
        /// What it proved, as `amr` says it.
        public var methods: [String]
        /// The device that signed.
        public var device: Device?
        /// The passkey that signed; nil for any other way, and in documents of version 1.
        public var passkey: PasskeySignature?
        /// From where; nil once the account is erased.
        public var circumstances: Circumstances?

        /// Each parameter is the property of its name.
        public init(
            verification: SCAVerification, at: Int64, isRight: Bool, methods: [String], device: Device? = nil,
            passkey: PasskeySignature? = nil, circumstances: Circumstances? = nil
        ) {
            self.verification = verification
            self.at = at
            self.isRight = isRight
            self.methods = methods
            self.device = device
            self.passkey = passkey
            self.circumstances = circumstances
        }
    }

    /// A device's own signature over what it showed. The signature by the PIN's key beside it is never handed out: with a
    /// stolen device it is a way to check guesses.
    public struct Device: Hashable, Sendable {
        /// The device.
        public var id: DeviceID
        /// Its public key.
        public var key: JWK
        /// The signature with what it signs: a compact JWS, ``DeviceAssertion``.
        public var signature: String

        /// Each parameter is the property of its name.
        public init(id: DeviceID, key: JWK, signature: String) {
            self.id = id
            self.key = key
            self.signature = signature
        }
    }

    /// The right to carry the operation out, as the backend got it.
    public struct Authorization: Hashable, Sendable {
        /// The authentication code.
        public var code: AuthenticationCode
        /// The issuer's key that signed it, which is not published for as long as this is kept.
        public var key: JWK

        /// Each parameter is the property of its name.
        public init(code: AuthenticationCode, key: JWK) {
            self.code = code
            self.key = key
        }
    }

    /// Each parameter is the property of its name.
    public init(
        issuer: Issuer, status: WalletOperationStatus, operationID: WalletOperationID, clientID: ClientID,
        account: AccountID, session: SessionID, eventID: SCAEventID, payload: [UInt8], requestedAt: Int64,
        expiresAt: Int64, decision: Decision, findings: [ExemptionFinding], steps: [Step], attempts: [Attempt],
        authorization: Authorization?
    ) {
        self.issuer = issuer
        self.status = status
        self.operationID = operationID
        self.clientID = clientID
        self.account = account
        self.session = session
        self.eventID = eventID
        self.payload = payload
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.decision = decision
        self.findings = findings
        self.steps = steps
        self.attempts = attempts
        self.authorization = authorization
    }
}

extension OperationEvidenceClaims {
    /// A factor that the consent rests on.
    public struct ProvedFactor: Hashable, Sendable {
        /// Where it was proved.
        public enum Origin: Hashable, Sendable {
            /// At the session's sign-in.
            case signIn
            /// For this very operation.
            case event(SCAVerification)
        }

        /// What kind of thing it is; nil for a method that proves none by itself.
        public var category: FactorCategory?
        /// What it is in `amr`.
        public var method: String
        /// Where it was proved.
        public var origin: Origin
        /// When.
        public var at: Int64
    }

    /// The first step of a kind.
    /// - Parameter kind: which.
    public func step(_ kind: Step.Kind) -> Step? { steps.first { $0.kind == kind } }

    /// The factors that the consent rests on, the sign-in's first; none where nobody agreed.
    public var factors: [ProvedFactor] {
        guard let verified = step(.verified) else { return [] }
        var factors: [ProvedFactor] = []
        if let signIn = verified.signIn, signIn.isCounted {
            factors += signIn.methods.map {
                ProvedFactor(category: FactorCategory(method: $0), method: $0, origin: .signIn, at: signIn.at)
            }
        }
        for attempt in attempts where attempt.isRight {
            factors += attempt.methods.map {
                ProvedFactor(
                    category: FactorCategory(method: $0), method: $0, origin: .event(attempt.verification),
                    at: attempt.at)
            }
        }
        return factors
    }
}

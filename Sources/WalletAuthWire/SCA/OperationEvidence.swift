extension JWSType {
    /// The proof of a consent to an operation.
    public static let walletOperationEvidence = JWSType("wallet-operation-evidence+jwt")
}

/// The proof of a consent to an operation, or of why it needed none (RTS article 29, PSD2 article 72): a compact JWS by
/// the server's audit key, verifiable offline (``verified(by:rsaVerifier:)``).
public struct OperationEvidence: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...maximumBytes) }

    /// The compact JWS.
    public let rawValue: String

    /// The media type of the document.
    public static let mediaType = "application/wallet-operation-evidence+jwt"
    /// The maximum length in bytes.
    public static let maximumBytes = 262_144

    /// Validates the form.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) {
        rawValue = try Self.checked(text, "evidence")
    }
}

/// The content of an ``OperationEvidence``. Times are milliseconds since 1970.
public struct OperationEvidenceClaims: Hashable, Sendable {
    /// `ver`: the version of the format: 4 for a document with a withdrawal by the person, 3 for one with a push message to another
    /// device, 2 for one with a passkey's signature, 1 for all others.
    public var version: Int64 {
        if steps.contains(where: \.isWithdrawal) { return 4 }
        let isByPush = steps.contains { $0.verification == .push } || attempts.contains { $0.verification == .push }
        return isByPush ? 3 : attempts.contains { $0.passkey != nil } ? 2 : 1
    }

    /// `iss`: the server's issuer when the operation was requested.
    public var issuer: Issuer
    /// `status`: the operation's state when the document was created.
    public var status: WalletOperationStatus
    /// `walletOperationId`: the backend's name for it.
    public var operationID: WalletOperationID
    /// `clientId`: the backend's client.
    public var clientID: ClientID
    /// `accountId`: the account of the operation.
    public var account: AccountID
    /// `sessionId`: the session of the operation.
    public var session: SessionID
    /// `eventId`: the event of the consent; an exempt operation has one in name only.
    public var eventID: SCAEventID
    /// `operation`: the exact bytes of the consent (``OperationPayload``), whose hash a device signs.
    public var payload: [UInt8]
    /// `requestedAt`.
    public var requestedAt: Int64
    /// `expiresAt`: until when the person could agree; after that, until when the operation could be carried out.
    public var expiresAt: Int64
    /// `decision`: whether the person had to agree.
    public var decision: Decision
    /// The decisions about all exemptions.
    public var findings: [ExemptionFinding]
    /// `steps`: the history, in order.
    public var steps: [Step]
    /// `attempts`: all compared values, in order.
    public var attempts: [Attempt]
    /// `authorization`: the authentication code, if the operation was carried out.
    public var authorization: Authorization?

    /// Whether the person had to agree.
    public enum Decision: Hashable, Sendable {
        /// Yes.
        case required
        /// No, because of an exemption or, if nil, the operator's own rule.
        case exempt(SCAExemption?)
    }

    /// A step in the operation's history.
    public struct Step: Hashable, Sendable {
        /// The kind of a step.
        public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
            /// The backend asked, and the person must agree.
            case requested
            /// The backend asked, and the person need not agree.
            case exempted
            /// A way to agree was challenged; a code was sent if the way sends one.
            case challenged
            /// The person agreed.
            case verified
            /// Too many values were wrong.
            case locked
            /// The backend withdrew it.
            case cancelled
            /// The person said they did not request it or, with ``Step/isWithdrawal``, no longer wants it.
            case refused
            /// It ended because the database was restored from a backup, the server's issuer changed, or the account was erased.
            case voided
            /// It was carried out.
            case authorized
        }

        /// The kind.
        public var kind: Kind
        /// The time.
        public var at: Int64
        /// The challenged way.
        public var verification: SCAVerification?
        /// The masked destination of a code; nil if none was sent, and once the account is erased.
        public var destination: String?
        /// The factors of the session's sign-in, if they counted or might have.
        public var signIn: SignIn?
        /// `withdrawn`: for ``Kind/refused``, whether the session that asked said that the person started it and no longer wants it.
        public var isWithdrawal: Bool
        /// The origin; nil once the account is erased.
        public var circumstances: Circumstances?
        /// Its entry in the audit log; nil for ``Kind/challenged`` and ``Kind/voided``, which are not recorded there.
        public var place: Place?

        /// Creates a value. Each parameter sets the property of the same name.
        public init(
            kind: Kind, at: Int64, verification: SCAVerification? = nil, destination: String? = nil,
            signIn: SignIn? = nil, isWithdrawal: Bool = false, circumstances: Circumstances? = nil, place: Place? = nil
        ) {
            self.kind = kind
            self.at = at
            self.verification = verification
            self.destination = destination
            self.signIn = signIn
            self.isWithdrawal = isWithdrawal
            self.circumstances = circumstances
            self.place = place
        }
    }

    /// The factors proved by a sign-in.
    public struct SignIn: Hashable, Sendable {
        /// `amr` (RFC 8176).
        public var methods: [String]
        /// `authTime`.
        public var at: Int64
        /// `counted`: whether it counted: the session was not idle for longer than the policy allows (RTS article
        /// 4(3)(d)).
        public var isCounted: Bool

        /// Creates a value. Each parameter sets the property of the same name.
        public init(methods: [String], at: Int64, isCounted: Bool) {
            self.methods = methods
            self.at = at
            self.isCounted = isCounted
        }
    }

    /// The origin of a call. None of it is proof of anything.
    public struct Circumstances: WireMessage {
        /// The network address.
        public var address: String?
        /// The `User-Agent`: the program and its version.
        public var userAgent: String?
        /// The server's trace id of the call.
        public var traceID: String?

        /// Creates a value. Each parameter sets the property of the same name.
        public init(address: String? = nil, userAgent: String? = nil, traceID: String? = nil) {
            self.address = address
            self.userAgent = userAgent
            self.traceID = traceID
        }

        enum CodingKeys: String, CodingKey {
            case address, userAgent
            case traceID = "traceId"
        }
    }

    /// An entry of the audit log.
    public struct Place: WireMessage {
        /// The chain.
        public var partition: Int64
        /// The entry's number.
        public var sequence: Int64
        /// The entry's link, which identifies the entry for an auditor.
        public var link: [UInt8]

        /// Creates a value. Each parameter sets the property of the same name.
        public init(partition: Int64, sequence: Int64, link: [UInt8]) {
            self.partition = partition
            self.sequence = sequence
            self.link = link
        }

        enum CodingKeys: String, CodingKey {
            case partition
            case sequence = "seq"
            case link
        }
    }

    /// A compared value.
    public struct Attempt: Hashable, Sendable {
        /// The way.
        public var verification: SCAVerification
        /// The time.
        public var at: Int64
        /// Whether it was right.
        public var isRight: Bool
        /// The proved methods, as in `amr`.
        public var methods: [String]
        /// The device that signed.
        public var device: Device?
        /// The session of the app on that device, for ``SCAVerification/push``; nil for any other way, by which the operation's
        /// own session proves.
        public var session: SessionID?
        /// The passkey that signed; nil for any other way.
        public var passkey: PasskeySignature?
        /// The origin; nil once the account is erased.
        public var circumstances: Circumstances?

        /// Creates a value. Each parameter sets the property of the same name.
        public init(
            verification: SCAVerification, at: Int64, isRight: Bool, methods: [String], device: Device? = nil,
            session: SessionID? = nil, passkey: PasskeySignature? = nil, circumstances: Circumstances? = nil
        ) {
            self.verification = verification
            self.at = at
            self.isRight = isRight
            self.methods = methods
            self.device = device
            self.session = session
            self.passkey = passkey
            self.circumstances = circumstances
        }
    }

    /// A device's own signature over what it showed. The accompanying signature by the PIN's key is never included:
    /// with a stolen device, it would allow checking guesses.
    public struct Device: WireMessage {
        /// The device.
        public var id: DeviceID
        /// Its public key.
        public var key: JWK
        /// The signature with its content: a compact JWS, ``DeviceAssertion``.
        public var signature: String
        /// The app that vouched for the device's key, as the server knew it then.
        public var attestation: AppAttestation?
        /// On whose word the biometric key counted, if it signed.
        public var biometricKey: BiometricKeyVoucher?

        /// Creates a value. Each parameter sets the property of the same name.
        public init(
            id: DeviceID, key: JWK, signature: String, attestation: AppAttestation? = nil,
            biometricKey: BiometricKeyVoucher? = nil
        ) {
            self.id = id
            self.key = key
            self.signature = signature
            self.attestation = attestation
            self.biometricKey = biometricKey
        }
    }

    /// The authorization as issued to the backend.
    public struct Authorization: Hashable, Sendable {
        /// The authentication code.
        public var code: AuthenticationCode
        /// The issuer's key that signed it; it may no longer be published.
        public var key: JWK

        /// Creates a value. Each parameter sets the property of the same name.
        public init(code: AuthenticationCode, key: JWK) {
            self.code = code
            self.key = key
        }
    }

    /// Creates a value. Each parameter sets the property of the same name.
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
    /// A factor that the consent is based on.
    public struct ProvedFactor: Hashable, Sendable {
        /// The origin of the proof.
        public enum Origin: Hashable, Sendable {
            /// The session's sign-in.
            case signIn
            /// This operation's event.
            case event(SCAVerification)
        }

        /// The category; nil for a method that proves none by itself.
        public var category: FactorCategory?
        /// The value in `amr`.
        public var method: String
        /// The origin of the proof.
        public var origin: Origin
        /// The time.
        public var at: Int64
    }

    /// Returns the first step of a kind.
    /// - Parameter kind: the kind.
    public func step(_ kind: Step.Kind) -> Step? { steps.first { $0.kind == kind } }

    /// The factors that the consent is based on, the sign-in's first; none without a consent.
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

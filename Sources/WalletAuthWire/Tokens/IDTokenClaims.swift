import Crypto

/// The claims of an ID token (OpenID Connect Core §2).
public struct IDTokenClaims: Hashable, Sendable {
    /// `iss`.
    public var issuer: String
    /// `sub`.
    public var subject: String
    /// `aud`.
    public var audience: [String]
    /// `exp`.
    public var expiresAt: NumericDate
    /// `iat`.
    public var issuedAt: NumericDate
    /// `azp`: the client, if there are several audiences.
    public var authorizedParty: String?
    /// `nonce`: the request's.
    public var nonce: Nonce?
    /// `auth_time`.
    public var authenticatedAt: NumericDate?
    /// `acr`.
    public var acr: String?
    /// `amr`.
    public var amr: [String] = []
    /// `at_hash`: binds the accompanying access token.
    public var accessTokenHash: String?
    /// `sid`: the session.
    public var sessionID: String?
    /// The claims about the person that the request asked for (OpenID Connect Core §5.5). They are written, and not read.
    public var person = JSONObject()

    /// Creates claims with the required members.
    /// - Parameters:
    ///   - issuer: `iss`.
    ///   - subject: `sub`.
    ///   - audience: `aud`: the client.
    ///   - expiresAt: `exp`.
    ///   - issuedAt: `iat`.
    public init(issuer: String, subject: String, audience: [String], expiresAt: NumericDate, issuedAt: NumericDate) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
    }

    /// The treatment of malformed optional claims.
    public enum Reading: Hashable, Sendable {
        /// A claim of a wrong type makes the whole token malformed.
        case strict
        /// `auth_time`, `acr`, `amr` and `sid` of a wrong type count as absent, and so does an `auth_time` of 0, which
        /// servers write that do not know it. If one is required, its absence is refused.
        case tolerant
    }

    /// Reads claims.
    /// - Parameters:
    ///   - object: the token's payload.
    ///   - optional: how to treat `auth_time`, `acr`, `amr` and `sid`.
    /// - Throws: ``MalformedValue`` if a required one is missing, or any is malformed.
    public init(_ object: JSONObject, optional: Reading = .strict) throws(MalformedValue) {
        issuer = try object.required("iss", object.string("iss"))
        subject = try object.required("sub", object.string("sub"))
        audience = try object.audience()
        expiresAt = try object.required("exp", object.date("exp"))
        issuedAt = try object.required("iat", object.date("iat"))
        authorizedParty = try object.string("azp")
        nonce = try object.value("nonce")
        accessTokenHash = try object.string("at_hash")
        switch optional {
        case .strict:
            authenticatedAt = try object.date("auth_time")
            acr = try object.string("acr")
            amr = try object.strings("amr") ?? []
            sessionID = try object.string("sid")
        case .tolerant:
            let time = try? object.date("auth_time")
            authenticatedAt = time?.secondsSince1970 == 0 ? nil : time
            acr = object["acr"]?.string
            amr = object["amr"]?.strings ?? []
            sessionID = object["sid"]?.string
        }
    }

    /// The claims as members.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("iss", issuer)
        object.set("sub", subject)
        object["aud"] = audience.count == 1 ? .string(audience[0]) : .strings(audience)
        object.set("azp", authorizedParty)
        object.set("exp", expiresAt)
        object.set("iat", issuedAt)
        object.set("nonce", nonce)
        object.set("auth_time", authenticatedAt)
        object.set("acr", acr)
        object.set("amr", amr)
        object.set("at_hash", accessTokenHash)
        object.set("sid", sessionID)
        for member in person.members where object[member.name] == nil { object[member.name] = member.value }
        return object
    }

    /// `at_hash` of an access token: base64url of the left half of its SHA-256 (OpenID Connect Core §3.1.3.6).
    /// - Parameter token: the accompanying access token.
    public static func hash(of token: AccessToken) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(token.reveal().utf8))).prefix(16))
    }
}

extension IDTokenClaims {
    /// A client's requirements on an ID token that it received for its own code.
    public struct Expectation: Hashable, Sendable {
        /// The issuer that redeemed the code.
        public var issuer: Issuer
        /// The client itself.
        public var clientID: ClientID
        /// The nonce of its request; nil if it sent none.
        public var nonce: Nonce?
        /// The accompanying access token.
        public var accessToken: AccessToken?
        /// The `max_age` of its request, in seconds.
        public var maxAge: Int64?

        /// Creates an expectation.
        /// - Parameters:
        ///   - issuer: the issuer that redeemed the code.
        ///   - clientID: the client itself.
        ///   - nonce: the nonce of its request.
        ///   - accessToken: the accompanying access token.
        ///   - maxAge: the `max_age` of its request.
        public init(
            issuer: Issuer, clientID: ClientID, nonce: Nonce?, accessToken: AccessToken? = nil, maxAge: Int64? = nil
        ) {
            self.issuer = issuer
            self.clientID = clientID
            self.nonce = nonce
            self.accessToken = accessToken
            self.maxAge = maxAge
        }
    }

    /// The tolerated clock difference.
    private static let leeway = Duration.seconds(60)

    /// Checks the claims against the client's requirements (OpenID Connect Core §3.1.3.7). The signature must be
    /// checked separately: by verification, or because the token came over TLS directly from the token endpoint.
    /// - Parameters:
    ///   - expected: the requirements.
    ///   - now: the client's time, corrected by the server's.
    /// - Throws: ``JOSEError/claim(name:_:)`` for the first claim that fails.
    public func validate(_ expected: Expectation, now: NumericDate) throws(JOSEError) {
        guard issuer == expected.issuer.rawValue else { throw .claim(name: "iss", .mismatch) }
        guard audience.contains(expected.clientID.rawValue) else { throw .claim(name: "aud", .mismatch) }
        if audience.count > 1 || authorizedParty != nil {
            guard let authorizedParty else { throw .claim(name: "azp", .missing) }
            guard authorizedParty == expected.clientID.rawValue else { throw .claim(name: "azp", .mismatch) }
        }
        guard now < expiresAt.advanced(by: Self.leeway) else { throw .claim(name: "exp", .expired) }
        guard issuedAt <= now.advanced(by: Self.leeway) else { throw .claim(name: "iat", .tooEarly) }
        if let wanted = expected.nonce {
            guard let nonce else { throw .claim(name: "nonce", .missing) }
            guard nonce.matches(wanted) else { throw .claim(name: "nonce", .mismatch) }
        }
        if let token = expected.accessToken, let accessTokenHash {
            guard ConstantTime.equal(accessTokenHash, IDTokenClaims.hash(of: token)) else {
                throw .claim(name: "at_hash", .mismatch)
            }
        }
        if let maxAge = expected.maxAge {
            guard let authenticatedAt else { throw .claim(name: "auth_time", .missing) }
            let limit = authenticatedAt.advanced(by: .seconds(maxAge)).advanced(by: Self.leeway)
            guard now <= limit else { throw .claim(name: "auth_time", .expired) }
        }
    }
}

/// The claims of our access tokens: a JWT of type `at+jwt` (RFC 9068), bound to a key if DPoP was used (RFC 9449).
public struct AccessTokenClaims: Hashable, Sendable {
    /// `iss`.
    public var issuer: String
    /// `sub`: the account, or the client if it acts for itself.
    public var subject: String
    /// `aud`.
    public var audience: [String]
    /// `client_id`.
    public var clientID: ClientID
    /// `exp`.
    public var expiresAt: NumericDate
    /// `iat`.
    public var issuedAt: NumericDate
    /// `jti`.
    public var id: String
    /// `scope`.
    public var scope: Scope
    /// `sid`: the session, if there is one.
    public var sessionID: SessionID?
    /// `auth_time`.
    public var authenticatedAt: NumericDate?
    /// `acr`.
    public var acr: String?
    /// `amr`.
    public var amr: [String] = []
    /// `merchant_id`.
    public var merchantID: MerchantID?
    /// `authorization_details` (RFC 9396 §9.1). A token for a payment is for that payment alone.
    public var authorizationDetails: AuthorizationDetails?
    /// `attestation`: the app that vouched for the key of the session's device; nil if none did, or if the client does not
    /// want the claim.
    public var attestation: AppAttestation?
    /// `act` (RFC 8693 §4.1): the services that act for the person, the one that sends the token first, and before it those that called
    /// it. Empty if the person's own app sends it. Decide by the first alone: the others only say how the call came about.
    public var actors: [ClientID] = []
    /// `cnf.jkt`: the key whose proof the token requires.
    public var keyThumbprint: JWKThumbprint?

    /// The most ``actors`` of a token that is read.
    static let mostActors = 8

    /// Creates claims with the required members.
    /// - Parameters:
    ///   - issuer: `iss`.
    ///   - subject: `sub`.
    ///   - audience: `aud`, at least one.
    ///   - clientID: `client_id`.
    ///   - expiresAt: `exp`.
    ///   - issuedAt: `iat`.
    ///   - id: `jti`.
    ///   - scope: `scope`.
    public init(
        issuer: String, subject: String, audience: [String], clientID: ClientID, expiresAt: NumericDate,
        issuedAt: NumericDate, id: String, scope: Scope
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.clientID = clientID
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.id = id
        self.scope = scope
    }

    /// Reads the claims of a token with a verified signature, or of an introspection answer.
    /// - Parameter object: the claims.
    /// - Throws: ``MalformedValue`` if one that RFC 9068 §2.2 requires is missing, or any is malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        issuer = try object.required("iss", object.string("iss"))
        subject = try object.required("sub", object.string("sub"))
        audience = try object.audience()
        clientID = try object.required("client_id", object.value("client_id"))
        expiresAt = try object.required("exp", object.date("exp"))
        issuedAt = try object.required("iat", object.date("iat"))
        id = try object.required("jti", object.string("jti"))
        scope = try object.value("scope") ?? .none
        sessionID = try object.value("sid")
        authenticatedAt = try object.date("auth_time")
        acr = try object.string("acr")
        amr = try object.strings("amr") ?? []
        merchantID = try object.value("merchant_id")
        // Details that are not understood must not turn the token into one without limits.
        authorizationDetails = try object[AuthorizationDetails.field].map { details throws(MalformedValue) in
            try AuthorizationDetails(recorded: details)
        }
        attestation = try object.object("attestation", AppAttestation.init)
        actors = try Self.actors(object)
        if let confirmation = object["cnf"] {
            // A confirmation of unknown form must not turn the token into a bearer token.
            guard let members = confirmation.object, members.names == ["jkt"] else {
                throw MalformedValue(field: "cnf", reason: "is not a jkt")
            }
            keyThumbprint = try members.required("jkt", members.value("jkt"))
        }
    }

    /// A chain that is not understood must not make the call look like one of the person's own app.
    private static func actors(_ object: JSONObject) throws(MalformedValue) -> [ClientID] {
        var actors: [ClientID] = []
        var next = object["act"]
        while let value = next {
            guard let actor = value.object, actors.count < mostActors else {
                throw MalformedValue(field: "act", reason: "is not a chain of at most \(mostActors) actors")
            }
            actors.append(try actor.required("sub", actor.value("sub")))
            next = actor["act"]
        }
        return actors
    }

    /// The claims as JSON in UTF-8, written straight into one buffer.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", issuer)
        writer.member("sub", subject)
        if audience.count == 1 {
            writer.member("aud", audience[0])
        } else {
            writer.name("aud")
            writer.value(.strings(audience))
        }
        writer.member("client_id", clientID.rawValue)
        writer.member("exp", expiresAt.secondsSince1970)
        writer.member("iat", issuedAt.secondsSince1970)
        writer.member("jti", id)
        if !scope.isEmpty { writer.member("scope", scope.rawValue) }
        writer.member("sid", sessionID?.rawValue)
        writer.member("auth_time", authenticatedAt?.secondsSince1970)
        writer.member("acr", acr)
        if !amr.isEmpty {
            writer.name("amr")
            writer.value(.strings(amr))
        }
        writer.member("merchant_id", merchantID?.rawValue)
        if let authorizationDetails {
            writer.name(AuthorizationDetails.field)
            writer.value(authorizationDetails.json)
        }
        if let attestation {
            writer.name("attestation")
            writer.value(.object(attestation.json))
        }
        for actor in actors {
            writer.name("act")
            writer.beginObject()
            writer.member("sub", actor.rawValue)
        }
        for _ in actors { writer.endObject() }
        if let keyThumbprint {
            writer.name("cnf")
            writer.beginObject()
            writer.member("jkt", keyThumbprint.rawValue)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// The claims as members.
    public var json: JSONObject { (try? JSONValue.object(parsing: bytes)) ?? JSONObject() }
}

extension AccessTokenClaims {
    /// Verifies an access token: type, algorithm, signature, issuer, audience and times (RFC 9068 §4).
    ///
    /// The caller checks that its session is still alive, and that the request has a proof of its key.
    /// - Parameters:
    ///   - token: the received token.
    ///   - verifiers: the issuer's keys.
    ///   - rules: the requirements; set at least issuer and audiences.
    ///   - now: the verifier's time.
    /// - Returns: the claims.
    public static func verified(
        _ token: AccessToken, by verifiers: [any JWSVerifier], rules: JWTRules, now: NumericDate
    ) throws(JOSEError) -> AccessTokenClaims {
        let jws = try CompactJWS(token.reveal()).verified(by: verifiers, type: .accessToken)
        let claims = try jws.claims()
        try claims.validate(rules, now: now)
        do {
            return try AccessTokenClaims(claims.object)
        } catch { throw .claim(name: error.field, .malformed) }
    }
}

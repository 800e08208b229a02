/// The claims of a JWT (RFC 7519 section 4), read strictly and typed where they are registered.
public struct JWTClaims: Hashable, Sendable {
    /// All of them, as they came.
    public var object: JSONObject

    /// No claim yet.
    public init() { object = JSONObject() }

    /// Takes claims.
    /// - Parameter object: the claims.
    public init(_ object: JSONObject) { self.object = object }

    /// Reads claims.
    /// - Parameter bytes: JSON in UTF-8, at most 16 KiB and 8 levels deep.
    /// - Throws: ``JOSEError/malformedJSON(_:)``.
    public init(parsing bytes: [UInt8]) throws(JOSEError) {
        do {
            object = try JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: 16_384, depth: 8))
        } catch { throw .malformedJSON(error) }
    }

    /// The compact JSON in UTF-8.
    public var bytes: [UInt8] { object.bytes }

    /// `iss`, or nil where it is absent or no string.
    public var issuer: String? { object["iss"]?.string }

    /// `sub`, or nil where it is absent or no string.
    public var subject: String? { object["sub"]?.string }

    /// `jti`, or nil where it is absent or no string.
    public var id: String? { object["jti"]?.string }

    /// `aud`: a single string counts as an array of one. Nil where it is absent or anything else.
    public var audience: [String]? {
        switch object["aud"] {
        case .string(let single)?: [single]
        case let several?: several.strings
        case nil: nil
        }
    }

    /// A claim that must be a string.
    /// - Parameter name: the claim.
    /// - Throws: ``JOSEError/claim(name:_:)`` where it is absent or no string.
    public func string(_ name: String) throws(JOSEError) -> String {
        guard let value = object[name] else { throw .claim(name: name, .missing) }
        guard let string = value.string else { throw .claim(name: name, .malformed) }
        return string
    }

    /// A claim that is a date where it is there.
    /// - Parameter name: the claim.
    /// - Throws: ``JOSEError/claim(name:_:)`` where it is no date between 1970 and 9999.
    public func date(_ name: String) throws(JOSEError) -> NumericDate? {
        do { return try object.date(name) } catch { throw .claim(name: name, .malformed) }
    }

    /// A claim that must be a date.
    /// - Parameter name: the claim.
    /// - Throws: ``JOSEError/claim(name:_:)`` where it is absent or no date between 1970 and 9999.
    public func requiredDate(_ name: String) throws(JOSEError) -> NumericDate {
        guard let date = try date(name) else { throw .claim(name: name, .missing) }
        return date
    }
}

/// What a JWT must say to be taken at some place. Where something is asked for, its absence is a refusal.
public struct JWTRules: Hashable, Sendable {
    /// `iss` must be this.
    public var issuer: String?
    /// `aud` must name one of these.
    public var audiences: [String]?
    /// `sub` must be this.
    public var subject: String?
    /// How far the clocks of two parties may lie apart.
    public var leeway: Duration
    /// `exp` may lie at most so far ahead; a token that lives for years is a mistake or an attack.
    public var maximumLifetime: Duration
    /// `iat` may lie at most so far back; nil asks for no `iat`.
    public var maximumAge: Duration?

    /// Sets rules.
    /// - Parameters:
    ///   - issuer: what `iss` must be, or nil for no such rule.
    ///   - audiences: `aud` must name one of these, or nil for no such rule.
    ///   - subject: what `sub` must be, or nil for no such rule.
    ///   - leeway: how far clocks may lie apart.
    ///   - maximumLifetime: how far ahead `exp` may lie.
    ///   - maximumAge: how far back `iat` may lie; nil asks for no `iat`.
    public init(
        issuer: String? = nil, audiences: [String]? = nil, subject: String? = nil, leeway: Duration = .seconds(30),
        maximumLifetime: Duration = .seconds(86_400), maximumAge: Duration? = nil
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.subject = subject
        self.leeway = leeway
        self.maximumLifetime = maximumLifetime
        self.maximumAge = maximumAge
    }
}

extension JWTClaims {
    /// Holds the claims against rules. `exp` must always be there.
    /// - Parameters:
    ///   - rules: what they must say.
    ///   - now: the time of the verifier.
    /// - Throws: ``JOSEError/claim(name:_:)`` that names the first claim that fails.
    public func validate(_ rules: JWTRules, now: NumericDate) throws(JOSEError) {
        if let issuer = rules.issuer, try string("iss") != issuer { throw .claim(name: "iss", .mismatch) }
        if let subject = rules.subject, try string("sub") != subject { throw .claim(name: "sub", .mismatch) }
        if let accepted = rules.audiences {
            guard object["aud"] != nil else { throw .claim(name: "aud", .missing) }
            guard let audience else { throw .claim(name: "aud", .malformed) }
            guard audience.contains(where: accepted.contains) else { throw .claim(name: "aud", .mismatch) }
        }
        let expiry = try requiredDate("exp")
        guard now < expiry.advanced(by: rules.leeway) else { throw .claim(name: "exp", .expired) }
        guard expiry <= now.advanced(by: rules.maximumLifetime).advanced(by: rules.leeway) else {
            throw .claim(name: "exp", .tooFar)
        }
        if let start = try date("nbf"), start > now.advanced(by: rules.leeway) { throw .claim(name: "nbf", .tooEarly) }
        let issued = rules.maximumAge == nil ? try date("iat") : try requiredDate("iat")
        if let issued {
            guard issued <= now.advanced(by: rules.leeway) else { throw .claim(name: "iat", .tooEarly) }
            if let age = rules.maximumAge, now > issued.advanced(by: age).advanced(by: rules.leeway) {
                throw .claim(name: "iat", .expired)
            }
        }
    }
}

extension JSONObject {
    /// `aud` of a token, which must be there and name somebody.
    func audience() throws(MalformedValue) -> [String] {
        guard let audience = JWTClaims(self).audience, !audience.isEmpty else {
            throw MalformedValue(field: "aud", reason: "is missing or malformed")
        }
        return audience
    }
}

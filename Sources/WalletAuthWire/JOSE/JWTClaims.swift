/// The claims of a JWT (RFC 7519 §4), parsed strictly, with typed access to the registered ones.
public struct JWTClaims: Hashable, Sendable {
    /// All claims as received.
    public var object: JSONObject

    /// Creates an empty set of claims.
    public init() { object = JSONObject() }

    /// Wraps claims.
    /// - Parameter object: the claims.
    public init(_ object: JSONObject) { self.object = object }

    /// Parses claims.
    /// - Parameter bytes: JSON in UTF-8, at most 16 KiB and 8 levels deep.
    /// - Throws: ``JOSEError/malformedJSON(_:)``.
    public init(parsing bytes: [UInt8]) throws(JOSEError) {
        do {
            object = try JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: 16_384, depth: 8))
        } catch { throw .malformedJSON(error) }
    }

    /// The compact JSON in UTF-8.
    public var bytes: [UInt8] { object.bytes }

    /// `iss`, or nil if it is absent or not a string.
    public var issuer: String? { object["iss"]?.string }

    /// `sub`, or nil if it is absent or not a string.
    public var subject: String? { object["sub"]?.string }

    /// `jti`, or nil if it is absent or not a string.
    public var id: String? { object["jti"]?.string }

    /// `aud`: a single string counts as an array of one. Nil if it is absent or anything else.
    public var audience: [String]? {
        switch object["aud"] {
        case .string(let single)?: [single]
        case let several?: several.strings
        case nil: nil
        }
    }

    /// A required string claim.
    /// - Parameter name: the claim.
    /// - Throws: ``JOSEError/claim(name:_:)`` if it is absent or not a string.
    public func string(_ name: String) throws(JOSEError) -> String {
        guard let value = object[name] else { throw .claim(name: name, .missing) }
        guard let string = value.string else { throw .claim(name: name, .malformed) }
        return string
    }

    /// An optional date claim.
    /// - Parameter name: the claim.
    /// - Throws: ``JOSEError/claim(name:_:)`` if it is not a date between 1970 and 9999.
    public func date(_ name: String) throws(JOSEError) -> NumericDate? {
        do { return try object.date(name) } catch { throw .claim(name: name, .malformed) }
    }

    /// A required date claim.
    /// - Parameter name: the claim.
    /// - Throws: ``JOSEError/claim(name:_:)`` if it is absent or not a date between 1970 and 9999.
    public func requiredDate(_ name: String) throws(JOSEError) -> NumericDate {
        guard let date = try date(name) else { throw .claim(name: name, .missing) }
        return date
    }
}

/// The requirements on a JWT. A required claim that is absent is refused.
public struct JWTRules: Hashable, Sendable {
    /// The required `iss`.
    public var issuer: String?
    /// The accepted audiences; `aud` must contain one of them.
    public var audiences: [String]?
    /// The required `sub`.
    public var subject: String?
    /// The tolerated clock difference between two parties.
    public var leeway: Duration
    /// The furthest future `exp`; a token that lives for years is a mistake or an attack.
    public var maximumLifetime: Duration
    /// The maximum age of `iat`; nil requires no `iat`.
    public var maximumAge: Duration?

    /// Creates rules.
    /// - Parameters:
    ///   - issuer: the required `iss`, or nil for no such rule.
    ///   - audiences: the accepted audiences, or nil for no such rule.
    ///   - subject: the required `sub`, or nil for no such rule.
    ///   - leeway: the tolerated clock difference.
    ///   - maximumLifetime: the furthest future `exp`.
    ///   - maximumAge: the maximum age of `iat`; nil requires no `iat`.
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
    /// Checks the claims against rules. `exp` is always required.
    /// - Parameters:
    ///   - rules: the rules.
    ///   - now: the verifier's time.
    /// - Throws: ``JOSEError/claim(name:_:)`` for the first claim that fails.
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
    /// A token's required, non-empty `aud`.
    func audience() throws(MalformedValue) -> [String] {
        guard let audience = JWTClaims(self).audience, !audience.isEmpty else {
            throw MalformedValue(field: "aud", reason: "is missing or malformed")
        }
        return audience
    }
}

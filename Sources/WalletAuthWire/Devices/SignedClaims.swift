/// The claims of a statement signed by a device's key. Every member is known and has a value, so that a device never signs
/// content that the server would ignore.
struct SignedClaims {
    private let claims: JWTClaims

    init(_ payload: [UInt8], members: Set<String>) throws(JOSEError) {
        claims = try JWTClaims(parsing: payload)
        do { try claims.object.refuseMembers(otherThan: members) } catch { throw .malformedJSON(error) }
        for member in claims.object.members where member.value == .null {
            throw .claim(name: member.name, .malformed)
        }
    }

    func string(_ name: String) throws(JOSEError) -> String { try claims.string(name) }

    func date(_ name: String) throws(JOSEError) -> NumericDate {
        // A fraction of a second would be a second spelling of the same claim.
        guard let value = claims.object[name] else { throw .claim(name: name, .missing) }
        guard let date = value.integer.flatMap(NumericDate.init(exactly:)) else {
            throw .claim(name: name, .malformed)
        }
        return date
    }

    func integer(_ name: String) throws(JOSEError) -> Int64 {
        guard let value = claims.object[name] else { throw .claim(name: name, .missing) }
        guard let integer = value.integer else { throw .claim(name: name, .malformed) }
        return integer
    }

    func value<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(JOSEError) -> Value {
        let text = try string(name)
        do { return try Value(text) } catch { throw .claim(name: name, .malformed) }
    }

    /// An issuer. The expected one, which nearly every statement names, is not parsed again.
    func issuer(_ name: String, expected: Issuer) throws(JOSEError) -> Issuer {
        try string(name).utf8.elementsEqual(expected.rawValue.utf8) ? expected : value(name)
    }

    func optional<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(JOSEError) -> Value? {
        claims.object[name] == nil ? nil : try value(name)
    }

    func optionalString(_ name: String) throws(JOSEError) -> String? {
        claims.object[name] == nil ? nil : try string(name)
    }
}

/// Refuses an unexpected claim.
func require(_ condition: Bool, claim name: String) throws(JOSEError) {
    guard condition else { throw .claim(name: name, .mismatch) }
}

/// The claims that a client asks for one by one (OpenID Connect Core §5.5).
///
/// Members and claims that are not known here are ignored, as the standard requires; what is known and malformed is a fault.
public struct ClaimsRequest: WireValue {
    /// How a claim is asked for.
    public struct Claim: Hashable, Sendable {
        /// Whether the client says that it cannot do without.
        public let isEssential: Bool
        /// The values that it wants, in order of preference, as far as they are texts. Those of `sub` and `acr` are.
        public let values: [String]

        fileprivate init(_ value: JSONValue, of name: String) throws(MalformedValue) {
            guard value != .null else {
                isEssential = false
                values = []
                return
            }
            guard let object = value.object else {
                throw MalformedValue(field: name, value, expected: "null or an object")
            }
            isEssential = try object.bool("essential") ?? false
            var wanted = object["value"].map { [$0] } ?? []
            if let several = object["values"] {
                guard let elements = several.array, wanted.isEmpty else {
                    throw MalformedValue(field: "values", reason: "is no array, or comes with value")
                }
                wanted = elements
            }
            values = wanted.compactMap(\.string)
            // Without it, the request would take any person, or any class.
            guard values.count == wanted.count || !ClaimsRequest.deciding.contains(name) else {
                throw MalformedValue(field: "value", reason: "is not a string")
            }
        }
    }

    /// The form of its text.
    public static var form: TextForm { .own(2...limits.bytes, example: #"{"id_token":{"email":null}}"#) }

    /// The most that is read: each page of the sign-in carries it.
    public static let limits = JSONLimits(bytes: 2048, depth: 5)

    /// The name of the parameter.
    public static let field = "claims"

    /// The text as it was received.
    public let rawValue: String
    /// The claims for userinfo, by name.
    public let userInfo: [String: Claim]
    /// The claims for the ID token, by name.
    public let idToken: [String: Claim]
    /// The only person that the client accepts, as `sub`.
    public let subject: String?

    /// Reads the parameter `claims`.
    /// - Parameter text: a JSON object.
    public init(_ text: String) throws(MalformedValue) {
        let object: JSONObject
        do { object = try JSONValue.object(parsing: Array(text.utf8), limits: Self.limits) } catch {
            throw MalformedValue(field: Self.field, reason: "is not acceptable: \(error)")
        }
        do {
            userInfo = try Self.claims(in: object, "userinfo")
            idToken = try Self.claims(in: object, "id_token")
        } catch { throw error.within(Self.field) }
        let subjects = [idToken, userInfo].flatMap { $0["sub"]?.values ?? [] }
        guard Set(subjects).count < 2 else {
            throw MalformedValue(field: "\(Self.field).sub", reason: "has values that differ")
        }
        subject = subjects.first
        rawValue = text
    }

    private static func claims(in object: JSONObject, _ name: String) throws(MalformedValue) -> [String: Claim] {
        var claims: [String: Claim] = [:]
        for member in try object.object(name)?.members ?? [] {
            // An unknown claim is ignored, whatever its value, and its name is not repeated.
            guard Self.scope(of: member.name) != nil || Self.ofSignIn.contains(member.name) else { continue }
            do { claims[member.name] = try Claim(member.value, of: member.name) } catch {
                throw error.within(member.name).within(name)
            }
        }
        return claims
    }

    /// The classes of which one has to be reached (§5.5.1.1); empty if none has to be.
    public var requiredACR: [String] {
        guard let claim = idToken["acr"], claim.isEssential else { return [] }
        return claim.values
    }

    /// The claims about the person that belong into the ID token, sorted.
    public var personInIDToken: [String] { idToken.keys.filter { Self.scope(of: $0) != nil }.sorted() }

    /// The scopes to which the claims about the person belong, sorted.
    public var scopes: [String] { Set((Array(userInfo.keys) + idToken.keys).compactMap(Self.scope(of:))).sorted() }

    private static let ofSignIn: Set = ["sub", "acr", "auth_time"]

    /// Those whose values decide who may sign in, and how.
    private static let deciding: Set = ["sub", "acr"]

    /// The scope with which a claim is asked for (§5.4); nil for one that is not about the person, or not known.
    public static func scope(of claim: String) -> String? {
        switch claim {
        case "name", "given_name", "family_name", "preferred_username", "birthdate", "locale": "profile"
        case "email", "email_verified": "email"
        case "phone_number", "phone_number_verified": "phone"
        case "address": "address"
        default: nil
        }
    }
}

/// The person's claims (OpenID Connect Core §5.3): `sub`, and what the scope lets the client see.
public struct UserInfo: Hashable, Sendable {
    /// `sub`. A client must ignore the other claims unless it equals the ID token's.
    public let subject: String

    /// All claims, including `sub`.
    public let claims: JSONObject

    /// Creates an answer.
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - claims: the others.
    public init(subject: String, claims: JSONObject = JSONObject()) {
        self.subject = subject
        var object = JSONObject()
        object.set("sub", subject)
        for member in claims.members where member.name != "sub" { object[member.name] = member.value }
        self.claims = object
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        subject = try object.required("sub", object.string("sub"))
        claims = object
    }
}

/// What a protected resource asks of the sign-in behind an access token (RFC 9470 section 3): which classes would do, and how
/// old it may be. The client takes both to the authorization endpoint, and comes again with the token that it gets there.
public struct AuthenticationRequirements: Hashable, Sendable {
    /// The `error` of a challenge that asks for it.
    public static let error = "insufficient_user_authentication"

    /// `acr_values`: the authentication context classes one of which is needed, the preferred one first; empty for any.
    public var acrValues: [String]
    /// `max_age`: how many seconds ago the person may have signed in; nil for any time, 0 for a sign-in of its own.
    public var maximumAge: Int64?

    /// Asks for a sign-in. Each parameter is the property of its name.
    public init(acrValues: [String] = [], maximumAge: Int64? = nil) {
        self.acrValues = acrValues
        self.maximumAge = maximumAge.map { max(0, $0) }
    }

    /// The parameters of a challenge, beside its `error`.
    public var challengeParameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if !acrValues.isEmpty { parameters.append(("acr_values", acrValues.joined(separator: " "))) }
        if let maximumAge { parameters.append(("max_age", String(maximumAge))) }
        return parameters
    }

    /// Reads them from an answer; nil where it asks for nothing of the kind.
    /// - Parameter fields: the values of `WWW-Authenticate`.
    public init?(wwwAuthenticate fields: [String]) {
        let challenge = AuthenticationChallenge.all(in: fields).first {
            ["bearer", "dpop"].contains($0.scheme) && $0.parameters["error"] == Self.error
        }
        guard let challenge else { return nil }
        let age = challenge.parameters["max_age"].flatMap { text in
            text.utf8.allSatisfy(ASCII.isDigit) ? Int64(text) : nil
        }
        self.init(
            acrValues: challenge.parameters["acr_values"]?.split(separator: " ").map(String.init) ?? [],
            maximumAge: age)
    }
}

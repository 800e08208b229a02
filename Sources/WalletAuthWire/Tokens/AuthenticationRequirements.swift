/// A protected resource's requirements on the sign-in behind an access token (RFC 9470 §3): the sufficient classes, and
/// the maximum age. The client takes both to the authorization endpoint and returns with the new token.
public struct AuthenticationRequirements: Hashable, Sendable {
    /// The `error` of such a challenge.
    public static let error = "insufficient_user_authentication"

    /// `acr_values`: the authentication context classes of which one is required, in order of preference; empty for
    /// any.
    public var acrValues: [String]
    /// `max_age`: the maximum age of the sign-in in seconds; nil for any age, 0 for a new sign-in.
    public var maximumAge: Int64?

    /// Creates requirements. Each parameter sets the property of the same name.
    public init(acrValues: [String] = [], maximumAge: Int64? = nil) {
        self.acrValues = acrValues
        self.maximumAge = maximumAge.map { max(0, $0) }
    }

    /// The parameters of a challenge besides its `error`.
    public var challengeParameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if !acrValues.isEmpty { parameters.append(("acr_values", acrValues.joined(separator: " "))) }
        if let maximumAge { parameters.append(("max_age", String(maximumAge))) }
        return parameters
    }

    /// Reads the requirements in an answer; nil if it has none.
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

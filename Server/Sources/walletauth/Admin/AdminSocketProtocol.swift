import AuthFlows

/// What goes over the administration socket: HTTP/1.1 with JSON, so that a person can look at it with curl.
enum AdminSocketProtocol {
    /// Carries out one `AdministrationCommand` and answers an `AdministrationAnswer`.
    static let commandPath = "/administration"
    /// Answers a `ServerStatus`.
    static let statusPath = "/status"
    /// The most that a command or an answer may take: the export of an account is the largest.
    static let maximumBytes = 16 * 1024 * 1024
}

/// What a running server says of itself.
struct ServerStatus: Codable, Sendable {
    var version: String
    var processIdentifier: Int32
    var environment: ServerSettings.Environment
    var issuer: String
    /// What it was started with, by digests; absent from a server of before.
    var settings: ConfiguredSettings?
    /// What it lets pass without the person's consent; absent from a server of before.
    var sca: [Finding]?
    /// The issuer that its next start has to have, as the database says at the moment of asking; absent from a server of before.
    var nextIssuer: String?
}

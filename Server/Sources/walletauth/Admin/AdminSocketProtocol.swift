import AuthFoundation

/// The protocol on the administration socket: HTTP/1.1 with JSON, so that people can use curl.
enum AdminSocketProtocol {
    /// Executes one `AdministrationCommand` and returns an `AdministrationAnswer`.
    static let commandPath = "/administration"
    /// Returns a `ServerStatus`.
    static let statusPath = "/status"
    /// The largest command or answer. Account exports are the largest.
    static let maximumBytes = 16 * 1024 * 1024
}

/// A running server's report about itself.
struct ServerStatus: Codable, Sendable {
    var version: String
    var processIdentifier: Int32
    var environment: ServerSettings.Environment
    var issuer: String
    /// Its settings at the start, as digests; nil from an older version.
    var settings: ConfiguredSettings?
    /// The operations it lets pass without the person's consent; nil from an older version.
    var sca: [Finding]?
    /// The issuer its next start requires, read from the database for this report; nil from an older version.
    var nextIssuer: String?
}

/// An authorization server's issuer identifier (RFC 8414 §2): an https URL without query and fragment.
///
/// http is accepted only on the loopback interface, for sandboxes. Issuers are compared exactly, including a trailing
/// slash.
public struct Issuer: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(1...2048, format: "uri", example: "https://auth.example.com") }

    /// The exact identifier.
    public let rawValue: String

    private let parts: URIParts

    /// Validates an issuer.
    /// - Parameter text: the configured or received text.
    public init(_ text: String) throws(MalformedValue) {
        let parts = try WebURL(text, field: "iss").parts
        guard parts.query == nil else { throw MalformedValue(field: "iss", reason: "has a query") }
        self.parts = parts
        rawValue = text
    }

    /// Whether the issuer is reached without TLS, like a sandbox on loopback.
    public var isInsecure: Bool { parts.scheme == "http" }

    /// The host; an IPv6 address keeps its brackets.
    public var host: String { parts.authority?.host ?? "" }

    /// The port, or the scheme's default.
    public var port: Int { parts.authority?.portNumber ?? (isInsecure ? 80 : 443) }

    /// The path without a trailing slash: the prefix of every endpoint's path.
    public var pathPrefix: String { parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path }

    /// The absolute URL of a path below the issuer.
    /// - Parameter path: begins with a slash.
    public func url(path: String) -> String {
        parts.scheme + "://" + (parts.authority?.text ?? "") + pathPrefix + path
    }

    /// The location of the metadata in RFC 8414 §3.1: the well-known part goes between host and path.
    public var oauthMetadataURL: String {
        parts.scheme + "://" + (parts.authority?.text ?? "") + Endpoints.oauthMetadata.path + pathPrefix
    }

    /// The location of the metadata in OpenID Connect Discovery §4: the well-known part goes after the path.
    public var openIDConfigurationURL: String { url(path: Endpoints.openIDConfiguration.path) }
}

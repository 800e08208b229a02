/// An authorization server's issuer identifier (RFC 8414 section 2): an https URL without query and fragment.
///
/// http is taken on the loopback interface alone, for sandboxes. The text is compared to the letter, so a slash at its
/// end belongs to it.
public struct Issuer: WireValue {
    /// The identifier, to the letter.
    public let rawValue: String

    private let parts: URIParts

    /// Checks an issuer.
    /// - Parameter text: what was configured or received.
    public init(_ text: String) throws(MalformedValue) {
        let parts = try WebURL(text, field: "iss").parts
        guard parts.query == nil else { throw MalformedValue(field: "iss", reason: "has a query") }
        self.parts = parts
        rawValue = text
    }

    /// Whether the issuer is reached without TLS, as a sandbox on loopback is.
    public var isInsecure: Bool { parts.scheme == "http" }

    /// The host, an IPv6 address in its brackets.
    public var host: String { parts.authority?.host ?? "" }

    /// The port, named or by the scheme's default.
    public var port: Int { parts.authority?.portNumber ?? (isInsecure ? 80 : 443) }

    /// The path without a slash at its end: what precedes every endpoint's path.
    public var pathPrefix: String { parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path }

    /// The absolute URL of a path below the issuer.
    /// - Parameter path: begins with a slash.
    public func url(path: String) -> String {
        parts.scheme + "://" + (parts.authority?.text ?? "") + pathPrefix + path
    }

    /// Where RFC 8414 section 3.1 puts the metadata: the well-known part goes between host and path.
    public var oauthMetadataURL: String {
        parts.scheme + "://" + (parts.authority?.text ?? "") + Endpoints.oauthMetadata.path + pathPrefix
    }

    /// Where OpenID Connect Discovery section 4 puts the metadata: the well-known part goes behind the path.
    public var openIDConfigurationURL: String { url(path: Endpoints.openIDConfiguration.path) }
}

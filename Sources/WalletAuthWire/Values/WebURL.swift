/// A web page registered by a client: its site, or where its users reset their credentials.
///
/// https, or http on the loopback interface; no user information, no fragment, no ambiguous path.
public struct WebURL: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(1...2048, format: "uri", example: "https://app.example.com/path") }

    /// The exact URL.
    public let rawValue: String

    let parts: URIParts

    /// Validates a URL.
    /// - Parameter text: at most 8192 bytes.
    public init(_ text: String) throws(MalformedValue) { try self.init(text, field: "url") }

    /// Validates a URL in a certain field.
    /// - Parameters:
    ///   - text: at most 8192 bytes.
    ///   - field: the name for the error.
    public init(_ text: String, field: String) throws(MalformedValue) {
        let parts = try URIParts(text, field: field, maximumBytes: 8192)
        guard let authority = parts.authority, WebURL.isSecure(parts.scheme, authority), authority.hasCanonicalPort
        else {
            throw MalformedValue(
                field: field, reason: "is neither https with a DNS name in lower case nor http on loopback")
        }
        guard authority.userInfo == nil else {
            throw MalformedValue(field: field, reason: "has user information before an '@'")
        }
        guard parts.fragment == nil else { throw MalformedValue(field: field, reason: "has a fragment") }
        guard !parts.hasAmbiguousPath else {
            throw MalformedValue(field: field, reason: "has a path that can be read in two ways")
        }
        self.parts = parts
        rawValue = text
    }

    /// The host; an IPv6 address keeps its brackets.
    public var host: String { parts.authority?.host ?? "" }

    /// Whether it is reached without TLS, like a sandbox on loopback.
    public var isInsecure: Bool { parts.scheme == "http" }

    /// https to a name or a loopback address, or http to this device.
    static func isSecure(_ scheme: String, _ authority: URIParts.Authority) -> Bool {
        switch scheme {
        case "https": authority.isLowerCaseDNSName || authority.isLoopbackAddress
        case "http": authority.isLoopbackAddress || authority.host == "localhost"
        default: false
        }
    }
}

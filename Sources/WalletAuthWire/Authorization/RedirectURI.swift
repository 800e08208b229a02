/// The destination of an authorization response (RFC 6749 §3.1.2, RFC 8252 §7): a claimed https URI, a custom scheme in
/// reverse-DNS form, or a loopback address.
///
/// Anything that two parsers could read differently is refused immediately, also at registration, so that later an
/// exact comparison is enough.
public struct RedirectURI: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(1...2048, format: "uri", example: "com.example.app:/callback") }

    /// The kinds of redirect URI that a client may register.
    public enum Kind: Hashable, Sendable {
        /// `https://…`, claimed by the app or served by a web client.
        case https
        /// `com.example.app:/callback` (RFC 8252 §7.1).
        case customScheme
        /// `http://127.0.0.1…` or `http://[::1]…`, on any free port (RFC 8252 §7.3).
        case loopback
        /// `http://localhost…`: a name that may resolve to another address, so its port is compared like every other
        /// character.
        case localhost
    }

    /// The exact URI.
    public let rawValue: String

    /// Its kind.
    public let kind: Kind

    private let parts: URIParts

    /// Validates a redirect URI.
    /// - Parameter text: an absolute URI of one of the kinds, at most 2048 bytes.
    public init(_ text: String) throws(MalformedValue) {
        let parts = try URIParts(text, field: "redirect_uri")
        func fault(_ reason: String) -> MalformedValue { MalformedValue(field: "redirect_uri", reason: reason) }
        guard parts.fragment == nil else { throw fault("has a fragment: leave out # and what follows") }
        guard !text.contains("*") else { throw fault("has a wildcard") }
        guard !parts.scheme.utf8.contains(where: ASCII.isUpper) else { throw fault("has a scheme in upper case") }
        guard parts.authority?.userInfo == nil else { throw fault("has user information before an '@'") }
        guard !parts.hasAmbiguousPath else { throw fault("has a path that can be read in two ways") }
        kind = try Self.kind(of: parts)
        self.parts = parts
        rawValue = text
    }

    private static func kind(of parts: URIParts) throws(MalformedValue) -> Kind {
        func fault(_ reason: String) -> MalformedValue { MalformedValue(field: "redirect_uri", reason: reason) }
        switch (parts.scheme, parts.authority) {
        case ("https", let authority?):
            guard authority.hasCanonicalPort else { throw fault("has a malformed port") }
            guard authority.isLowerCaseDNSName || authority.isLoopbackAddress else {
                throw fault("has a host that is not a DNS name in lower case")
            }
            return .https
        case ("http", let authority?):
            guard authority.hasCanonicalPort else { throw fault("has a malformed port") }
            if authority.isLoopbackAddress { return .loopback }
            guard authority.host == "localhost" else {
                throw fault(
                    "is http, so others on the network could read the code: use https, a scheme of the app's own such as"
                        + " com.example.app:/callback, or http://127.0.0.1 for an app on the device")
            }
            return .localhost
        case ("https", nil), ("http", nil):
            throw fault("has no host")
        default:
            // A scheme without a dot (javascript, data, file, myapp) belongs to the browser, or to no one.
            let labels = parts.scheme.split(separator: ".", omittingEmptySubsequences: false)
            guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else {
                throw fault(
                    "has a scheme that is neither https nor a reverse domain name: write, for example, com.example.app:/cb"
                )
            }
            return .customScheme
        }
    }

    /// Whether the URI is https with a public DNS name, and so belongs to the owner of the domain. Loopback and IP
    /// addresses belong to any program listening there; a single-label name depends on the network.
    public var isClaimedByDomain: Bool { kind == .https && (parts.authority?.isPublicDNSName ?? false) }

    /// Whether the host is an IPv4 address in a notation that programs read differently: `127.1`, `0x7f.1`,
    /// `010.0.0.1`.
    public var hasAmbiguousHost: Bool {
        guard let authority = parts.authority else { return false }
        return authority.endsInNumber && !authority.isCanonicalIPv4
    }

    /// Whether a requested URI is a registered one: exactly, except for the port of `127.0.0.1` and `[::1]`.
    /// - Parameters:
    ///   - registered: the registered URI.
    ///   - onAnyPortOfLocalhost: whether `localhost` is excepted, too.
    public func matches(registered: RedirectURI, onAnyPortOfLocalhost: Bool = false) -> Bool {
        if rawValue == registered.rawValue { return true }
        guard kind == registered.kind, kind == .loopback || (kind == .localhost && onAnyPortOfLocalhost) else {
            return false
        }
        var (own, other) = (parts, registered.parts)
        own.authority?.port = nil
        other.authority?.port = nil
        return own == other
    }

    /// Whether the URI is under a client's site: the same scheme, host and port, and a path below the site's.
    /// - Parameter site: the registered site URL.
    public func lies(under site: WebURL) -> Bool {
        guard parts.scheme == site.parts.scheme, parts.authority == site.parts.authority else { return false }
        let folder = site.parts.path.hasSuffix("/") ? site.parts.path : site.parts.path + "/"
        return parts.path == site.parts.path || parts.path.hasPrefix(folder)
    }

    /// Returns the URI with parameters added to its query (RFC 6749 §4.1.2).
    /// - Parameter parameters: the parameters to add.
    public func appending(_ parameters: FormParameters) -> String {
        guard !parameters.isEmpty else { return rawValue }
        let separator = parts.query.map { $0.isEmpty ? "" : "&" } ?? "?"
        return rawValue + separator + parameters.encoded
    }

    /// The Content-Security-Policy source that lets a page's form go here, or nil if CSP cannot express it.
    public var origin: String? { parts.authority.map { parts.scheme + "://" + $0.text } }
}

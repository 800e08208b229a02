/// Where an authorization response goes (RFC 6749 section 3.1.2, RFC 8252 section 7): a claimed https URI, a custom scheme
/// in reverse-DNS form, or a loopback address.
///
/// Whatever two parsers could read differently is refused at the door, also for registration, so that comparing to the
/// letter is enough afterwards.
public struct RedirectURI: WireValue {
    /// The kinds of redirect URI that a client may register.
    public enum Kind: Hashable, Sendable {
        /// `https://…`, claimed by the app or served by a web client.
        case https
        /// `com.example.app:/callback` (RFC 8252 section 7.1).
        case customScheme
        /// `http://127.0.0.1…` or `http://[::1]…`, on whatever port the app found free (RFC 8252 section 7.3).
        case loopback
        /// `http://localhost…`: a name that can be pointed elsewhere, so its port counts like every other character.
        case localhost
    }

    /// The URI, to the letter.
    public let rawValue: String

    /// Which kind it is.
    public let kind: Kind

    private let parts: URIParts

    /// Checks a redirect URI.
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
                    "is http but does not lead to this device: use https, or http://127.0.0.1 for an app on the device")
            }
            return .localhost
        case ("https", nil), ("http", nil):
            throw fault("has no host")
        default:
            // A scheme without a dot (javascript, data, file, myapp) belongs to nobody, or to the browser.
            let labels = parts.scheme.split(separator: ".", omittingEmptySubsequences: false)
            guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else {
                throw fault(
                    "has a scheme that is neither https nor a reverse domain name: write for instance com.example.app:/cb"
                )
            }
            return .customScheme
        }
    }

    /// Whether the URI is https at a name of the public DNS, and so belongs to whoever controls the domain. Loopback and IP
    /// addresses belong to whatever program listens there; a name of one label is what each network makes of it.
    public var isClaimedByDomain: Bool { kind == .https && (parts.authority?.isPublicDNSName ?? false) }

    /// Whether the host is an IPv4 address in a notation that programs read in different ways: `127.1`, `0x7f.1`, `010.0.0.1`.
    public var hasAmbiguousHost: Bool {
        guard let authority = parts.authority else { return false }
        return authority.endsInNumber && !authority.isCanonicalIPv4
    }

    /// Whether a requested URI is a registered one: to the letter, the port of `127.0.0.1` and `[::1]` excepted.
    /// - Parameter registered: what the client registered.
    public func matches(registered: RedirectURI) -> Bool {
        if rawValue == registered.rawValue { return true }
        guard kind == .loopback, registered.kind == .loopback else { return false }
        var (own, other) = (parts, registered.parts)
        own.authority?.port = nil
        other.authority?.port = nil
        return own == other
    }

    /// Whether the URI lies under a client's site: the same scheme, host and port, and a path below the site's.
    /// - Parameter site: the registered site URL.
    public func lies(under site: WebURL) -> Bool {
        guard parts.scheme == site.parts.scheme, parts.authority == site.parts.authority else { return false }
        let folder = site.parts.path.hasSuffix("/") ? site.parts.path : site.parts.path + "/"
        return parts.path == site.parts.path || parts.path.hasPrefix(folder)
    }

    /// The URI with parameters added to its query (RFC 6749 section 4.1.2).
    /// - Parameter parameters: what to add.
    public func appending(_ parameters: FormParameters) -> String {
        guard !parameters.isEmpty else { return rawValue }
        let separator = parts.query.map { $0.isEmpty ? "" : "&" } ?? "?"
        return rawValue + separator + parameters.encoded
    }

    /// The value of a Content-Security-Policy source that lets a page's form lead here, or nil for what CSP cannot name.
    public var origin: String? { parts.authority.map { parts.scheme + "://" + $0.text } }
}

/// The browser's record of the request and its page (WebAuthn §5.8.1). The authenticator signs its hash.
public struct PasskeyClientData: Sendable, Hashable {
    /// The two ceremonies, with their names in the client data.
    public enum Ceremony: String, Sendable {
        /// A new key is made.
        case registration = "webauthn.create"
        /// A key is used.
        case assertion = "webauthn.get"
    }

    /// The signed challenge. The caller checks that it is its own and unused.
    public let challenge: [UInt8]
    private let ceremony: String
    /// The page, or the app, that asked.
    public let origin: String
    private let isCrossOrigin: Bool

    /// Parses client data.
    /// - Parameter json: the bytes from the browser, at most 8192. Unknown members are ignored, because more may be
    ///   added.
    /// - Throws: ``PasskeyFault/malformed(_:)``.
    public init(json: [UInt8]) throws(PasskeyFault) {
        let object: JSONObject
        do { object = try JSONValue.object(parsing: json, limits: JSONLimits(bytes: 8192, depth: 4)) } catch {
            throw .malformed("the client data are not a JSON object")
        }
        guard let ceremony = object["type"]?.string, let origin = object["origin"]?.string,
            let challenge = object["challenge"]?.string.flatMap(Base64URL.decode)
        else { throw .malformed("the client data lack type, origin or challenge") }
        switch object["crossOrigin"] {
        case nil, .bool(false)?: isCrossOrigin = object["topOrigin"] != nil
        case .bool(true)?: isCrossOrigin = true
        default: throw .malformed("crossOrigin is neither true nor false")
        }
        self.ceremony = ceremony
        self.origin = origin
        self.challenge = challenge
    }

    /// Checks the client data against the request.
    /// - Parameters:
    ///   - ceremony: the requested ceremony.
    ///   - challenge: the challenge.
    ///   - party: the site.
    /// - Throws: the first fault.
    public func check(_ ceremony: Ceremony, challenge: [UInt8], by party: PasskeyRelyingParty) throws(PasskeyFault) {
        guard self.ceremony == ceremony.rawValue else { throw .wrongCeremony }
        guard ConstantTime.equal(self.challenge, challenge) else { throw .wrongChallenge }
        guard !isCrossOrigin else { throw .crossOrigin }
        guard party.origins.contains(origin) else { throw .wrongOrigin }
    }
}

/// The site that a passkey is for.
public struct PasskeyRelyingParty: Sendable, Hashable {
    /// Its id: a domain.
    public var id: String
    /// The exact origins of the pages that may ask: `https://auth.example.com`.
    public var origins: Set<String>

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: String, origins: Set<String>) {
        self.id = id
        self.origins = origins
    }

    /// The origin that Apple's systems state for an app of the site.
    public var appleOrigin: String { "https://\(id)" }

    /// Whether text is the origin of a website exactly as browsers state it: `https`, a host in lower case, and a port unless it is the
    /// usual one.
    /// - Parameter text: the text.
    public static func isWebOrigin(_ text: String) -> Bool {
        guard text.utf8.count <= 255, let host = (try? URIParts(text, field: "origin"))?.authority?.host,
            host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ label in
                !label.isEmpty && label.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            }), host == host.lowercased()
        else { return false }
        let origin = "https://\(host)"
        guard text != origin else { return true }
        guard text.hasPrefix(origin + ":"), let port = UInt16(text.dropFirst(origin.utf8.count + 1)) else {
            return false
        }
        return port > 0 && port != 443 && text == "\(origin):\(port)"
    }

    /// Whether an origin is exactly what an app's system or a browser states for one that a site names to the person's device. Which
    /// ones it named, no signature says.
    static func canBeApp(_ origin: String) -> Bool {
        let android = "android:apk-key-hash:"
        guard origin.hasPrefix(android) else { return isWebOrigin(origin) }
        return Base64URL.decode(String(origin.dropFirst(android.count)))?.count == 32
    }

    /// The server's own site and its only origin; `nil` if its host is an address, for which browsers create no
    /// passkeys.
    /// - Parameter issuer: the server's public base URL.
    public init?(issuer: Issuer) {
        let host = issuer.host.lowercased()
        guard let last = host.split(separator: ".").last, last.utf8.contains(where: { $0 >= UInt8(ascii: "a") }),
            !host.hasPrefix("[")
        else { return nil }
        let (scheme, port): (String, Int) = issuer.isInsecure ? ("http", 80) : ("https", 443)
        self.init(id: host, origins: ["\(scheme)://\(host)" + (issuer.port == port ? "" : ":\(issuer.port)")])
    }
}

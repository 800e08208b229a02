/// What the browser says was asked for, by which page (WebAuthn §5.8.1). The authenticator signs its hash.
public struct PasskeyClientData: Sendable, Hashable {
    /// The two ceremonies, by their names in the client data.
    public enum Ceremony: String, Sendable {
        /// A new key is made.
        case registration = "webauthn.create"
        /// A key is used.
        case assertion = "webauthn.get"
    }

    /// What was signed over. Whether it is ours, and still to be used, is the caller's to know.
    public let challenge: [UInt8]
    private let ceremony: String
    private let origin: String
    private let isCrossOrigin: Bool

    /// - Parameter json: the bytes as the browser made them, 8192 at most. Members that are not known are left alone: more may come.
    /// - Throws: ``PasskeyFault/malformed(_:)``.
    public init(json: [UInt8]) throws(PasskeyFault) {
        let object: JSONObject
        do { object = try JSONValue.object(parsing: json, limits: JSONLimits(bytes: 8192, depth: 4)) } catch {
            throw .malformed("the client data are no JSON object")
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

    /// Holds it against what was to be done.
    /// - Parameters:
    ///   - ceremony: what was asked for.
    ///   - challenge: what was to be signed over.
    ///   - party: the site.
    /// - Throws: what does not fit.
    public func check(_ ceremony: Ceremony, challenge: [UInt8], by party: PasskeyRelyingParty) throws(PasskeyFault) {
        guard self.ceremony == ceremony.rawValue else { throw .wrongCeremony }
        guard ConstantTime.equal(self.challenge, challenge) else { throw .wrongChallenge }
        guard !isCrossOrigin else { throw .crossOrigin }
        guard party.origins.contains(origin) else { throw .wrongOrigin }
    }
}

/// The site that a passkey is good for.
public struct PasskeyRelyingParty: Sendable, Hashable {
    /// Its id: a domain.
    public var id: String
    /// The pages that may ask, each exactly: `https://auth.example.com`.
    public var origins: Set<String>

    /// Each parameter is the property of its name.
    public init(id: String, origins: Set<String>) {
        self.id = id
        self.origins = origins
    }

    /// The server's own site and its one origin; `nil` where its host is an address, for which no browser makes a passkey.
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

import Core
import HTTPTypes

extension HTTPField.Name {
    static let dpop = literal("dpop")
    static let dpopNonce = literal("dpop-nonce")
    static let deviceSignature = literal("wallet-device-signature")
    static let idempotencyKey = literal("idempotency-key")
    static let hostField = literal("host")
    static let permissionsPolicy = literal("permissions-policy")
    static let crossOriginResourcePolicy = literal("cross-origin-resource-policy")
    static let referrerPolicy = literal("referrer-policy")
    static let refresh = literal("refresh")
    static let secFetchDest = literal("sec-fetch-dest")
    static let secFetchSite = literal("sec-fetch-site")
    static let traceParent = literal("traceparent")
    static let xForwardedFor = literal("x-forwarded-for")
    static let xForwardedProto = literal("x-forwarded-proto")
    static let xFrameOptions = literal("x-frame-options")

    /// Only called with names written in this file, so no request can reach the failure.
    private static func literal(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name(name.description) else { preconditionFailure("not a field name: \(name)") }
        return name
    }
}

extension HTTPFields {
    /// The single value of the field; `nil` if absent.
    /// - Throws: ``RequestFault/doubledHeader`` if the field appears twice. With a second `Authorization` or `DPoP`, a
    ///   request could mean one thing to a proxy and another to the server.
    func single(_ name: HTTPField.Name) throws(RequestFault) -> String? {
        // One pass without a copy: the subscript joins the values of a field even if there is only one.
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { throw .doubledHeader(name.canonicalName) }
            found = field.value
        }
        return found
    }
}

/// The value of a `Host` field: a host, with or without a port (RFC 9110 §7.2).
struct HostField: Sendable, Hashable {
    /// In lower case; an IPv6 address keeps its brackets.
    let host: String

    /// - Parameter text: the field's value. The result is `nil` if it is empty or malformed.
    init?(_ text: String) {
        let lower = text.lowercased()
        let isLiteral = lower.hasPrefix("[")
        let end =
            isLiteral
            ? lower.firstIndex(of: "]").map { lower.index(after: $0) }
            : lower.firstIndex(of: ":") ?? lower.endIndex
        guard let end else { return nil }
        let host = String(lower[..<end])
        guard isLiteral ? host.contains(":") && NetworkAddress(host) != nil : Self.isName(host),
            Self.isPort(lower[end...])
        else {
            return nil
        }
        self.host = host
    }

    /// Whether it is a registered name or an IPv4 address (RFC 3986 §3.2.2): unreserved characters, sub-delimiters and
    /// escapes.
    private static func isName(_ host: String) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || "-._~!$&'()*+,;=%".utf8.contains(byte)
            }
    }

    private static func isPort(_ port: Substring) -> Bool {
        port.isEmpty || (port.first == ":" && port.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) })
    }
}

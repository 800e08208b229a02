internal import Core
package import HTTPTypes

/// In the letters of their specifications. HTTP/1 responses have the names as they are written here, and some clients find a field by
/// these letters alone (libiddawc: `DPoP-Nonce`); HTTP/2 sends all names in lower case.
extension HTTPField.Name {
    package static let dpop = literal("DPoP")
    package static let dpopNonce = literal("DPoP-Nonce")
    package static let clientAttestation = literal("OAuth-Client-Attestation")
    package static let deviceSignature = literal("Wallet-Device-Signature")
    package static let idempotencyKey = literal("Idempotency-Key")
    package static let hostField = literal("Host")
    package static let permissionsPolicy = literal("Permissions-Policy")
    package static let crossOriginResourcePolicy = literal("Cross-Origin-Resource-Policy")
    package static let referrerPolicy = literal("Referrer-Policy")
    package static let refresh = literal("Refresh")
    package static let secCHUA = literal("Sec-CH-UA")
    package static let secCHUAPlatform = literal("Sec-CH-UA-Platform")
    package static let secFetchDest = literal("Sec-Fetch-Dest")
    package static let secFetchSite = literal("Sec-Fetch-Site")
    package static let traceParent = literal("traceparent")
    package static let xForwardedFor = literal("X-Forwarded-For")
    package static let xForwardedProto = literal("X-Forwarded-Proto")
    package static let xFrameOptions = literal("X-Frame-Options")

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
    package func single(_ name: HTTPField.Name) throws(RequestFault) -> String? {
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
package struct HostField: Sendable, Hashable {
    /// In lower case; an IPv6 address keeps its brackets.
    package let host: String

    /// - Parameter text: the field's value. The result is `nil` if it is empty or malformed.
    package init?(_ text: String) {
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

extension Substring {
    /// Removes the whitespace that HTTP allows around list elements and parameters.
    package func trimmed() -> Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...end]
    }
}

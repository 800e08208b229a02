import AuthCore

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

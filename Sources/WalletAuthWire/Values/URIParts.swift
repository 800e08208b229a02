/// The parts of an absolute URI (RFC 3986), split strictly and never rewritten.
///
/// Foundation's `URL` is not used: its leniency differs between platforms and versions, and a redirect URI that two
/// parsers read differently is an attack.
struct URIParts: Hashable, Sendable {
    var scheme: String
    /// The text between `//` and the path, or nil if there is no `//`.
    var authority: Authority?
    var path: String
    var query: String?
    var fragment: String?

    struct Authority: Hashable, Sendable {
        var userInfo: String?
        /// An IPv6 address keeps its brackets.
        var host: String
        /// The port's digits, or nil if there is no colon.
        var port: String?
    }

    /// Splits a URI.
    /// - Parameters:
    ///   - text: an absolute URI.
    ///   - field: the name for the error.
    ///   - maximumBytes: a longer text is refused unread.
    /// - Throws: ``MalformedValue`` with the given field, if the text is not an absolute URI.
    init(_ text: String, field: String, maximumBytes: Int = 2048) throws(MalformedValue) {
        func fault(_ reason: String) -> MalformedValue { MalformedValue(field: field, reason: reason) }
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw fault("is empty") }
        guard bytes.count <= maximumBytes else { throw fault("is longer than \(maximumBytes) bytes") }
        guard Self.hasOnlyURICharacters(bytes) else { throw fault("has a character that no URI may have") }

        guard let colon = bytes.firstIndex(of: 0x3A), ASCII.isLetter(bytes[0]),
            bytes[..<colon].allSatisfy({ ASCII.isAlphanumeric($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E })
        else { throw fault("is not an absolute URI") }
        scheme = Self.text(bytes[..<colon])

        var rest = bytes[(colon + 1)...]
        if let mark = rest.firstIndex(of: 0x23) {
            fragment = Self.text(rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: 0x3F) {
            query = Self.text(rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        if rest.starts(with: [0x2F, 0x2F]) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: 0x2F) ?? rest.endIndex
            guard let parsed = Self.authority(rest[..<end]) else { throw fault("has a malformed authority") }
            authority = parsed
            rest = rest[end...]
        }
        path = Self.text(rest)
    }

    /// The characters of RFC 3986 §2, with every `%` followed by two hexadecimal digits.
    private static func hasOnlyURICharacters(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x25 {
                guard index + 2 < bytes.count, ASCII.hexValue(bytes[index + 1]) != nil,
                    ASCII.hexValue(bytes[index + 2]) != nil
                else { return false }
                index += 3
                continue
            }
            guard ASCII.isUnreserved(byte) || isReserved(byte) else { return false }
            index += 1
        }
        return true
    }

    private static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        // : / ? # [ ] @
        case 0x3A, 0x2F, 0x3F, 0x23, 0x5B, 0x5D, 0x40: true
        // ! $ & ' ( ) * + , ; =
        case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
        default: false
        }
    }

    private static func authority(_ bytes: ArraySlice<UInt8>) -> Authority? {
        var rest = bytes
        var userInfo: String?
        if let at = rest.lastIndex(of: 0x40) {
            userInfo = text(rest[..<at])
            rest = rest[(at + 1)...]
        }
        let host: ArraySlice<UInt8>
        if rest.first == 0x5B {
            guard let close = rest.firstIndex(of: 0x5D) else { return nil }
            host = rest[...close]
            rest = rest[(close + 1)...]
            guard host.dropFirst().dropLast().allSatisfy({ ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E })
            else {
                return nil
            }
        } else {
            let end = rest.firstIndex(of: 0x3A) ?? rest.endIndex
            host = rest[..<end]
            rest = rest[end...]
            guard !host.contains(0x5B), !host.contains(0x5D) else { return nil }
        }
        guard !rest.isEmpty else { return Authority(userInfo: userInfo, host: text(host), port: nil) }
        guard rest.first == 0x3A else { return nil }
        let port = rest.dropFirst()
        guard port.count <= 5, port.allSatisfy(ASCII.isDigit) else { return nil }
        return Authority(userInfo: userInfo, host: text(host), port: text(port))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension URIParts.Authority {
    var text: String { (userInfo.map { $0 + "@" } ?? "") + host + (port.map { ":" + $0 } ?? "") }

    /// The port's number, or nil if there is none.
    var portNumber: Int? { port.flatMap(Int.init) }

    /// Whether the port is written canonically: 1 to 65535 without a leading zero.
    var hasCanonicalPort: Bool {
        guard let port else { return true }
        guard let number = portNumber else { return false }
        return (1...65535).contains(number) && String(number) == port
    }

    /// Whether the host is a DNS name in lower case, without a trailing dot, wildcard or percent encoding.
    var isLowerCaseDNSName: Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253 else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.utf8.allSatisfy { ASCII.isLower($0) || ASCII.isDigit($0) || $0 == 0x2D }
        }
    }

    /// Whether the host could be a name in the public DNS: more than one label, not one of the names for loopback, and
    /// not an IP address in any notation.
    var isPublicDNSName: Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard isLowerCaseDNSName, labels.count > 1, let last = labels.last, !endsInNumber else { return false }
        // Names that a network assigns by itself (RFC 6761, RFC 6762 with its appendix G, RFC 8375).
        let local: Set<Substring> = [
            "localhost", "localdomain", "localhost6", "localdomain6", "local", "internal", "test", "invalid",
            "lan", "home", "corp", "intranet", "private",
        ]
        return !local.contains(last) && !host.hasSuffix(".home.arpa")
    }

    /// Whether browsers read the host as an IPv4 address: its last label is a decimal or hexadecimal number (WHATWG
    /// URL, "ends in a number checker"). `127.1`, `0x7f.1` and `2130706433` are 127.0.0.1 to them.
    var endsInNumber: Bool {
        guard let last = host.split(separator: ".").last else { return false }
        if last.utf8.allSatisfy(ASCII.isDigit) { return true }
        return last.lowercased().hasPrefix("0x") && last.utf8.dropFirst(2).allSatisfy { ASCII.hexValue($0) != nil }
    }

    /// Whether the host is an IPv4 address in the only notation that all programs read alike: four decimal numbers
    /// without leading zeros.
    var isCanonicalIPv4: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                number.utf8.allSatisfy(ASCII.isDigit) && UInt8(number).map(String.init) == String(number)
            }
    }

    /// The literal loopback addresses. `localhost` is a name, which may resolve to another address.
    var isLoopbackAddress: Bool { host == "127.0.0.1" || host == "[::1]" }
}

extension URIParts {
    /// Whether servers and proxies may read the path differently: dot segments (also before `;`, also encoded),
    /// backslashes and disguised slashes, or an encoded NUL.
    var hasAmbiguousPath: Bool {
        // Each of them needs one of these characters, and hardly any path has one.
        guard path.utf8.contains(where: { $0 == 0x25 || $0 == 0x2E || $0 == 0x5C }) else { return false }
        let lower = path.lowercased()
        for disguise in ["%2e", "%2f", "%5c", "%00", "%25", "\\"] where lower.contains(disguise) { return true }
        return path.split(separator: "/", omittingEmptySubsequences: false).contains { segment in
            let name = segment.prefix { $0 != ";" }
            return name == "." || name == ".."
        }
    }
}

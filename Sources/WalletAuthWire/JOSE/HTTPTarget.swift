/// The URL of a request as DPoP binds it: without query and fragment, normalized by syntax and scheme (RFC 9449 §4.3
/// step 9, RFC 3986 §6.2).
public struct HTTPTarget: Hashable, Sendable, CustomStringConvertible {
    /// The normalized URL, as in `htu`.
    public let rawValue: String

    /// Normalizes the URL of a request.
    /// - Parameter url: an absolute http or https URL.
    public init(_ url: String) throws(MalformedValue) {
        let parts = try URIParts(url, field: "htu", maximumBytes: 8192)
        let scheme = parts.scheme.lowercased()
        guard scheme == "https" || scheme == "http", let authority = parts.authority, authority.userInfo == nil,
            !authority.host.isEmpty, authority.port.map({ $0.isEmpty || authority.portNumber ?? 0 <= 65_535 }) ?? true
        else { throw MalformedValue(field: "htu", reason: "is not the URL of an HTTP request") }
        let port = authority.portNumber.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        let host = Self.normalizingEscapes(authority.host).lowercased()
        rawValue = scheme + "://" + host + port + Self.removingDotSegments(Self.normalizingEscapes(parts.path))
    }

    /// The normalized URL.
    public var description: String { rawValue }

    /// Writes escapes in upper case, and decodes those of unreserved characters (RFC 3986 §6.2.2.1 and §6.2.2.2).
    private static func normalizingEscapes(_ text: String) -> String {
        guard text.utf8.contains(0x25) else { return text }
        let bytes = Array(text.utf8)
        var normalized: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == 0x25, index + 2 < bytes.count, let high = ASCII.hexValue(bytes[index + 1]),
                let low = ASCII.hexValue(bytes[index + 2])
            else {
                normalized.append(bytes[index])
                index += 1
                continue
            }
            let byte = high << 4 | low
            if ASCII.isUnreserved(byte) {
                normalized.append(byte)
            } else {
                normalized += [0x25, ASCII.upperHex[Int(high)], ASCII.upperHex[Int(low)]]
            }
            index += 3
        }
        return String(decoding: normalized, as: UTF8.self)
    }

    /// Whether a segment begins with a dot and may have to be removed. Each proof is compared with two paths, and
    /// hardly any has one.
    private static func hasSegmentWithDot(_ path: String) -> Bool {
        var previous: UInt8 = 0
        for byte in path.utf8 {
            if byte == 0x2E, previous == 0x2F { return true }
            previous = byte
        }
        return false
    }

    /// RFC 3986 §5.2.4, for paths that are absolute or empty.
    private static func removingDotSegments(_ path: String) -> String {
        guard !path.isEmpty else { return "/" }
        guard hasSegmentWithDot(path) else { return path }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var kept: [Substring] = []
        for (position, segment) in segments.enumerated() {
            let isLast = position == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}

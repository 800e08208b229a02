/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme in lower case.
    let scheme: String
    /// The parameters, with names in lower case; empty if the challenge has a duplicate name, which would be ambiguous.
    let parameters: [String: String]

    /// The limit for all fields together, in bytes.
    private static let limit = 8192

    /// Parses challenges. A malformed part ends the parsing of its field.
    /// - Parameter fields: the values of `WWW-Authenticate`; one value may contain several, as some libraries join
    ///   them.
    static func all(in fields: [String]) -> [AuthenticationChallenge] {
        guard fields.reduce(0, { $0 + $1.utf8.count }) <= limit else { return [] }
        return fields.flatMap { field in
            var reader = Reader(bytes: Array(field.utf8))
            return reader.challenges()
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        private var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func challenges() -> [AuthenticationChallenge] {
            var found: [(scheme: String, parameters: [(String, String)])] = []
            while true {
                skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
                let word = token()
                guard !word.isEmpty else { break }
                let afterWord = position
                skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                if next == UInt8(ascii: "=") {
                    guard !found.isEmpty, let text = parameterText() else { break }
                    found[found.count - 1].parameters.append((word.lowercased(), text))
                    continue
                }
                position = afterWord
                found.append((word.lowercased(), []))
                skipCredentials()
            }
            return found.map { scheme, pairs in
                let parameters = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
                return AuthenticationChallenge(
                    scheme: scheme, parameters: parameters.count == pairs.count ? parameters : [:])
            }
        }

        /// The value after an equals sign; `nil` if there is none, which ends the field.
        private mutating func parameterText() -> String? {
            position += 1
            skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard next == UInt8(ascii: "\"") else {
                let word = token()
                return word.isEmpty ? nil : word
            }
            position += 1
            var text: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = next else { return nil }
                    text.append(escaped)
                    position += 1
                default: text.append(byte)
                }
            }
            return nil
        }

        /// Credentials without names, as in `Negotiate` (token68), which are not needed here.
        private mutating func skipCredentials() {
            let beginning = position
            skip { $0 == UInt8(ascii: " ") }
            skip { ASCII.isDigit($0) || ASCII.isLetter($0) || "-._~+/".utf8.contains($0) }
            let padding = position
            skip { $0 == UInt8(ascii: "=") }
            // A single equals sign followed by something belongs to a parameter.
            let isParameter = position == padding + 1 && next != nil && next != UInt8(ascii: ",")
            if isParameter || (position == padding && next != nil && next != UInt8(ascii: ",")) { position = beginning }
        }

        private mutating func token() -> String {
            let beginning = position
            skip { ASCII.isDigit($0) || ASCII.isLetter($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
            return String(decoding: bytes[beginning..<position], as: UTF8.self)
        }

        private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
            while let byte = next, isSkipped(byte) { position += 1 }
        }
    }
}

extension OAuthError {
    /// The error that a protected resource's challenge names (RFC 6750 §3.1, RFC 9449 §7.1); nil if none does.
    /// - Parameter fields: the values of `WWW-Authenticate`.
    package init?(wwwAuthenticate fields: [String]) {
        let challenge = AuthenticationChallenge.all(in: fields).first {
            ["bearer", "dpop"].contains($0.scheme) && $0.parameters["error"] != nil
        }
        guard let challenge, let name = challenge.parameters["error"], let code = try? Code(name) else { return nil }
        self.init(code, challenge.parameters["error_description"])
    }
}

import Store

/// Why a server did not let this program in, from the message of libpq.
///
/// The message has a line for each attempt, and lines that begin with white space and continue it. A name may have several
/// addresses, and with `sslmode=prefer` an address is tried again without TLS.
struct ConnectionRefusal {
    /// The first attempt that a server answered, or the first of all.
    private let line: Substring
    private let state: Substring?

    init(_ message: String) {
        let attempts = message.split(whereSeparator: \.isNewline).filter { $0.first?.isWhitespace == false }
        let answered = attempts.first { Self.state(in: $0) != nil || Self.isOfTLS($0) }
        line = (answered ?? attempts.first ?? "no reason given").prefix(300)
        state = Self.state(in: line)
    }

    var code: StoreError.Code {
        switch state.map({ String($0.prefix(2)) }) {
        case "28", "42": .loginRefused
        case "3D": .noDatabase
        case "53": .noConnections
        case "22": .unsuitable
        // PgBouncer's own.
        case "08" where line.contains("no such database"): .noDatabase
        case "08" where line.contains("no more connections allowed"): .noConnections
        case nil where line.contains("no password supplied"): .loginRefused
        case nil where Self.isOfTLS(line): .untrustedServer
        default: .unavailable
        }
    }

    /// - Parameter withoutTLS: whether the connection string forbids TLS. libpq would try it otherwise.
    func reason(withoutTLS: Bool) -> String {
        // The name of the file is the same in every language.
        guard withoutTLS, state == "28000", line.contains("pg_hba.conf") else { return String(line) }
        return "\(line): the server may accept only TLS connections, so write sslmode=verify-full instead of disable"
    }

    private static func isOfTLS(_ line: Substring) -> Bool {
        line.contains("SSL") || line.contains("certificate")
    }

    /// The SQLSTATE in a verbose message: five letters and digits between a space and a colon. All that matter have a
    /// digit, unlike `FATAL`.
    private static func state(in line: Substring) -> Substring? {
        line.split(separator: " ").first { word in
            word.utf8.count == 6 && word.hasSuffix(":") && word.contains(where: \.isNumber)
                && word.dropLast().allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
        }?.dropLast()
    }
}

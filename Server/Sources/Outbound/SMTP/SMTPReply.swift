/// A server's reply to a command (RFC 5321 §4.2).
struct SMTPReply: Sendable, Hashable {
    /// Three digits.
    let code: Int
    /// The text of each line.
    let lines: [String]

    var isPositive: Bool { (200..<300).contains(code) }

    /// The enhanced status code (RFC 3463) in the last line, such as `5.1.1`.
    var enhancedCode: String? {
        guard let word = lines.last?.split(separator: " ").first else { return nil }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, ["2", "4", "5"].contains(parts[0]),
            parts[1...].allSatisfy({ (1...3).contains($0.utf8.count) && $0.allSatisfy { ("0"..."9").contains($0) } })
        else { return nil }
        return String(word)
    }

    /// Only the codes, because the text often names the recipient.
    var summary: String { enhancedCode.map { "\(code) \($0)" } ?? "\(code)" }
}

/// Parses replies from a stream of bytes, and never holds more than a limited number of them.
struct SMTPReplyParser {
    /// RFC 5321 §4.5.3.1.5 says 512, but some servers send more.
    private static let longestLine = 2048
    private static let mostLines = 128

    private var line: [UInt8] = []
    private var code: Int?
    private var lines: [String] = []

    /// Whether there is no unfinished reply.
    var isEmpty: Bool { line.isEmpty && lines.isEmpty }

    /// - Returns: the reply that this byte completes, if any.
    /// - Throws: ``OutboundFault`` if the bytes are not a reply.
    mutating func take(_ byte: UInt8) throws -> SMTPReply? {
        guard byte == UInt8(ascii: "\n") else {
            guard line.count < Self.longestLine else { throw OutboundFault.tooLarge }
            line.append(byte)
            return nil
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line = [] }
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)), (200..<600).contains(number),
            code == nil || code == number
        else { throw OutboundFault.broken }
        guard lines.count < Self.mostLines else { throw OutboundFault.tooLarge }
        let separator = line.dropFirst(3).first
        guard separator == nil || separator == UInt8(ascii: " ") || separator == UInt8(ascii: "-") else {
            throw OutboundFault.broken
        }
        code = number
        lines.append(String(decoding: line.dropFirst(4), as: UTF8.self))
        guard separator != UInt8(ascii: "-") else { return nil }
        defer {
            code = nil
            lines = []
        }
        return SMTPReply(code: number, lines: lines)
    }
}

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

    /// What the enhanced status code of a refusal means (RFC 3463, and the registry of RFC 5248); `nil` if it does not tell.
    var meaning: String? {
        guard let code = enhancedCode, !code.hasPrefix("2.") else { return nil }
        return switch code.dropFirst(2) {
        case "1.1": "unknown mailbox"
        case "1.2": "unknown domain"
        case "1.3": "malformed address"
        case "1.6": "the mailbox has moved"
        case "1.8": "the sender's domain has no address"
        case "1.10": "the domain takes no mail"
        case "2.1": "the mailbox is disabled"
        case "2.2": "the mailbox is full"
        case "2.3", "3.4": "the message is too large"
        case "3.1": "the mail server's disk is full"
        case "3.2": "the mail server takes no mail now"
        case "4.1", "4.4": "the mail server cannot reach the domain"
        case "5.3": "too many recipients"
        case "7.0": "refused by a security rule"
        case "7.1" where code.hasPrefix("4."): "refused for now by a rule of the mail server"
        case "7.1": "not permitted: relaying, or a rule of the mail server"
        case "7.8": "wrong user name or password"
        case "7.20", "7.21", "7.22": "no valid DKIM signature"
        case "7.23", "7.24": "the sender's SPF record does not allow this server"
        case "7.25": "the server's address has no matching name in DNS"
        case "7.26": "DKIM and SPF both failed"
        case "7.27": "the sender's domain takes no mail"
        default: nil
        }
    }
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

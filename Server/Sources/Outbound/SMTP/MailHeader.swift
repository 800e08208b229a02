internal import Core
internal import Foundation
internal import WalletAuthWire

/// Header fields whose values cannot break out of their line.
enum MailHeader {
    /// Unstructured text (a subject) or a phrase (a name). Short plain ASCII is unchanged; anything else becomes
    /// encoded words (RFC 2047). Line breaks and other control characters are not plain, so they are always encoded.
    /// - Parameter field: the name of the field, which is on the line of the first word.
    static func text(_ value: String, of field: String) -> String {
        let isPlain = value.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !value.contains("=?")
        guard !isPlain || value.utf8.count > 60 || value.hasPrefix(" ") || value.hasSuffix(" ") else { return value }
        // A line with an encoded word has at most 76 characters (RFC 2047 §2). A colon and a space follow the name.
        var limit = bytes(inWordOf: 76 - field.utf8.count - 2)
        var words: [String] = []
        var part: [UInt8] = []
        for scalar in value.unicodeScalars {
            let encoded = Array(String(scalar).utf8)
            if part.count + encoded.count > limit {
                words.append(word(part))
                part = []
                // A space precedes the word.
                limit = bytes(inWordOf: 75)
            }
            part += encoded
        }
        words.append(word(part))
        return words.joined(separator: "\r\n ")
    }

    /// An address with its name.
    static func mailbox(_ mailbox: Mailbox, of field: String) -> String {
        guard let name = mailbox.name else { return "<\(mailbox.address.addrSpec)>" }
        let encoded = text(name, of: field)
        guard encoded == name else { return "\(encoded)\r\n <\(mailbox.address.addrSpec)>" }
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\" <\(mailbox.address.addrSpec)>"
    }

    /// In UTC (RFC 5322 §3.3).
    static func date(_ time: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.weekday, .day, .month, .year, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: TimeInterval(time.seconds)))
        let weekday = weekdays[((parts.weekday ?? 1) - 1) % 7]
        let month = months[((parts.month ?? 1) - 1) % 12]
        let clock = [parts.hour, parts.minute, parts.second].map { number in
            let digits = String(number ?? 0)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined(separator: ":")
        return "\(weekday), \(parts.day ?? 1) \(month) \(parts.year ?? 1970) \(clock) +0000"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// How many bytes an encoded word of so many characters has room for, in base64 and with its delimiters.
    private static func bytes(inWordOf length: Int) -> Int { (length - word([]).utf8.count) / 4 * 3 }

    private static func word(_ bytes: [UInt8]) -> String {
        "=?UTF-8?B?\(Data(bytes).base64EncodedString())?="
    }
}

internal import Foundation
internal import WalletAuthWire

/// A plain-text message in its wire format (RFC 5322, RFC 2045).
///
/// The body is quoted-printable: seven bits and short lines, so that no server on the way has to change it.
struct MailText: Sendable {
    let sender: Mailbox
    let recipient: Mailbox
    let message: OutgoingMessage

    /// Header and body, with lines ended by CRLF.
    var content: String {
        [
            "Date: \(MailHeader.date(message.createdAt))",
            "From: \(MailHeader.mailbox(sender, of: "From"))",
            "To: \(MailHeader.mailbox(recipient, of: "To"))",
            // The row's id. If the server stops during a delivery and sends a message twice, the mailbox shows it once.
            "Message-ID: <\(message.id)@\(sender.address.asciiDomain)>",
            "Subject: \(MailHeader.text(message.subject, of: "Subject"))",
            // Out-of-office programs do not answer automatic messages (RFC 3834 §5).
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
            "",
            Self.quotedPrintable(message.text),
        ].joined(separator: "\r\n")
    }

    /// The content for DATA: a line that begins with a dot gets another one, and a lone dot ends the message (RFC 5321
    /// §4.5.2).
    var data: String {
        let lines = content.split(separator: "\r\n", omittingEmptySubsequences: false)
        return lines.map { $0.hasPrefix(".") ? ".\($0)" : String($0) }.joined(separator: "\r\n") + "\r\n.\r\n"
    }

    /// RFC 2045 §6.7: lines of at most 76 characters.
    static func quotedPrintable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(encodedLine).joined(separator: "\r\n")
    }

    private static func encodedLine(_ line: Substring) -> String {
        let bytes = Array(line.utf8)
        var lines: [String] = []
        var current = ""
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isSpace = byte == 0x20 || byte == 0x09
            let isPlain = (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
            let piece = isPlain || (isSpace && !isLast) ? String(UnicodeScalar(byte)) : escaped(byte)
            if current.utf8.count + piece.utf8.count > 75 {
                lines.append(current + "=")
                current = ""
            }
            current += piece
        }
        lines.append(current)
        return lines.joined(separator: "\r\n")
    }

    private static func escaped(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count < 2 ? "=0\(digits)" : "=\(digits)"
    }
}

import Foundation
import Testing
import WalletAuthWire

@testable import Outbound

@Suite("Messages as mail")
struct MailTextTests {
    @Test(
        "An address that could end a command or a header is none",
        arguments: [
            "", "ada", "ada@", "@example.com", "a@b@c", "a b@example.com", "ada@exa mple.com",
            "ada@example.com\r\nBcc: eve@example.com",
            "ada>@example.com", "<ada@example.com", "\"a b\"@example.com", "ada@[127.0.0.1]", "a..b@example.com",
            ".a@example.com", "ada@example..com", "ada@-\u{202E}example.com", "ada,eve@example.com", "ada;@example.com",
            "ada(x)@example.com", String(repeating: "a", count: 65) + "@example.com", "ada@example.com\u{0}",
        ])
    func badAddresses(_ text: String) {
        #expect(throws: MalformedValue.self) { try Mailbox(text) }
    }

    @Test(
        "An address may come with a name",
        arguments: [
            ("no-reply@example.com", "<no-reply@example.com>"),
            ("Example Bank <no-reply@example.com>", "\"Example Bank\" <no-reply@example.com>"),
            ("\"Example, Inc.\" <no-reply@example.com>", "\"Example, Inc.\" <no-reply@example.com>"),
            ("Банка <no-reply@example.com>", "=?UTF-8?B?0JHQsNC90LrQsA==?=\r\n <no-reply@example.com>"),
        ])
    func names(_ text: String, _ header: String) throws {
        #expect(MailHeader.mailbox(try Mailbox(named: text), of: "From") == header)
    }

    @Test("An address is written as SMTP demands it, with a name and without")
    func quotedAddress() throws {
        #expect(MailHeader.mailbox(try Mailbox("abc.@ezweb.ne.jp"), of: "To") == "<\"abc.\"@ezweb.ne.jp>")
        let named = try Mailbox(named: "Банка <no-reply@банка.бг>")
        #expect(MailHeader.mailbox(named, of: "From").hasSuffix("\r\n <no-reply@xn--80aab1bo.xn--90ae>"))
    }

    @Test(
        "A subject is plain where it can be, and else encoded words of at most 75 characters that never split a letter")
    func subjects() {
        #expect(MailHeader.text("Your code", of: "Subject") == "Your code")
        #expect(MailHeader.text("=?x?=", of: "Subject") != "=?x?=")
        let long = MailHeader.text("Излязохте от профила си от съображения за сигурност", of: "Subject")
        let words = long.components(separatedBy: "\r\n ")
        #expect(words.count > 1)
        var decoded = ""
        for word in words {
            #expect(word.utf8.count <= 75)
            let bytes = Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data()
            decoded += String(validating: bytes, as: UTF8.self) ?? "?"
        }
        #expect(decoded == "Излязохте от профила си от съображения за сигурност")
    }

    @Test("A line with an encoded word has at most 76 characters, with the name of its field", arguments: 1...50)
    func encodedLines(_ length: Int) throws {
        let text = String(repeating: "ж", count: length)
        let sender = try Mailbox(named: "\(text) <no-reply@example.com>")
        let fields = [
            "Subject: \(MailHeader.text(text, of: "Subject"))", "From: \(MailHeader.mailbox(sender, of: "From"))",
        ]
        for line in fields.flatMap({ $0.components(separatedBy: "\r\n") }) {
            #expect(line.utf8.count <= 76, "\(line)")
        }
    }

    @Test("Text is quoted-printable: short lines of ASCII, and nothing lost")
    func quotedPrintable() {
        #expect(MailText.quotedPrintable("a=b") == "a=3Db")
        #expect(MailText.quotedPrintable("é") == "=C3=A9")
        #expect(MailText.quotedPrintable("end \nnext") == "end=20\r\nnext")
        #expect(MailText.quotedPrintable("a\rb\u{0}") == "a=0Db=00")
        let lines = MailText.quotedPrintable(String(repeating: "ж", count: 100)).components(separatedBy: "\r\n")
        #expect(lines.count > 1)
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
    }
}

import Core
import Foundation
import TestSupport
import Testing

@testable import Outbound

@Suite("Mail by SMTP")
struct SMTPDialogueTests {
    typealias Conversation = ScriptedServer.Conversation

    private let message = OutgoingMessage(
        id: "0190aaaa-0000-7000-8000-000000000001", kind: "email_code", recipient: "ada@example.org",
        subject: "Your code", text: "Your code:\n\n.123456\n\nGood-bye.", createdAt: Timestamp(seconds: 1_700_000_000),
        expiresAt: Timestamp(seconds: 1_700_000_300))

    private func settings(_ port: Int, security: SMTPSettings.Security = .none) throws -> SMTPSettings {
        SMTPSettings(
            host: "127.0.0.1", port: port, security: security, sender: try Mailbox(named: "Bank <bank@example.com>"),
            clientName: "id.example.com", timeout: .seconds(300))
    }

    /// Plays a server that answers each command by its first word, and DATA's text by `message`.
    private func attempt(
        _ answers: [String: String] = [:], settings adjust: (inout SMTPSettings) -> Void = { _ in },
        message: OutgoingMessage? = nil
    ) async throws -> (outcome: DeliveryOutcome, heard: [String]) {
        let usual = [
            "greeting": "220 mail ready\r\n", "EHLO": "250-mail\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n",
            "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go on\r\n", "message": "250 2.0.0 taken\r\n",
            "QUIT": "221 bye\r\n", "AUTH": "235 ok\r\n",
        ].merging(answers) { _, new in new }
        let heard = Gathered<String>()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let server = try await ScriptedServer.start { conversation in
            defer { end.yield() }
            try await conversation.say(usual["greeting"] ?? "")
            while let line = try await conversation.line() {
                await heard.add(line)
                let word = String(line.prefix { $0 != " " })
                try await conversation.say(usual[word] ?? "500 what?\r\n")
                guard word == "DATA", usual["DATA"]?.hasPrefix("354") == true else { continue }
                while let text = try await conversation.line(), text != "." { await heard.add(text) }
                try await conversation.say(usual["message"] ?? "")
            }
        }
        var settings = try settings(server.port)
        adjust(&settings)
        let outcome = try await SMTPTransport(settings)
            .deliver(message ?? self.message, now: Timestamp(seconds: 1_700_000_001))
        // The client waits for the answer to QUIT for a moment only. The server may come to read it later.
        if outcome == .delivered { for await _ in ended { break } }
        return (outcome, await heard.all)
    }

    @Test("A message is handed over: envelope, header, text with its dots doubled")
    func handedOver() async throws {
        let (outcome, heard) = try await attempt()
        #expect(outcome == .delivered)
        #expect(
            heard.prefix(4) == [
                "EHLO id.example.com", "MAIL FROM:<bank@example.com>", "RCPT TO:<ada@example.org>", "DATA",
            ])
        #expect(heard.contains("From: \"Bank\" <bank@example.com>"))
        #expect(heard.contains("To: <ada@example.org>"))
        #expect(heard.contains("Message-ID: <0190aaaa-0000-7000-8000-000000000001@example.com>"))
        #expect(heard.contains("Date: Tue, 14 Nov 2023 22:13:20 +0000"))
        #expect(heard.contains("..123456"))
        #expect(heard.last == "QUIT")
    }

    @Test(
        "Of a refusal 4xx is for later and 5xx for good, and one of the server or of us holds up others",
        arguments: [
            (
                "RCPT", "550 5.1.1 no such user ada@example.org\r\n",
                DeliveryOutcome.refused("smtp: 550 5.1.1 to RCPT (unknown mailbox)")
            ),
            ("RCPT", "452 4.2.2 full\r\n", .postponed("smtp: 452 4.2.2 to RCPT (the mailbox is full)")),
            (
                "message", "554 5.7.1 spam\r\n",
                .refused("smtp: 554 5.7.1 to message (not permitted: relaying, or a rule of the mail server)")
            ),
            ("message", "451 later\r\n", .postponed("smtp: 451 to message")),
            (
                "RCPT", "450 4.7.1 greylisted\r\n",
                .postponed("smtp: 450 4.7.1 to RCPT (refused for now by a rule of the mail server)")
            ),
            (
                "RCPT", "452 4.3.1 no space\r\n",
                .postponed("smtp: 452 4.3.1 to RCPT (the mail server's disk is full)")
            ),
            ("RCPT", "421 closing\r\n", .postponed("smtp: 421 to RCPT")),
            (
                "MAIL", "451 4.7.1 too many\r\n",
                .unavailable("smtp: 451 4.7.1 to MAIL (refused for now by a rule of the mail server)")
            ),
            (
                "MAIL", "530 5.7.0 sign in first\r\n",
                .unavailable("smtp: 530 5.7.0 to MAIL (refused by a security rule)")
            ),
            ("greeting", "554 not you\r\n", .unavailable("smtp: 554 to greeting")),
            ("EHLO", "502 what?\r\n", .unavailable("smtp: 502 to EHLO")),
            ("DATA", "250 ok\r\n", .postponed("smtp: 250 to DATA")),
        ])
    func refusals(_ step: String, _ answer: String, _ expected: DeliveryOutcome) async throws {
        let (outcome, _) = try await attempt([step: answer])
        #expect(outcome == expected)
    }

    @Test("A reason names codes, never what the server said: it often repeats the address")
    func reasons() async throws {
        let (outcome, _) = try await attempt(["RCPT": "550-ada@example.org\r\n550 ada@example.org is unknown\r\n"])
        #expect(outcome == .refused("smtp: 550 to RCPT"))
        let (coded, _) = try await attempt(["RCPT": "550 5.9.999 ada@example.org\r\n"])
        #expect(coded == .refused("smtp: 550 5.9.999 to RCPT"), "a code without a meaning")
    }

    @Test(
        "A reply that is none, or has no end, is given up",
        arguments: [
            "hello\r\n", "99 x\r\n", "250x\r\n", "250-a\r\n251 b\r\n", "\r\n", "700 x\r\n", "\u{0}\u{0}\u{0} \r\n",
            String(repeating: "2", count: 100_000), String(repeating: "250-more\r\n", count: 10_000),
        ])
    func hostileReplies(_ answer: String) async throws {
        let (outcome, heard) = try await attempt(["EHLO": answer])
        guard case .unavailable = outcome else {
            Issue.record("it was \(outcome)")
            return
        }
        #expect(heard == ["EHLO id.example.com"])
    }

    @Test("A reply that came unasked ends the connection: it may come from an attacker in between")
    func unasked() async throws {
        let (outcome, heard) = try await attempt(["EHLO": "250 mail\r\n250 ok\r\n250 ok\r\n354 go on\r\n250 taken\r\n"])
        #expect(outcome == .unavailable("smtp: \(OutboundFault.broken)"))
        #expect(!heard.contains("DATA"))
    }

    @Test("A server that says nothing, or drips, is given up in time", arguments: ["", "220-"])
    func silence(drop: String) async throws {
        let server = try await ScriptedServer.start { try await $0.drip(drop) }
        var settings = try settings(server.port)
        settings.timeout = .milliseconds(100)
        let outcome = try await SMTPTransport(settings).deliver(message, now: Timestamp(seconds: 1_700_000_001))
        #expect(outcome == .unavailable("smtp: \(OutboundFault.timeout)"))
    }

    @Test("A farewell that is not answered changes nothing: the message is handed over")
    func farewell() async throws {
        let (outcome, _) = try await attempt(["QUIT": ""])
        #expect(outcome == .delivered)
    }

    @Test(
        "If an attacker in between removes STARTTLS from the offer, the dialogue does not go on without it",
        .threat("Messages read or forged in transit"))
    func stripped() async throws {
        let (outcome, heard) = try await attempt { $0.security = .starttls }
        #expect(outcome == .unavailable("smtp: the server does not offer STARTTLS"))
        #expect(heard == ["EHLO id.example.com"])
    }

    @Test("Failed TLS is reported as such, however late one asks")
    func noTLS() async throws {
        let server = try await ScriptedServer.start { conversation in
            try await conversation.say("220 mail ready\r\n")
            _ = try await conversation.line()
            try await conversation.say("220 go on\r\n")
            // The beginning of TLS has come, and this is none.
            _ = try await conversation.text(5)
            try await conversation.say("250 mail\r\n")
            try await conversation.end()
        }
        let tls = try SMTPClientTLS(trustRoots: .system, host: "127.0.0.1")
        let connection = try await SMTPConnection.open(
            #require(NetworkAddress("127.0.0.1")), port: server.port, tls: nil, timeout: .seconds(300))
        _ = try await connection.greet()
        _ = try await connection.send("STARTTLS")
        try await connection.startTLS(tls)
        for _ in 0..<20 {
            await #expect(throws: OutboundFault.untrusted) { try await connection.send("EHLO id.example.com") }
        }
        await #expect(throws: OutboundFault.untrusted) { try await connection.startTLS(tls) }
    }

    @Test(
        "A response that was slipped in before TLS began counts for nothing",
        .threat("Messages read or forged in transit"))
    func injection() async throws {
        let (outcome, heard) = try await attempt([
            "EHLO": "250-mail\r\n250 STARTTLS\r\n", "STARTTLS": "220 go on\r\n250-evil\r\n250 AUTH PLAIN\r\n",
        ]) {
            $0.security = .starttls
            $0.credentials = SMTPSettings.Credentials(username: "bank", password: "secret")
        }
        #expect(outcome == .unavailable("smtp: \(OutboundFault.broken)"))
        #expect(heard == ["EHLO id.example.com", "STARTTLS"])
    }

    @Test("Without TLS only this machine is contacted, whatever name leads to it")
    func plainText() async throws {
        var settings = try settings(25)
        settings.host = "mail.example.com"
        let elsewhere = try #require(NetworkAddress("192.0.2.25"))
        let outcome = try await SMTPTransport(settings, resolver: HostResolver { _ in [elsewhere] })
            .deliver(message, now: Timestamp(seconds: 1_700_000_001))
        #expect(outcome == .unavailable("smtp: \(OutboundFault.plainText)"))
    }

    @Test("The sign-in is by PLAIN where it is offered, else by LOGIN, and a wrong password loses no message")
    func authentication() async throws {
        func signIn(_ offer: String, _ answers: [String: String]) async throws -> (DeliveryOutcome, [String]) {
            let answers = answers.merging(["EHLO": "250-mail\r\n250 \(offer)\r\n"]) { given, _ in given }
            return try await attempt(answers) {
                $0.credentials = SMTPSettings.Credentials(username: "bank", password: "pass")
            }
        }
        let plain = try await signIn("AUTH LOGIN PLAIN", [:])
        #expect(plain.0 == .delivered)
        #expect(plain.1.contains("AUTH PLAIN AGJhbmsAcGFzcw=="))
        let login = try await signIn(
            "AUTH LOGIN",
            ["AUTH": "334 VXNlcm5hbWU6\r\n", "YmFuaw==": "334 UGFzc3dvcmQ6\r\n", "cGFzcw==": "235 ok\r\n"])
        #expect(login.0 == .delivered)
        let wrong = try await signIn("AUTH PLAIN", ["AUTH": "535 5.7.8 no\r\n"])
        #expect(wrong.0 == .unavailable("smtp: 535 5.7.8 to AUTH (wrong user name or password)"))
        let none = try await signIn("AUTH SCRAM-SHA-256", [:])
        #expect(none.0 == .unavailable("smtp: the server offers neither AUTH PLAIN nor AUTH LOGIN"))
        #expect("\(SMTPSettings.Credentials(username: "bank", password: "pass"))" == "<redacted>")
    }

    @Test("An internationalized address goes to a server that takes them, and to no other")
    func international() async throws {
        var message = message
        message.recipient = "ада@пример.бг"
        let (taken, heard) = try await attempt(message: message)
        #expect(taken == .delivered)
        #expect(heard.contains("MAIL FROM:<bank@example.com> BODY=8BITMIME SMTPUTF8"))
        #expect(heard.contains("RCPT TO:<ада@xn--e1afmkfd.xn--90ae>"))
        let (refused, _) = try await attempt(["EHLO": "250 mail\r\n"], message: message)
        #expect(refused == .refused("smtp: the server does not support internationalized addresses"))
    }

    @Test(
        "An internationalized domain goes to any server as A-labels, and misplaced dots of a carrier in quotation marks",
        arguments: [
            ("ada@bücher.example", "ada@xn--bcher-kva.example"), ("a..b@docomo.ne.jp", "\"a..b\"@docomo.ne.jp"),
            ("abc.@ezweb.ne.jp", "\"abc.\"@ezweb.ne.jp"),
        ])
    func sentInASCII(recipient: String, sent: String) async throws {
        var message = message
        message.recipient = recipient
        let (outcome, heard) = try await attempt(["EHLO": "250 mail\r\n"], message: message)
        #expect(outcome == .delivered)
        #expect(heard.contains("MAIL FROM:<bank@example.com>"))
        #expect(heard.contains("RCPT TO:<\(sent)>"))
        #expect(heard.contains("To: <\(sent)>"))
    }

    @Test("Header and command injection: an address that would end a line is refused before anything is sent")
    func injectionByAddress() async throws {
        var message = message
        message.recipient = "ada@example.org>\r\nRCPT TO:<eve@example.org"
        let (outcome, heard) = try await attempt(message: message)
        #expect(outcome == .refused("smtp: the address cannot be written in a command"))
        #expect(heard.isEmpty)
    }

    @Test("Header injection by a subject: a line break is only ever seen encoded")
    func injectionBySubject() async throws {
        var message = message
        message.subject = "Hello\r\nBcc: eve@example.org\r\n\r\nBody"
        let (outcome, heard) = try await attempt(message: message)
        #expect(outcome == .delivered)
        #expect(!heard.contains { $0.hasPrefix("Bcc:") })
        #expect(heard.filter { $0.hasPrefix("Subject: =?UTF-8?B?") }.count == 1)
    }

    @Test("A closed port postpones the message")
    func unreachable() async throws {
        let outcome = try await SMTPTransport(try settings(FreePorts.next()))
            .deliver(message, now: Timestamp(seconds: 1_700_000_001))
        #expect(outcome == .unavailable("smtp: \(OutboundFault.unreachable)"))
    }

    @Test("An examination signs in and sends nothing")
    func examination() async throws {
        let heard = Gathered<String>()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let server = try await ScriptedServer.start { conversation in
            defer { end.yield() }
            try await conversation.say("220 ready\r\n")
            while let line = try await conversation.line() {
                await heard.add(line)
                try await conversation.say("250 ok\r\n")
            }
        }
        let problem = await SMTPTransport(try settings(server.port)).examine()
        #expect(problem == nil)
        for await _ in ended { break }
        let lines = await heard.all
        #expect(lines == ["EHLO id.example.com", "QUIT"])
    }
}

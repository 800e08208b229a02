import Foundation
import Testing
import WalletAuth

/// Messages leave the running program, to receivers of other authors.
@Suite("Messages to people", .covers("delivery by e-mail"))
struct DeliveryTests {
    private let secret = "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()

    /// Writes a secret as an operator does.
    private func file(_ name: String, _ text: String, in folder: URL) throws -> String {
        let url = folder.appending(path: name)
        try Data((text + "\n").utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        return url.path
    }

    /// An account, and a new password for it, which its holder is notified of.
    private func makeToldAccount(_ server: RunningServer, _ name: String, _ contact: [String]) async throws -> Person {
        let person = Person(username: name, password: "Pw-\(UUID().uuidString)")
        server.ledger.enter(person.password)
        try await server.require(
            ["account", "create", name, "--password-stdin"] + contact, input: person.password + "\n")
        return person
    }

    private func tell(_ server: RunningServer, _ name: String) async throws {
        let password = "Pw-\(UUID().uuidString)"
        server.ledger.enter(password)
        try await server.require(
            ["account", "set-password", name], input: password + "\n")
    }

    private func mailSettings(_ sink: PeerProcess, _ password: String, _ folder: URL) throws -> [String] {
        [
            "--email-from", "Пример Bank <no-reply@example.com>", "--email-smtp-host", "127.0.0.1",
            "--email-smtp-port", sink.address, "--email-smtp-username", "bank",
            "--email-smtp-certificate-authority", folder.appending(path: "sink.pem").path,
            "--email-smtp-password-file", try file("smtp-password", password, in: folder),
            // What takes longer is sent again, which is another test's subject.
            "--outbound-delivery-timeout", "120s",
        ]
    }

    @Test(
        "A code goes out through a real mail server, over TLS and with a sign-in, and signs its reader in",
        .onceForAllEngines,
        arguments: ["starttls", "tls"])
    func mail(_ security: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let password = "Pw-\(UUID().uuidString)"
        let sink = try await PeerProcess.start(
            "smtp_sink.py",
            [
                "SINK_CERTIFICATE": folder.url.appending(path: "sink.pem").path, "SINK_PASSWORD": password,
                "SINK_TLS": security == "tls" ? "implicit" : "",
            ], in: folder.url)
        defer { sink.stop() }
        let settings = try mailSettings(sink, password, folder.url) + ["--email-smtp-security", security]
        try await withServer(settings) { server in
            server.ledger.enter(password)
            let person = try await makeToldAccount(
                server, "grace", ["--email", "grace@example.com", "--email-verified"])
            let client = try await server.makePublicClient()
            let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let wallet = try phone.wallet(issuer: await server.issuer, client: client)
            let asked = try await wallet.login(username: person.username, password: person.password).secondFactor()
            let mail = try #require(try await sink.messages(1).first)
            #expect(mail["to"] == "grace@example.com")
            #expect(mail["from"] == "no-reply@example.com")
            #expect(mail["sender"] == "Пример Bank <no-reply@example.com>")
            #expect(mail["subject"] == "Your sign-in code")
            #expect(mail["tls"] == "yes")
            #expect(mail["login"] == "yes")
            #expect(mail["defects"] == "")
            let text = try #require(mail["text"])
            let code = try #require(text.firstMatch(of: /(?m)^(\d{6})\r?$/)).output.1
            try await wallet.register(mfa: asked, answer: String(code)).link.linked()
            // The notice of the linked device follows.
            let all = try await sink.messages(2)
            #expect(Set(all.map { $0["messageId"] }).count == all.count)
            let (web, outbox) = (WebClient(ledger: server.ledger), await server.url("/sandbox/outbox"))
            try await eventually("the delivery to be shown") {
                try await web.get(outbox).text.contains("Delivered")
            }
            #expect(try await web.get(outbox).text.contains("Your code to sign in to Wallet:"))
            #expect(!server.logText().contains("grace@example.com"))
        }
    }

    @Test(
        "A refused recipient is given up and shown without the address, a wrong password waits, and the doctor tells it",
        .onceForAllEngines
    )
    func trouble() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let password = "Pw-\(UUID().uuidString)"
        let sink = try await PeerProcess.start(
            "smtp_sink.py",
            ["SINK_CERTIFICATE": folder.url.appending(path: "sink.pem").path, "SINK_PASSWORD": password], in: folder.url
        )
        defer { sink.stop() }
        let settings = try mailSettings(sink, password, folder.url)
        try await withServer(settings) { server in
            server.ledger.enter(password)
            _ = try await makeToldAccount(server, "ada", ["--email", "ada@refused.example"])
            try await tell(server, "ada")
            try await eventually("the message to be given up") {
                try await server.require(["outbox", "list"]).contains("550 5.1.1 to RCPT")
            }
            let (web, metrics) = (WebClient(ledger: server.ledger), await server.url("/metrics"))
            try await eventually("the message to be counted") {
                try await web.get(metrics).text.contains("outbox_failed_total{channel=\"email\"} 1\n")
            }
            #expect(!server.logText().contains("refused.example"))
            let good = try await server.administer(["doctor"] + settings)
            #expect(good.output.contains("ok    email"))
            let wrong = try file("smtp-password", "wrong", in: folder.url)
            let bad = try await server.administer(["doctor"] + settings)
            #expect(bad.output.contains("fail  email"))
            #expect(bad.output.contains("535"))
            #expect(wrong.hasSuffix("smtp-password"))
            let untrusted = try await server.administer(
                ["doctor"] + settings.filter { $0 != "--email-smtp-certificate-authority" && !$0.hasSuffix("sink.pem") }
            )
            #expect(untrusted.output.contains("TLS failed, or the certificate is not trusted"))
        }
    }

    @Test(
        "An SMS is posted to a webhook that verifies its signature; one that failed is posted again, under the same id")
    func webhook() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let receiver = try await PeerProcess.start(
            "sms_receiver.py", ["RECEIVER_SECRET": secret, "RECEIVER_FAIL": "1"], in: folder.url)
        defer { receiver.stop() }
        let settings = [
            "--sms-webhook-url", receiver.address + "/webhook",
            "--sms-webhook-secret-file", try file("sms-secret", secret, in: folder.url),
        ]
        try await withServer(settings) { server in
            server.ledger.enter(secret)
            _ = try await makeToldAccount(server, "ada", ["--phone", "+359888123456"])
            try await tell(server, "ada")
            let posts = try await receiver.messages(2)
            #expect(posts.map { $0["verified"] } == ["True", "True"])
            #expect(posts.map { $0["answer"] } == ["503", "204"])
            #expect(Set(posts.map { $0["id"] }).count == 1)
            #expect(posts[1]["to"] == "+359888123456")
            #expect(posts[1]["kind"] == "password_changed")
            #expect(posts[1]["text"]?.contains("password") == true)
            #expect(!server.logText().contains("359888123456"))
        }
    }

    @Test("A server that is killed between sending and recording sends again, under the same id: nothing is lost")
    func killed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let receiver = try await PeerProcess.start(
            "sms_receiver.py", ["RECEIVER_SECRET": secret, "RECEIVER_HOLD": "1"], in: folder.url)
        defer { receiver.stop() }
        let settings = [
            "--sms-webhook-url", receiver.address + "/webhook", "--outbound-delivery-timeout", "120s",
            "--sms-webhook-secret-file", try file("sms-secret", secret, in: folder.url),
        ]
        try await withServer(settings) { server in
            server.ledger.enter(secret)
            _ = try await makeToldAccount(server, "ada", ["--phone", "+359888123456"])
            try await tell(server, "ada")
            _ = try await receiver.messages(1)
            await server.crash()
            // As twice that time later: the killed server's hold on the message is over.
            try await server.write("UPDATE outbox SET due_at = 0 WHERE delivered_at IS NULL")
            try await server.start()
            let posts = try await receiver.messages(2)
            #expect(Set(posts.map { $0["id"] }).count == 1)
            #expect(posts[1]["answer"] == "204")
        }
    }
}

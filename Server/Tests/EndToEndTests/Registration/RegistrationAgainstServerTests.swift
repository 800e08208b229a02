import Foundation
import Testing
import WalletAuth

/// A newcomer with the SDK against the running program, the code read from the mail that a mail server of another author got.
@Suite("Making an account against the server", .covers("delivery by e-mail"))
struct RegistrationAgainstServerTests {
    @Test(
        "A newcomer makes an account with the code from a mail, and signs in to it again; the next one reads that it exists",
        .onceForAllEngines)
    func mail() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let password = "Pw-\(UUID().uuidString)"
        let secret = folder.url.appending(path: "smtp-password")
        try Data((password + "\n").utf8).write(to: secret)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
        let sink = try await PeerProcess.start(
            "smtp_sink.py",
            [
                "SINK_CERTIFICATE": folder.url.appending(path: "sink.pem").path, "SINK_PASSWORD": password,
                "SINK_TLS": "",
            ], in: folder.url)
        defer { sink.stop() }
        let settings = [
            "--email-from", "Example Bank <no-reply@example.com>", "--email-smtp-host", "127.0.0.1",
            "--email-smtp-port", sink.address, "--email-smtp-security", "starttls",
            "--email-smtp-certificate-authority", folder.url.appending(path: "sink.pem").path,
            "--email-smtp-username", "bank", "--email-smtp-password-file", secret.path,
            "--outbound-delivery-timeout", "120s",
        ]
        try await withServer(settings) { server in
            server.ledger.enter(password)
            try await server.require(["brand", "update", "default", "--registration", "on"])
            let client = try await server.makePublicClient()
            let person = Person(username: "grace", password: "Pw-\(UUID().uuidString)")
            server.ledger.enter(person.password)
            let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let wallet = try phone.wallet(issuer: await server.issuer, client: client)
            let challenge = try await wallet.enrollment.begin(email: "grace@example.com")
            let mail = try #require(try await sink.messages(1).first)
            #expect(mail["to"] == "grace@example.com")
            let code = try #require(mail["text"]?.firstMatch(of: /\d{8}/)).output
            server.ledger.enter(String(code))
            let newcomer = try await challenge.confirm(code: String(code))
            try await newcomer.finish(username: person.username, password: person.password).signedIn()
            _ = try await wallet.logout()
            let second = try phone.wallet(issuer: await server.issuer, client: client)
            // However long this took, the first message was sent a moment ago.
            try await server.write("DELETE FROM attempts")
            let again = try await second.enrollment.begin(email: "grace@example.com")
            #expect(again.digits == challenge.digits)
            #expect(again.wasSent)
            // The code, the new account's user name, and the answer to the second attempt.
            let mails = try await sink.messages(3)
            #expect(mails.contains { $0["text"]?.contains("You created an account") == true })
            let told = try #require(mails.first { $0["text"]?.contains("already has one") == true })
            #expect(told["to"] == "grace@example.com")
            #expect(told["text"]?.contains("grace") == true)
            #expect(told["text"]?.firstMatch(of: /\d{8}/) == nil)
        }
    }
}

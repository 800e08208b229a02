import Core
import Kernel
import Outbound
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("Configuration of what leaves the server")
struct OutboundConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func read(
        _ arguments: [String], environment: [String: String] = [:], for purpose: ServerConfiguration.Purpose = .serving
    ) async throws -> (ServerConfiguration, faults: [Fault]) {
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"] + arguments)
        return await ServerConfiguration.readLeniently(for: purpose, flags: flags, environment: environment)
    }

    private let mail = ["--email-from", "Bank <no-reply@example.com>", "--email-smtp-host", "smtp.example.com"]
    private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test("A mail server needs its host and a sender; the port follows from the security")
    func defaults() async throws {
        for (security, port) in [("starttls", 587), ("tls", 465)] {
            let (configuration, faults) = try await read(mail + ["--email-smtp-security", security])
            #expect(faults.isEmpty)
            #expect(configuration.outbound.mail?.port == port)
            #expect(configuration.outbound.mail?.sender.name == "Bank")
        }
    }

    @Test("Every half of a pair is reported, all at once")
    func halves() async throws {
        let (configuration, faults) = try await read([
            "--email-smtp-host", "smtp.example.com", "--email-smtp-username", "bank", "--sms-webhook-url",
            "https://sms.example.com/", "--sms-twilio-account", "AC0123",
        ])
        let problems = faults.map(\.problem).joined(separator: "\n")
        for part in [
            "--email-smtp-host is set without email.from",
            "--email-smtp-username is set without email.smtp.password",
            "--sms-webhook-url is set without sms.webhook.secret",
            "--sms-twilio-account is set without sms.twilio.token",
            "--sms-twilio-account is set without sms.twilio.from", "only one is allowed",
        ] {
            #expect(problems.contains(part), "missing: \(part)")
        }
        #expect(configuration.outbound.mail == nil)
        #expect(faults.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test("A command that administers does not fail for the mail server's settings")
    func administering() async throws {
        let (_, faults) = try await read([], environment: ["WALLETAUTH_EMAIL_SMTP_HOST": "x"], for: .administering)
        #expect(faults.isEmpty)
    }

    @Test("Without TLS only this machine is a mail server")
    func plainText() async throws {
        let (_, faults) = try await read(mail + ["--email-smtp-security", "none"])
        #expect(faults.map(\.problem).contains { $0.contains("unencrypted") })
        let local = [
            "--email-from", "a@example.com", "--email-smtp-host", "127.0.0.1", "--email-smtp-security", "none",
        ]
        let (_, none) = try await read(local)
        #expect(none.isEmpty)
    }

    @Test(
        "A sender that could end a header, a host with a port, and a URL in clear are refused",
        arguments: [
            ["--email-from", "Bank\r\nBcc: x <a@example.com>"], ["--email-from", "nobody"],
            ["--email-smtp-host", "smtp.example.com:587"], ["--email-smtp-host", "a b"],
            ["--sms-webhook-url", "http://sms.example.com/"], ["--sms-webhook-url", "https://u:p@sms.example.com/"],
            ["--sms-twilio-account", "AC/../x"], ["--outbound-private-networks", "everything"],
        ])
    func invalid(_ arguments: [String]) async throws {
        let (_, faults) = try await read(arguments)
        #expect(faults.contains { $0.problem.contains("is not valid") })
    }

    @Test(
        "A secret comes from a file of its owner's, from a command or from the environment, and from one of them alone")
    func secrets() async throws {
        let file = try folder.write(secret + "\n", to: "secret")
        let url = ["--sms-webhook-url", "https://sms.example.com/"]
        let ways: [([String], [String: String])] = [
            (["--sms-webhook-secret-file", file], [:]), (["--sms-webhook-secret-command", "cat \(file)"], [:]),
            ([], ["WALLETAUTH_SMS_WEBHOOK_SECRET": secret]),
        ]
        for (arguments, environment) in ways {
            let (configuration, faults) = try await read(url + arguments, environment: environment)
            #expect(faults.isEmpty)
            let transports = try await configuration.outbound.transports(issuer: try Issuer("https://id.example.com"))
            #expect(transports.sms != nil)
            #expect(transports.email == nil)
        }
        let (_, twice) = try await read(url + ways[0].0, environment: ways[2].1)
        #expect(twice.map(\.problem).contains { $0.contains("set in 2 ways") })
        let open = try folder.write(secret, to: "open", mode: 0o644)
        let (_, readable) = try await read(url + ["--sms-webhook-secret-file", open])
        #expect(readable.map(\.problem).contains { $0.contains("mode 0644") })
        let (_, short) = try await read(url, environment: ["WALLETAUTH_SMS_WEBHOOK_SECRET": "c2hvcnQtc2VjcmV0"])
        #expect(short.count == 1)
        #expect(!"\(short)".contains("c2hvcnQ"))
    }

    @Test("An empty file of a secret is named, and so is what it lacks")
    func emptySecret() async throws {
        let file = try folder.write("\n", to: "password")
        let (_, faults) = try await read(
            mail + ["--email-smtp-username", "bank", "--email-smtp-password-file", file])
        #expect(
            faults.map(\.problem) == ["the file \(file) of email.smtp.password is empty or contains control characters"]
        )
    }

    @Test("A faulty sender or SMS account is no missing mail server or SMS service to the doctor")
    func faultySender() async throws {
        let flags = try SettingFlags(
            taking: Settings.all,
            from: [
                "--database", "sqlite:\(folder.path("walletauth.db"))", "--environment", "production", "--port", "0",
                "--email-from", "nobody", "--email-smtp-host", "smtp.example.com", "--sms-twilio-account", "AC/../x",
            ])
        let findings = await Doctor(flags: flags, environment: [:]).examine()
        #expect(findings.contains { $0.line.contains("--email-from \"nobody\" is not valid") }, "\(findings)")
        #expect(!findings.contains { $0.subject == "email" || $0.subject == "sms" }, "\(findings)")
    }

    @Test("No fault, description or dump shows a secret")
    func notShown() async throws {
        let (configuration, _) = try await read(
            mail + ["--email-smtp-username", "bank"],
            environment: ["WALLETAUTH_EMAIL_SMTP_PASSWORD": "very-secret-text"])
        var dumped = ""
        dump(configuration, to: &dumped)
        let transports = try await configuration.outbound.transports(issuer: try Issuer("https://id.example.com"))
        dump(transports, to: &dumped)
        #expect(!dumped.contains("very-secret-text"))
    }

    @Test("The sandbox may reach this machine, production nothing that is not public unless it is configured")
    func networks() async throws {
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        let inside = try #require(NetworkAddress("10.1.2.3"))
        let (sandbox, _) = try await read([])
        #expect(sandbox.outbound.policy.permits(loopback))
        #expect(!sandbox.outbound.policy.permits(inside))
        let (production, _) = try await read(["--environment", "production"])
        #expect(!production.outbound.policy.permits(loopback))
        let (told, _) = try await read(["--outbound-private-networks", "10.0.0.0/8"])
        #expect(told.outbound.policy.permits(inside))
    }

    @Test("The doctor says in production that nothing can leave, and fails where a mail server does not answer")
    func doctor() async throws {
        let flags = try SettingFlags(
            taking: Settings.all,
            from: [
                "--database", "sqlite:\(folder.path("walletauth.db"))", "--environment", "production", "--port", "0",
            ])
        let findings = await Doctor(flags: flags, environment: [:]).examine()
        #expect(findings.filter { $0.subject == "email" || $0.subject == "sms" }.map(\.status) == [.warn, .warn])
        let reserved = try PortReservation(host: "127.0.0.1", port: 0)
        let (configuration, _) = try await read([
            "--email-from", "a@example.com", "--email-smtp-host", "127.0.0.1", "--email-smtp-port",
            String(reserved.port),
            "--email-smtp-security", "none", "--port", "0", "--sms-twilio-url", "https://10.0.0.1",
            "--sms-twilio-account",
            "AC0", "--sms-twilio-from", "+1555",
        ])
        var mail = configuration
        mail.outbound.deliveryTimeout = .seconds(2)
        let broken = await OutboundFindings.of(mail)
        #expect(broken.first { $0.subject == "email" }?.status == .fail)
    }
}

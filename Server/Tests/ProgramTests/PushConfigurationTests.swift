import Crypto
import Kernel
import Outbound
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("Configuration of push messages")
struct PushConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func read(
        _ arguments: [String], in environment: String = "sandbox"
    ) async throws -> (ServerConfiguration, faults: [Fault]) {
        let flags = try SettingFlags(
            taking: Settings.all,
            from: ["--database", "sqlite:\(folder.path("walletauth.db"))", "--environment", environment] + arguments)
        return await ServerConfiguration.readLeniently(for: .serving, flags: flags, environment: [:])
    }

    private func apns(_ text: String) throws -> [String] {
        let file = try folder.write(text, to: "AuthKey.p8")
        return [
            "--push-apns-team", "TEAM123456", "--push-apns-key-id", "KEY1234567", "--push-apns-key-file", file,
        ]
    }

    private let key = P256.Signing.PrivateKey().pemRepresentation

    @Test("Without a service, no push can be delivered; with Apple's, only those of Firebase cannot")
    func services() async throws {
        let (none, _) = try await read([])
        #expect(none.outbound.push.undeliverable == [.apns, .fcm])
        let issuer = try Issuer("https://id.example.com")
        #expect(try await none.outbound.transports(issuer: issuer).push == nil)
        let (apple, faults) = try await read(apns(key) + ["--push-apns-topic", "com.example.wallet"])
        #expect(faults.isEmpty)
        #expect(apple.outbound.push.undeliverable == [.fcm])
        #expect(try await apple.outbound.transports(issuer: issuer).push != nil)
    }

    @Test("A key that is missing, of another kind or not P-256 is named, and never shown")
    func keys() async throws {
        let wrong: [(String, String)] = [
            ("no key", "-----BEGIN PRIVATE KEY-----"), (P384.Signing.PrivateKey().pemRepresentation, "P-256"),
            ("-----BEGIN CERTIFICATE-----\n", "a certificate"),
        ]
        for (text, named) in wrong {
            let (_, faults) = try await read(apns(text))
            #expect(faults.count == 1 && faults.first?.problem.contains(named) == true, "\(faults)")
        }
        let (_, absent) = try await read([
            "--push-apns-team", "TEAM123456", "--push-apns-key-id", "KEY1234567", "--push-apns-key-file",
            folder.path("none.p8"),
        ])
        #expect(absent.map(\.problem).contains { $0.contains("does not exist") })
        let (configuration, _) = try await read(apns(key))
        var dumped = ""
        dump(configuration, to: &dumped)
        let secret = key.split(separator: "\n")[1]
        #expect(!dumped.contains(secret))
        let file = try folder.write(#"{"type":"authorized_user"}"#, to: "firebase.json")
        let (_, user) = try await read(["--push-fcm-credentials-file", file])
        #expect(user.map(\.problem).contains { $0.contains("service account") })
    }

    @Test("A key that others can open is refused with the command that closes it", arguments: [0o644, 0o666, 0o640])
    func openKeys(mode: Int) async throws {
        let apple = try folder.write(key, to: "AuthKey.p8", mode: mode)
        let firebase = try folder.write(#"{"type":"authorized_user"}"#, to: "firebase.json", mode: mode)
        let (_, faults) = try await read([
            "--push-apns-team", "TEAM123456", "--push-apns-key-id", "KEY1234567", "--push-apns-key-file", apple,
            "--push-fcm-credentials-file", firebase,
        ])
        for (file, setting) in [(apple, "push.apns.keyFile"), (firebase, "push.fcm.credentialsFile")] {
            let fault = try #require(faults.first { $0.line.contains("chmod 600 \(file)") }, "\(faults)")
            #expect(fault.problem.contains("of \(setting) has mode 0\(String(mode, radix: 8))"), "\(fault)")
        }
    }

    @Test("Every half of the settings is reported")
    func halves() async throws {
        let (_, faults) = try await read([
            "--push-apns-team", "TEAM123456", "--push-fcm-url", "https://push.example.com",
        ])
        let problems = faults.map(\.problem).joined(separator: "\n")
        for part in [
            "--push-apns-team is set without push.apns.keyId", "--push-apns-team is set without push.apns.keyFile",
            "--push-fcm-url is set without push.fcm.credentialsFile",
        ] {
            #expect(problems.contains(part), "missing: \(part)")
        }
        let (_, topic) = try await read(["--push-apns-topic", "com.example.wallet"])
        #expect(topic.map(\.problem) == ["--push-apns-topic is set without push.apns.team"])
    }

    @Test("A substitute for a push service is only for the sandbox")
    func substitutes() async throws {
        let url = ["--push-apns-url", "http://127.0.0.1:8080/"]
        let (sandbox, faults) = try await read(apns(key) + url)
        #expect(faults.isEmpty)
        #expect(sandbox.outbound.push.apns?.url == "http://127.0.0.1:8080")
        let (_, refused) = try await read(apns(key) + url, in: "production")
        #expect(refused.map(\.problem).contains { $0.contains("only for the sandbox") })
    }

    @Test("doctor says which push services it finds, and that a topic is missing")
    func doctor() async throws {
        let (configuration, _) = try await read(apns(key) + ["--push-apns-url", "http://127.0.0.1:9/"])
        let findings = await OutboundFindings.of(configuration).filter { $0.subject == "push" }
        #expect(findings.count == 2)
        #expect(
            findings.contains { $0.detail.contains("no topic") && $0.remedy?.contains("--push-apns-topic") == true })
        #expect(findings.contains { $0.detail.contains("the key is readable") })
    }
}

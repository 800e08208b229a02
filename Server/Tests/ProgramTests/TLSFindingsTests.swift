import Foundation
import Testing

@testable import walletauth

@Suite("What the doctor says of the certificate")
struct TLSFindingsTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The findings about a certificate that was made today and is valid for two days.
    private func findings(names: String, _ arguments: [String], at now: Date = .distantPast) async throws -> [Finding] {
        try await SelfSigned.write(in: folder, names: names)
        let files = ["--tls-certificate", folder.path("certificate.pem"), "--tls-key", folder.path("key.pem")]
        let (configuration, _) = try await folder.read(files + arguments)
        return TLSFindings.of(configuration, now: now)
    }

    @Test("A certificate that does not name the issuer's host fails, with both names")
    func otherHost() async throws {
        let found = try await findings(names: "DNS:other.example.com", ["--issuer", "https://id.example.com"])
        #expect(found.map(\.status) == [.fail])
        #expect(
            found.first?.detail == "the certificate names other.example.com, not the issuer's host id.example.com")
        let later = try await findings(
            names: "DNS:other.example.com", ["--issuer", "https://id.example.com"], at: .distantFuture)
        #expect(later.map(\.status) == [.fail, .fail])
    }

    @Test("A certificate that does not name the host at which operators reach the API fails as well")
    func operatorsHost() async throws {
        let listener = [
            "--issuer", "https://id.example.com", "--admin-api", "true", "--admin-listen", "127.0.0.1:8701",
            "--admin-origin", "https://admin.example.net",
        ]
        let found = try await findings(names: "DNS:id.example.com", listener)
        #expect(found.map(\.status) == [.fail])
        #expect(
            found.first?.detail
                == "the certificate names id.example.com, not the host of admin.origin admin.example.net")
        let both = try await findings(names: "DNS:id.example.com,DNS:admin.example.net", listener)
        #expect(both.map(\.status) == [.ok], "\(both)")
        let neither = try await findings(names: "DNS:other.example.com", listener)
        #expect(neither.map(\.status) == [.fail, .fail])
    }

    @Test(
        "A certificate that names the issuer's host, by a wildcard or as an address too, is healthy in the sandbox",
        arguments: [
            ("DNS:id.example.com", "https://id.example.com"),
            ("DNS:a.example.com,DNS:*.EXAMPLE.com", "https://id.example.com"),
            ("IP:127.0.0.1", "https://127.0.0.1:8443"), ("IP:0:0:0:0:0:0:0:1", "https://[::1]:8443"),
        ])
    func sameHost(names: String, issuer: String) async throws {
        let found = try await findings(names: names, ["--issuer", issuer])
        #expect(found.map(\.status) == [.ok], "\(found)")
    }

    @Test("In production a self-signed certificate is warned of")
    func selfSigned() async throws {
        let found = try await findings(
            names: "DNS:id.example.com", ["--issuer", "https://id.example.com", "--environment", "production"])
        #expect(found.map(\.status) == [.warn])
        #expect(found.first?.detail.contains("self-signed") == true)
    }

    @Test("Behind a trusted proxy another name is a warning, since clients meet the proxy's certificate")
    func behindProxy() async throws {
        let found = try await findings(
            names: "DNS:backend.internal", ["--issuer", "https://id.example.com", "--trusted-proxies", "10.0.0.1"])
        #expect(found.map(\.status) == [.warn])
    }
}

import Foundation
import HTTP
import Kernel
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("Listeners of their own")
struct ListenerRulesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func problems(_ arguments: [String]) async throws -> [String] {
        // At the default port.
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"] + arguments)
        return await ServerConfiguration.readLeniently(for: .serving, flags: flags, environment: [:]).faults
            .map(\.problem)
    }

    @Test("An address is a host, or an IPv6 address in brackets, with a port")
    func addresses() throws {
        for (text, host, port) in [
            ("127.0.0.1:8701", "127.0.0.1", 8701), ("[::1]:443", "::1", 443), ("admin.internal:9", "admin.internal", 9),
            ("LOCALHOST:9100", "localhost", 9100),
        ] {
            #expect(try SettingTypes.listenAddress(text) == ListenAddress(host: host, port: port))
        }
        for wrong in [
            "8701", ":8701", "127.0.0.1", "127.0.0.1:0", "::1:8701", "[::1]", "127.0.0.1:65536", "a:b", "[]:1",
        ] {
            #expect(throws: InvalidValue.self, "\(wrong)") { try SettingTypes.listenAddress(wrong) }
        }
    }

    @Test("An origin has no path")
    func origins() throws {
        #expect(try SettingTypes.origin("https://id.example.com:8443").port == 8443)
        for wrong in [
            "https://id.example.com/", "https://id.example.com/admin", "id.example.com:8443", "http://id.example.com",
        ] {
            #expect(throws: InvalidValue.self, "\(wrong)") { try SettingTypes.origin(wrong) }
        }
    }

    @Test("In the sandbox the console is reached at its listener; with an issuer, at the issuer or the origin named")
    func base() async throws {
        let listen = ["--admin-console", "true", "--admin-listen", "127.0.0.1:8701"]
        let (sandbox, faults) = try await folder.read(listen)
        #expect(faults.isEmpty, "\(faults)")
        let own = try sandbox.sandboxIssuer(port: 8700)
        #expect(sandbox.serverSettings(issuer: own).administration.rawValue == "http://127.0.0.1:8701")
        let issuer = try Issuer("https://id.example.com/auth")
        let named = ["--issuer", issuer.rawValue]
        let (proxied, _) = try await folder.read(listen + named)
        #expect(proxied.serverSettings(issuer: issuer).administration == issuer)
        let (other, more) = try await folder.read(listen + named + ["--admin-origin", "https://id.example.com:8443"])
        #expect(more.isEmpty, "\(more)")
        let base = other.serverSettings(issuer: issuer).administration
        #expect(base.url(path: "/admin") == "https://id.example.com:8443/auth/admin")
    }

    @Test("A console where the cookies of the sign-in do not reach is refused; the API alone may be at any host")
    func otherHost() async throws {
        let origin = [
            "--issuer", "https://id.example.com", "--admin-listen", "10.0.0.5:8701", "--admin-origin",
            "https://admin.example.com",
        ]
        let refused = try await problems(origin + ["--admin-console", "true"])
        #expect(refused.count == 1 && refused.first?.contains("whose cookies no other host gets") == true, "\(refused)")
        #expect(try await problems(origin + ["--admin-api", "true"]).isEmpty)
        let plain = [
            "--issuer", "https://localhost", "--admin-listen", "127.0.0.1:8701", "--admin-origin",
            "http://localhost:8701",
        ]
        let mixed = try await problems(plain + ["--admin-console", "true"])
        #expect(mixed.count == 1 && mixed.first?.contains("one is https and the other is not") == true, "\(mixed)")
        let sandbox = ["--admin-console", "true", "--admin-listen", "localhost:8701"]
        #expect(try await problems(sandbox).count == 1)
    }

    @Test("A listener with nothing to serve, an origin without a listener, and one port for two are refused")
    func combinations() async throws {
        let idle = try await problems(["--admin-listen", "127.0.0.1:8701"])
        #expect(idle == ["admin.listen is set, and there is nothing to serve there"])
        let alone = try await problems(["--admin-origin", "https://id.example.com:8443"])
        #expect(alone == ["admin.origin is set without admin.listen"])
        for (host, other) in [
            ("127.0.0.1", "127.0.0.1:8700"), ("0.0.0.0", "127.0.0.1:8700"), ("127.0.0.1", "[::]:8700"),
        ] {
            let found = try await problems(["--host", host, "--metrics-listen", other])
            #expect(found.count == 1 && found.first?.hasPrefix("another listener of this server has port 8700") == true)
        }
        #expect(try await problems(["--host", "127.0.0.1", "--metrics-listen", "127.0.0.2:8700"]).isEmpty)
    }

    @Test("The doctor and the start name the listener whose port is in use, and the setting to change it by")
    func inUse() async throws {
        try await OneAnswerPeer.use(answering: .nothing) { peer in
            let port = try #require(peer.url("/").port)
            let (configuration, faults) = try await folder.read(["--metrics-listen", "127.0.0.1:\(port)"])
            #expect(faults.isEmpty)
            let findings = ServerFindings.listener(of: configuration)
            #expect(findings.map(\.status) == [.ok, .fail])
            #expect(findings.last?.remedy?.contains("choose another --metrics-listen") == true, "\(findings)")
            await #expect(throws: PortReservation.Unavailable.self) {
                try await ServerProcess(configuration: configuration).run()
            }
            #expect(FileStatus(path: configuration.database.path) == nil)
        }
    }
}

import Foundation
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("Reserving the port")
struct PortReservationTests {
    @Test("Port 0 gives a port that is known before anything listens on it")
    func anyPort() throws {
        let reservation = try PortReservation(host: "127.0.0.1", port: 0)
        #expect((1...65535).contains(reservation.port))
    }

    @Test("An address of another machine and a name that does not resolve are reported")
    func unreachable() {
        for host in ["192.0.2.1", "no-such-host.invalid"] {
            #expect(throws: PortReservation.Unavailable.self, "\(host)") {
                _ = try PortReservation(host: host, port: 0).port
            }
        }
    }

    @Test("A port that another program uses is reported with the way to that program and to another port")
    func inUse() async throws {
        try await OneAnswerPeer.use(answering: .nothing) { peer in
            let port = try #require(peer.url("/").port)
            let error = #expect(throws: PortReservation.Unavailable.self) {
                _ = try PortReservation(host: "127.0.0.1", port: port).port
            }
            let said = error?.description ?? ""
            #expect(said.hasPrefix("cannot listen on 127.0.0.1 port \(port): another program uses it. "), "\(said)")
            #expect(said.contains("`ss -ltnp`") && said.contains("choose another --port"), "\(said)")
        }
    }

    @Test("A start that cannot listen leaves neither a database nor a key behind")
    func nothingLeft() async throws {
        let folder = try TemporaryFolder()
        let (configuration, _) = try await folder.read(["--host", "192.0.2.1"])
        await #expect(throws: PortReservation.Unavailable.self) {
            try await ServerProcess(configuration: configuration).run()
        }
        #expect(FileStatus(path: configuration.database.path) == nil)
        #expect(FileStatus(path: configuration.database.generatedMasterKeyPath) == nil)
    }

    @Test(
        "The sandbox's own URL is one that a client on this machine reaches",
        arguments: [
            ("127.0.0.1", "http://127.0.0.1:8700"), ("0.0.0.0", "http://127.0.0.1:8700"), ("::1", "http://[::1]:8700"),
        ])
    func issuer(_ host: String, _ expected: String) async throws {
        let flags = try SettingFlags(taking: Settings.all, from: ["--host", host])
        let (configuration, _) = await ServerConfiguration.readLeniently(
            for: .administering, flags: flags, environment: [:])
        #expect(try configuration.sandboxIssuer(port: 8700).rawValue == expected)
    }
}

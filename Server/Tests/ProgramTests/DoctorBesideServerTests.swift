import Foundation
import Kernel
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Operations
import Outbound
import Programs
import Testing

@testable import walletauth

@Suite(
    "The doctor while a server runs", .threat("Clocks, disks and crashes"),
    .covers("doctor ignores flags of the running server when reporting what passes without consent"))
struct DoctorBesideServerTests {
    private static let former = "http://127.0.0.1:8730"
    private static let present = "http://localhost:8730"

    let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Which version the server has.
    private enum Age {
        case present
        /// One that does not say what it lets pass.
        case earlier
    }

    /// Runs a body while a server that was started with these flags answers on its socket.
    private func serving(
        _ arguments: [String], _ age: Age = .present, _ body: (AdministrationChannel) async throws -> Void
    ) async throws {
        let (configuration, faults) = try await folder.read(["--issuer", Self.former] + arguments)
        try #require(faults.isEmpty)
        let opened = try await OpenedServer.open(configuration, logger: logger)
        let status = ServerStatus(
            version: ProgramVersion.current, processIdentifier: 1, environment: .sandbox, issuer: Self.former,
            settings: configuration.given, sca: age == .present ? SCAFindings.of(configuration) : nil)
        let socket = AdminSocket(
            path: configuration.adminSocketPath, administration: opened.server.administration, status: status,
            logger: logger)
        try await socket.serving(logger: logger) { try await body(AdministrationChannel(configuration: configuration)) }
        await opened.close()
    }

    private func findings(_ subject: String, _ arguments: [String] = []) async throws -> [Finding] {
        await Doctor(flags: try folder.flags(arguments), environment: [:], patience: .minutes(5)).examine()
            .filter { $0.subject == subject }
    }

    @Test("What passes without consent is what the server does, even by a flag that is missing here")
    func consents() async throws {
        try await serving(["--sca-exemptions-low-value-single", "30.00 EUR"]) { _ in
            let sca = try await findings("sca")
            #expect(sca.count == 1)
            #expect(sca.first?.detail.contains("RTS article 16: payments up to 30.00 EUR pass") == true, "\(sca)")
            let warned = try await findings("server").filter { $0.status == .warn }
            #expect(warned.count == 1)
            #expect(warned.first?.detail.hasSuffix(": sca.exemptions.lowValue.single") == true, "\(warned)")
            let same = try await findings("server", ["--sca-exemptions-low-value-single", "30.00 EUR"])
            #expect(same.map(\.status) == [.ok])
        }
        let stopped = try await findings("sca")
        #expect(stopped == [.ok("sca", "every wallet operation needs the person's consent")])
    }

    @Test("A first-party app that accepts bearer tokens is warned of, server or none, with the command to end it")
    func bearerApps() async throws {
        var running: [Finding] = []
        try await serving([]) { channel in
            for options in [["com.example.app"], ["com.example.former", "--allow-bearer"]] {
                let made = try await channel.answer(
                    to: AdminRequest(["client", "create", "--name", "App", "--first-party"] + options))
                #expect(made.status == .done, "\(made.lines)")
            }
            running = try await findings("clients")
        }
        #expect(running.map(\.status) == [.warn])
        #expect(running.first?.detail.hasPrefix("com.example.former: the app accepts bearer tokens") == true)
        #expect(
            running.first?.remedy?.hasSuffix(": walletauth client update com.example.former --require-dpop") == true)
        #expect(try await findings("clients") == running, "without a server")
    }

    @Test("A backend that may leave PKCE out is warned of, with the command to end it")
    func backendsWithoutPKCE() async throws {
        try await serving([]) { channel in
            let made = try await channel.answer(
                to: AdminRequest([
                    "client", "create", "partner", "--name", "Partner", "--confidential", "--scope", "openid",
                    "--redirect-uri", "https://partner.example.com/callback", "--without-pkce",
                ]))
            #expect(made.status == .done, "\(made.lines)")
            let found = try await findings("clients")
            #expect(found.map(\.status) == [.warn])
            #expect(found.first?.detail.hasPrefix("partner: its authorization requests may lack PKCE") == true)
            #expect(found.first?.remedy?.hasSuffix(": walletauth client update partner --require-pkce") == true)
        }
    }

    @Test("How long new devices wait is reported where a flag sets it that is missing here, and a log's level is not")
    func devices() async throws {
        try await serving(["--devices-cooling-period", "2h", "--log-level", "error"]) { _ in
            let warned = try await findings("server").filter { $0.status == .warn }
            #expect(warned.count == 1)
            #expect(warned.first?.detail.hasSuffix(": devices.coolingPeriod") == true, "\(warned)")
        }
    }

    @Test("A server that does not say what it lets pass is not taken to ask for consent always")
    func earlierServer() async throws {
        try await serving([], .earlier) { _ in
            let sca = try await findings("sca")
            #expect(sca.map(\.status) == [.warn])
        }
    }

    @Test("Where the settings of consents have a fault, the doctor does not say that every operation needs it")
    func faulty() async throws {
        let sca = try await findings("sca", ["--sca-exemptions-low-value-single", "31.00 EUR"])
        #expect(sca.map(\.status) == [.warn])
    }

    @Test("After a change of the issuer it says what is left to do, and never the change again")
    func issuer() async throws {
        let configured = ["--issuer", Self.former]
        try await serving([]) { channel in
            // The database may have the first already.
            _ = try await channel.answer(to: ["database", "change-issuer", Self.former])
            let changed = try await channel.answer(to: ["database", "change-issuer", Self.present])
            try #require(changed.status == .done)
            let before = try await findings("issuer", configured)
            #expect(before.map(\.status) == [.fail])
            #expect(before.first?.remedy?.hasPrefix("Use --issuer \(Self.present)") == true, "\(before)")
            let after = try await findings("issuer", ["--issuer", Self.present])
            #expect(after.map(\.status) == [.warn])
            #expect(after.first?.remedy == "Restart it")
            #expect(after.first?.detail.contains("runs under \(Self.former)") == true, "\(after)")
            let unsaid = try await findings("issuer")
            #expect(unsaid == after)
            let other = try await findings("issuer", ["--issuer", "http://localhost:9999"])
            #expect(other.first?.detail.contains("belongs to the issuer \(Self.present)") == true, "\(other)")
        }
    }

    @Test("A master key that is not the running server's fails before a restart does, and is not to be restarted with")
    func otherMasterKey() async throws {
        try await serving([]) { _ in
            let right = try await findings("keys")
            #expect(right.map(\.status) == [.ok, .ok], "\(right)")
            let other = try folder.write(sampleMasterKey, to: "other.key")
            let wrong = try await findings("keys", ["--master-key-file", other])
            #expect(wrong.map(\.status) == [.ok, .fail], "\(wrong)")
            #expect(wrong.last?.remedy?.hasPrefix("Do not restart the server with it") == true)
            // The generated key is lost: the server runs on, and its next start would be refused.
            try FileManager.default.removeItem(atPath: folder.path("walletauth.db.master-key"))
            let lost = try await findings("keys")
            #expect(lost.map(\.status) == [.ok, .fail], "\(lost)")
        }
    }

    @Test("A server that does not answer is reported, and nothing more is asked of it")
    func silentServer() async throws {
        let (configuration, faults) = try await folder.read(["--issuer", Self.former])
        try #require(faults.isEmpty)
        try await OpenedServer.open(configuration, logger: logger).close()
        // It takes connections, and never says a word.
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(unixDomainSocketPath: configuration.adminSocketPath).get()
        let doctor = Doctor(flags: try folder.flags([]), environment: [:], patience: .seconds(1))
        let findings = await doctor.examine()
        let server = findings.filter { $0.subject == "server" }
        #expect(server.map(\.status) == [.fail])
        #expect(server.first?.detail.hasSuffix("it did not respond within 1 seconds") == true, "\(server)")
        #expect(!findings.contains { $0.subject == "database" || $0.subject == "keys" })
        let sca = findings.filter { $0.subject == "sca" }
        #expect(sca.map(\.status) == [.warn])
        #expect(sca.first?.remedy?.contains("Restart") == false, "a restart would change nothing: \(sca)")
        try await silent.close()
    }

    @Test("A certificate of an unknown authority is named as such, and SSL_CERT_FILE makes it known")
    func unknownAuthority() async throws {
        try await SelfSigned.write(in: folder)
        let authority = folder.path("certificate.pem")
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(authority).map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: folder.path("key.pem"), format: .pem))))
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
        try await OneAnswerPeer.use(answering: .text(answer), tls: tls) { peer in
            let issuer = peer.url("", host: "localhost").absoluteString
            let unknown = await PostgreSQLFindings.readiness(of: issuer, trusting: nil)
            #expect(unknown.detail.contains("does not trust its certificate"), "\(unknown)")
            #expect(unknown.remedy?.contains("SSL_CERT_FILE") == true)
            let known = await PostgreSQLFindings.readiness(of: issuer, trusting: authority)
            #expect(known.status == .ok, "\(known)")
        }
    }

    @Test("A program on the server's port whose response never ends is given up in time")
    func endlessResponse() async throws {
        let beginning = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
        try await OneAnswerPeer.use(answering: .text(beginning), closes: false) { peer in
            let request = DoctorRequest(
                url: peer.url("/health/live").absoluteString, tls: .makeClientConfiguration(),
                patience: .milliseconds(200))
            await #expect(throws: OutboundFault.timeout) { try await request.response() }
        }
    }
}

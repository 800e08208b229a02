import Foundation
import TestSupport
import Testing

/// The program on a database that its URL names by host, on a machine with other names: `/etc/hosts` and the resolver are
/// replaced for the program alone, which takes root.
@Suite(
    "A database's host name", .threat("A stolen database or file system access"),
    .covers("a host name that cannot be resolved in time"), .onceForAllEngines,
    .enabled("a machine with other names takes root") { await PostgreSQLServer.mayMount() })
struct HostNameTests {
    /// How the program sees the machine.
    private struct Machine {
        let folder: URL
        /// Settings as environment variables.
        let settings: [String: String]

        /// - Parameters:
        ///   - hosts: names of 127.0.0.1.
        ///   - resolver: the address that is asked for other names.
        init(in folder: URL, hosts: String = "", resolver: String? = nil, settings: [String: String]) throws {
            self.folder = folder
            self.settings = settings.merging(["WALLETAUTH_POSTGRESQL_FOLDER": folder.path]) { given, _ in given }
            try Data("127.0.0.1 localhost \(hosts)\n".utf8).write(to: folder.appending(path: "hosts"))
            // The resolver alone would wait for minutes.
            let resolving = resolver.map { "nameserver \($0)\noptions timeout:30 attempts:5\n" } ?? ""
            try Data(resolving.utf8).write(to: folder.appending(path: "resolv.conf"))
        }

        private func command(_ arguments: [String]) -> [String] {
            let script = """
                for name in hosts resolv.conf; do mount --bind "$1/$name" "/etc/$name"; done
                shift
                exec "$@"
                """
            return ["unshare", "--mount", "bash", "-ec", script, "bash", folder.path, Programs.walletauth.path]
                + arguments
        }

        func run(_ arguments: [String]) async throws -> CommandResult {
            try await ChildProcess.run(
                URL(filePath: "/usr/bin/env"), command(arguments), environment: settings, folder: folder)
        }

        func start(_ arguments: [String]) throws -> ChildProcess {
            try ChildProcess(
                URL(filePath: "/usr/bin/env"), command(arguments), environment: settings, folder: folder,
                log: folder.appending(path: "serve.log"))
        }
    }

    /// A DNS server that hears questions and answers none.
    private final class SilentResolver: Sendable {
        static let address = "127.0.0.77"
        private let descriptor: CInt

        init() throws {
            descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(53).bigEndian
            address.sin_addr.s_addr = inet_addr(Self.address)
            let (descriptor, length) = (descriptor, socklen_t(MemoryLayout<sockaddr_in>.size))
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
            }
            try #require(isBound)
        }

        deinit { close(descriptor) }

        /// Whether a question for a name arrived that begins with this label. It forgets the questions.
        func wasAsked(for label: String) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let encoded = [UInt8(label.utf8.count)] + Array(label.utf8)
            var isFound = false
            while case let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT)), count > 0 {
                if bytes[..<count].firstRange(of: encoded) != nil { isFound = true }
            }
            return isFound
        }
    }

    @Test("A resolver that does not answer: doctor and serve end within connect_timeout and say so")
    func silentResolver() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let resolver = try SilentResolver()
        let machine = try Machine(
            in: folder.url, resolver: SilentResolver.address,
            settings: ["WALLETAUTH_DATABASE": "postgresql://ada:hunter2@slow.example.com/w?connect_timeout=1"])
        for command in ["doctor", "serve"] {
            var ended: CommandResult?
            let took = try await runningTime { ended = try await machine.run([command, "--port", "0"]) }
            let result = try #require(ended)
            #expect(took < .seconds(20), "\(command)")
            #expect(resolver.wasAsked(for: "slow"))
            #expect(result.ending == .exited(1))
            let told = result.output + result.errors
            #expect(told.contains("slow.example.com was not found within 1.0 seconds"), "\(told)")
            #expect(told.contains("host and port are right"), "\(told)")
            #expect(!told.contains("hunter2"))
        }
    }

    @Test(
        """
        attack: in production serve is refused without sslmode=verify-full on a host of the network, and with a certificate of \
        another CA; with the right one it starts
        """)
    func verifiedInProduction() async throws {
        let postgres = try await PostgreSQLServer.sharedWithTLS()
        let name = try await postgres.createDatabase().name
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try folder.writeMasterKey()
        func machine(_ parameters: String) throws -> Machine {
            let url = postgres.url(database: name, host: "db.example.com", parameters: parameters)
            return try Machine(
                in: folder.url, hosts: "db.example.com",
                settings: [
                    "WALLETAUTH_DATABASE": url, "WALLETAUTH_ENVIRONMENT": "production",
                    "WALLETAUTH_MASTER_KEY_FILE": key, "WALLETAUTH_ISSUER": "https://id.example.com",
                    "WALLETAUTH_TRUSTED_PROXIES": "127.0.0.1",
                ])
        }
        let verified = try machine("sslmode=verify-full&sslrootcert=\(postgres.authority)")
        let migrated = try await verified.run(["database", "migrate"])
        #expect(migrated.succeeded, "\(migrated.errors)")

        for parameters in ["sslmode=require", "sslmode=verify-ca&sslrootcert=\(postgres.authority)"] {
            let refused = try await machine(parameters).run(["serve", "--port", "0"])
            #expect(refused.ending == .exited(78))
            #expect(refused.errors.contains("Add sslmode=verify-full"), "\(refused.errors)")
        }
        let other = try await machine("sslmode=verify-full&sslrootcert=\(postgres.otherAuthority)")
            .run(["serve", "--port", "0"])
        #expect(other.ending == .exited(1))
        #expect(other.errorLines.count == 1, "\(other.errors)")
        #expect(other.errors.contains("certificate verify failed"), "\(other.errors)")
        #expect(other.errors.contains("sslrootcert is the certificate of its issuer"), "\(other.errors)")

        await Turnstile.servers.enter()
        defer { Task { await Turnstile.servers.leave() } }
        let server = try verified.start(["serve", "--port", "0"])
        let ready = try await within(.patience, "the ready line") {
            for await line in server.lines { return line }
            return ""
        } otherwise: {
            server.send(SIGKILL)
        }
        #expect(ready.hasPrefix("walletauth ready at "))
        server.send(SIGTERM)
        #expect(await server.wait() == .exited(0))
    }
}

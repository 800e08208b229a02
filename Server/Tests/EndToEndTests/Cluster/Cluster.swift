import Foundation
import TestSupport
import Testing

/// Two processes on one PostgreSQL database, each with a folder of its own as on a machine of its own, behind a proxy.
struct Cluster: Sendable {
    /// Both have the proxy's address as their issuer. Clients of either go through the proxy.
    let servers: [RunningServer]
    let proxy: ReverseProxy

    /// The one whose commands set things up.
    var server: RunningServer { servers[0] }

    /// Runs a test's body against a cluster, stops it, and searches all logs for secrets.
    /// - Parameters:
    ///   - database: the URL of an empty database.
    ///   - more: further settings of both servers, as environment variables.
    static func use(
        _ kind: ReverseProxy.Kind = .haproxy, database: String, settings more: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Cluster) async throws -> Void
    ) async throws {
        // Two servers, most of them under a load that never waits.
        await Turnstile.servers.enter(taking: 2)
        defer { Task { await Turnstile.servers.leave(giving: 2) } }
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        defer { for folder in folders { folder.remove() } }
        let port = try FreePorts.next()
        let ports = [try FreePorts.next(), try FreePorts.next()]
        let ledger = SecretLedger()
        let settings = try Self.settings(port: port, keyIn: folders[0].url).merging(more) { $1 }
        let servers = zip(folders, ports).map { folder, port in
            RunningServer(folder: folder.url, database: database, settings: settings, port: port, ledger: ledger)
        }
        var proxy: ReverseProxy?
        do {
            // The first creates the schema.
            for server in servers { try await server.start() }
            let started = try ReverseProxy(kind, port: port, before: ports)
            proxy = started
            let ready = await servers[0].url("/health/ready")
            let web = WebClient(ledger: ledger)
            try await eventually("the proxy to reach the servers") { (try? await web.get(ready))?.status == 200 }
            try await body(Cluster(servers: servers, proxy: started))
        } catch {
            for server in servers {
                await server.crash()
                Issue.record(
                    "a server's log ends with: \(server.logText().suffix(2_000))", sourceLocation: sourceLocation)
            }
            await proxy?.stop()
            throw error
        }
        await proxy?.stop()
        for server in servers {
            let ending = try await server.stop()
            #expect(ending == .exited(0), "SIGTERM ends each server with status 0", sourceLocation: sourceLocation)
            try expectNoSecrets(in: server.folder, of: ledger, sourceLocation: sourceLocation)
        }
    }

    /// The requests of the load that the servers have answered.
    var answeredRequests: Int { servers.reduce(0) { $0 + $1.answeredRequests } }

    /// What all processes have in common.
    private static func settings(port: Int, keyIn folder: URL) throws -> [String: String] {
        let key = folder.appending(path: "master-key")
        let bytes = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        let isWritten = FileManager.default.createFile(
            atPath: key.path, contents: Data(bytes.base64EncodedString().utf8), attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
        return [
            "WALLETAUTH_ISSUER": "http://127.0.0.1:\(port)", "WALLETAUTH_TRUSTED_PROXIES": "127.0.0.1",
            "WALLETAUTH_MASTER_KEY_FILE": key.path,
            // What takes a day otherwise.
            "WALLETAUTH_DEVICES_COOLING_PERIOD": "1s",
            // Two people open all the sessions of a load, which expects each of them to go on.
            "WALLETAUTH_LIMITS_SESSIONS": "10000",
        ]
    }
}

extension RunningServer {
    /// The requests that this server has answered, by its log. Its line is written before the answer is sent. The load does not
    /// count its looks at the outbox.
    nonisolated var answeredRequests: Int {
        logText().split(separator: "\n").count(where: {
            $0.contains(" walletauth: request ") && $0.contains(" method=") && !$0.contains(" route=/sandbox/outbox ")
        })
    }
}

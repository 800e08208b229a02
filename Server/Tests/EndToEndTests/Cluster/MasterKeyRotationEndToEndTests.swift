import Foundation
import TestSupport
import Testing

/// A file with master keys, which servers read as they start.
private struct MasterKeyFile: Sendable {
    let path: String

    static func newKey() -> String { Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString() }

    func read() throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Puts these keys into it, each in a line.
    func give(_ keys: String...) throws {
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data((keys.joined(separator: "\n") + "\n").utf8),
            attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
    }
}

@Suite("Rotating the master key of servers that run")
struct MasterKeyRotationEndToEndTests {
    private static let command = ["keys", "rotate-master"]

    @Test(
        """
        Two servers get a new master key one after the other under load, and the old one is taken out: no request fails, and no \
        one is signed out
        """, .onceForAllEngines)
    func underLoad() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        let seed = SeededGenerator().seed
        let report = try await ClusterLoad.use(database: database.url, seed: seed) { cluster, load in
            let file = MasterKeyFile(
                path: try #require(cluster.server.environment["WALLETAUTH_MASTER_KEY_FILE"]))
            let (old, new) = (try file.read(), MasterKeyFile.newKey())
            func restart() async throws {
                for (name, server) in zip(["one", "two"], cluster.servers) {
                    try await cluster.proxy.drain(name)
                    #expect(try await server.stop() == .exited(0))
                    try await server.start()
                    try await cluster.proxy.resume(name)
                    try await load.goesOn(by: 1)
                }
            }
            try file.give(new, old)
            try await load.goesOn(by: 1)
            let early = try await cluster.server.administer(Self.command)
            #expect(early.ending == .exited(1))
            #expect(early.errors.contains("these servers lack the master key"), "\(early.errors)")

            try await restart()
            // It has happened or not, and either way the next one answers for it.
            let killed = try ChildProcess(
                Programs.walletauth, Self.command, environment: cluster.server.environment,
                folder: cluster.server.folder, log: cluster.server.folder.appending(path: "killed.log"))
            killed.send(SIGKILL)
            _ = await killed.wait()
            let server = cluster.server
            try await eventually("the rotation") {
                let answer = try await server.administer(Self.command)
                return answer.succeeded || answer.errors.contains("every key is wrapped under")
            }
            try await load.goesOn(by: 1)

            try file.give(new)
            try await restart()
            try file.give(old)
            let refused = try await cluster.server.administer(["serve", "--port", "0"])
            #expect(refused.ending == .exited(78))
            #expect(refused.errors.contains("wrapped under the master key"), "\(refused.errors)")
            try file.give(new)
        }
        #expect(report.failed == 0, "with CLUSTER_SEED=\(seed): \(report)")
    }

    @Test(
        "kill -9 of the server in the middle of a rotation: it has happened or not, and the next command completes it")
    func killed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = MasterKeyFile(path: try folder.writeMasterKey())
        let (old, new) = (try file.read(), MasterKeyFile.newKey())
        try await withServer(settings: ["WALLETAUTH_MASTER_KEY_FILE": file.path]) { server in
            try file.give(new, old)
            let early = try await server.administer(Self.command)
            #expect(early.ending == .exited(1))
            // With PostgreSQL the command itself reads the setting.
            let reasons = ["the running server has not read it", "these servers lack the master key"]
            #expect(reasons.contains { early.errors.contains($0) }, "\(early.errors)")
            #expect(try await server.stop() == .exited(0))
            try await server.start()
            let command = try ChildProcess(
                Programs.walletauth, Self.command, environment: server.environment, folder: server.folder,
                log: server.folder.appending(path: "rotation.log"))
            await server.crash()
            _ = await command.wait()
            try await server.start()
            try await eventually("the rotation") {
                let answer = try await server.administer(Self.command)
                return answer.succeeded || answer.errors.contains("every key is wrapped under")
            }
            try file.give(new)
            #expect(try await server.stop() == .exited(0))
            try await server.start()
            let verified = try await server.administer(["audit", "verify"])
            #expect(verified.succeeded, "\(verified.errors)")
            let rotations = try await server.administer(["audit", "tail", "--kind", "master_key.rotated", "--json"])
            #expect(rotations.output.components(separatedBy: "formerKeyIds").count == 2, "\(rotations.output)")
        }
    }
}

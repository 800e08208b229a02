import Testing

/// The servers of one suite: each is started for the first test that asks for it, and all are stopped after the last.
actor StandardPeers {
    /// Those of the suite that runs.
    @TaskLocal private static var running: StandardPeers?

    private var peers: [StandardPeer.Kind: Task<StandardPeer, any Error>] = [:]
    private var scripted: Task<ScriptedServer, any Error>?

    /// A server of other people.
    static func peer(_ kind: StandardPeer.Kind) async throws -> StandardPeer {
        try await #require(running).peer(kind)
    }

    /// The scripted server.
    static func scripted() async throws -> ScriptedServer {
        try await #require(running).scripted()
    }

    private func peer(_ kind: StandardPeer.Kind) async throws -> StandardPeer {
        let task = peers[kind] ?? Task { try await StandardPeer.start(kind) }
        peers[kind] = task
        return try await task.value
    }

    private func scripted() async throws -> ScriptedServer {
        let task = scripted ?? Task { try await ScriptedServer.start() }
        scripted = task
        return try await task.value
    }

    private func stop() async {
        for task in peers.values { await (try? task.value)?.stop() }
        await (try? scripted?.value)?.stop()
    }

    /// Gives a suite its servers.
    struct Running: SuiteTrait, TestScoping {
        func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            let peers = StandardPeers()
            do {
                try await $running.withValue(peers, operation: function)
            } catch {
                await peers.stop()
                throw error
            }
            await peers.stop()
        }
    }
}

extension Trait where Self == StandardPeers.Running {
    /// Authorization servers that are started when a test asks for them.
    static var runningPeers: Self { Self() }
}

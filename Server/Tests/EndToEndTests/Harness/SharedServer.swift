import Foundation
import Testing

/// One server for the many tests that do not disturb each other: it is started for the first of them and searched for
/// secrets and stopped after the last.
///
/// What a test changes here it makes under a name of its own. Wrong passwords of all of them count for one address.
actor SharedServer {
    static let webRedirect = "https://app.example.com/callback"
    private static let shared = SharedServer()

    private var starting: Task<(RunningServer, StandardClient, TemporaryFolder), any Error>?
    private var users = 0

    /// Runs a test's body against the shared server.
    static func use(_ body: (RunningServer, StandardClient) async throws -> Void) async throws {
        let (server, client) = try await shared.enter()
        do {
            try await body(server, client)
        } catch {
            try await shared.leave()
            throw error
        }
        try await shared.leave()
    }

    private func enter() async throws -> (RunningServer, StandardClient) {
        let task = starting ?? Task { try await Self.start() }
        starting = task
        users += 1
        do {
            let (server, client, _) = try await task.value
            return (server, client)
        } catch {
            // The next test tries again.
            if starting == task { starting = nil }
            users -= 1
            throw error
        }
    }

    private static func start() async throws -> (RunningServer, StandardClient, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let server = try await RunningServer.onNewDatabase(folder: folder.url)
        try await server.start()
        // The second redirect URI is the terminal wallet's.
        let options = ["--allow-bearer", "--redirect-uri", "http://127.0.0.1/callback"]
        let client = StandardClient(try await server.makePublicClient(options: options), at: server)
        _ = try await server.makeRelyingApp("other", redirectURI: "com.example.other:/callback")
        try await server.require([
            "client", "create", "redirects", "--name", "Web", "--public", "--redirect-uri", webRedirect,
            "--scope", "openid offline_access",
        ])
        return (server, client, folder)
    }

    /// The last test to leave stops the server; a later test starts a new one.
    private func leave() async throws {
        users -= 1
        guard users == 0, let task = starting else { return }
        starting = nil
        let (server, _, folder) = try await task.value
        defer { folder.remove() }
        _ = try await server.stop()
        try expectNoSecrets(in: folder.url, of: server.ledger)
    }
}

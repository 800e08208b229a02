import Foundation
import FreePorts
import Testing

/// The example's backend with a client that the server does not take.
@Suite("The backend's own credential", .onceForAllEngines)
struct BackendCredentialTests {
    private func serve(_ server: RunningServer, _ client: String, secret: String) async throws -> CommandResult {
        try await ChildProcess.run(
            Programs.walletBackend,
            ["serve", "--port", String(try FreePorts.next()), "--database", "ledger.db"],
            environment: [
                "WALLET_BACKEND_ISSUER": await server.issuer.absoluteString, "WALLET_BACKEND_CLIENT_ID": client,
                "WALLET_BACKEND_CLIENT_SECRET": secret,
            ], folder: server.folder)
    }

    @Test("A client that is unknown, has another secret or lacks the scope ends the start, with what to check")
    func refused() async throws {
        try await withServer { server in
            let client = try await server.makeConfidentialClient()
            let reader = try await server.makeConfidentialClient("reader", scope: "login_nonces")
            for (id, secret) in [
                (client.id, "not-the-secret"), ("nobody", "not-the-secret"), (reader.id, reader.secret ?? ""),
            ] {
                let result = try await serve(server, id, secret: secret)
                #expect(result.ending == .exited(1), "\(result.errors)")
                #expect(result.errors.contains("walletauth client show \(id)"), "\(result.errors)")
                #expect(!result.output.contains("ready"))
            }
        }
    }
}

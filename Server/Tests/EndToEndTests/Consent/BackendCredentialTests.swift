import Foundation
import TestSupport
import Testing

/// The example's backend with a client that the server does not take.
@Suite(
    "The backend's own credential", .covers("a backend's wrong credential shows only at the first payment"),
    .onceForAllEngines)
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

    @Test("A secret's file that others can read is refused with its mode, and one of its owner's is used")
    func secretFile() async throws {
        try await withServer { server in
            let client = try await server.makeConfidentialClient(scope: "login_nonces")
            let file = server.folder.appending(path: "secret")
            try Data(((client.secret ?? "") + "\n").utf8).write(to: file)
            func serve(mode: Int) async throws -> CommandResult {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
                return try await ChildProcess.run(
                    Programs.walletBackend,
                    [
                        "serve", "--port", String(try FreePorts.next()), "--database", "ledger.db",
                        "--client-secret-file", file.path,
                    ],
                    environment: [
                        "WALLET_BACKEND_ISSUER": await server.issuer.absoluteString,
                        "WALLET_BACKEND_CLIENT_ID": client.id,
                    ], folder: server.folder)
            }
            for mode in [0o644, 0o640, 0o604] {
                let open = try await serve(mode: mode)
                #expect(open.ending == .exited(1), "\(open.errors)")
                #expect(open.errors.contains("mode 0\(String(mode, radix: 8))"), "\(open.errors)")
                #expect(open.errors.contains("chmod 600 \(file.path)"), "\(open.errors)")
            }
            // The server knows the secret, and lacks the scope: that is as far as a start gets that ends by itself.
            let own = try await serve(mode: 0o600)
            #expect(own.ending == .exited(1))
            #expect(own.errors.contains("walletauth client show \(client.id)"), "\(own.errors)")
            #expect(!own.errors.contains("chmod"), "\(own.errors)")
        }
    }
}

import AuthCore
import AuthStore
import Synchronization
import WalletAuthWire

@testable import AuthFlows

/// Checkpoints as a file would keep them.
final class CheckpointArchive: AuditCheckpointArchive {
    struct Full: Error {}
    private let lines = Mutex<(kept: [String], isFull: Bool)>(([], false))
    var kept: [String] { lines.withLock { $0.kept } }
    func fill(_ isFull: Bool) { lines.withLock { $0.isFull = isFull } }

    func append(_ checkpoint: String) throws {
        try lines.withLock { lines in
            if lines.isFull { throw Full() }
            lines.kept.append(checkpoint)
        }
    }
}

extension TestServer {
    static let ada = AccountReference.username("ada", brand: nil)

    /// A server with two accounts that have a history.
    static func withHistory() async throws -> TestServer {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        _ = try await server.account("eve")
        let app = TestApp(client: try await server.publicClient())
        for _ in 0..<3 {
            _ = try await app.signIn().code()
            server.clock.advance(by: .seconds(1))
        }
        try await server.administer(.account(.expirePassword(.username("eve", brand: nil))))
        return server
    }

    func verifyAudit(checkpoints: String? = nil) async throws -> AuditVerification {
        try await Audit(context: context).verify(checkpoints: checkpoints)
    }
}

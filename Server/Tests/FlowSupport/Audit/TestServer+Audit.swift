package import Core
import Foundation
import Synchronization
import WalletAuthWire

@testable import Kernel
@testable package import Operations

/// Checkpoints as a file would keep them.
package final class CheckpointArchive: AuditCheckpointArchive {
    private let lines = Mutex<(kept: [String], isFull: Bool)>(([], false))
    package let file: String?

    /// - Parameter file: where the lines are also written; `nil` for nowhere.
    package init(file: String? = nil) {
        self.file = file
    }

    package var kept: [String] { lines.withLock { $0.kept } }
    package var isEmpty: Bool { kept.isEmpty }
    package func fill(_ isFull: Bool) { lines.withLock { $0.isFull = isFull } }

    package func append(_ checkpoint: String) throws {
        try lines.withLock { lines in
            if lines.isFull { throw AuditArchiveFailure("the disk is full") }
            lines.kept.append(checkpoint)
            if let file {
                try lines.kept.map { $0 + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
            }
        }
    }
}

extension TestServer {
    package static let ada = AccountReference.username("ada", brand: nil)

    /// A server with two accounts that have a history.
    package static func withHistory() async throws -> TestServer {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        _ = try await server.account("eve")
        let app = TestApp(client: try await server.publicClient())
        for _ in 0..<3 {
            _ = try await app.signIn().code()
            server.clock.advance(by: .seconds(1))
        }
        try await server.administer(["account", "expire-password", "eve"])
        return server
    }

    package func verifyAudit(checkpoints: String? = nil) async throws -> AuditVerification {
        try await context.audit.verify(checkpoints: checkpoints.map { .copy($0) } ?? .own)
    }
}

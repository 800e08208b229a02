import Foundation
import TestSupport

/// PgBouncer before a PostgreSQL server. It ends with the test process.
final class Pooler: Sendable {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    let folder: String
    private let lifeline: Pipe

    /// - Parameters:
    ///   - mode: PgBouncer's `pool_mode`.
    ///   - size: the connections to each database.
    init(_ server: PostgreSQLServer, mode: String, size: Int = 20) async throws {
        let folder = "/tmp/walletauth-pool-\(UUID().uuidString.prefix(8))"
        let script = """
            set -eu
            mkdir '\(folder)'
            cd '\(folder)'
            \(PostgreSQLServer.prelude)
            printf '%s\\n' '[databases]' '* = host=\(server.folder) user=postgres' '[pgbouncer]' 'listen_addr =' \
                'listen_port = 5432' 'unix_socket_dir = \(folder)' 'auth_type = any' 'pool_mode = \(mode)' 'default_pool_size = \(size)' 'pidfile = \(folder)/pid' \
                >pooler.ini
            alone /usr/sbin/pgbouncer pooler.ini >log 2>&1 </dev/null &
            until [[ -S .s.PGSQL.5432 ]]; do
                kill -0 $! || { cat log; exit 1; }
                sleep 0.02
            done
            # What stays in the background holds nothing open but the lifeline.
            keep() {
                cat
                # Signals that a thread of Dispatch blocks are blocked in its children.
                kill -KILL "$(<pid)"
                rm -rf '\(folder)'
            }
            exec 3<&0
            alone keep <&3 >/dev/null 2>&1 &
            echo ready
            """
        let process = Process()
        // PgBouncer refuses to run as root.
        let command = getuid() == 0 ? PostgreSQLServer.unprivileged : []
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + ["bash", "-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
        let (lifeline, output) = (Pipe(), Pipe())
        process.standardInput = lifeline
        process.standardOutput = output
        try process.run()
        let answer = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
            }
        }
        guard answer == "ready\n" else { throw PostgreSQLServer.Failure(description: "no PgBouncer: \(answer)") }
        (self.folder, self.lifeline) = (folder, lifeline)
    }

    deinit { try? lifeline.fileHandleForWriting.close() }
}

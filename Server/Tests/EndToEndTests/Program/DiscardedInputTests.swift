import Foundation
import Testing

/// Every program of ours that listens, as a process whose memory the kernel reports.
@Suite("Requests that leave HTTP", .threat("Connection floods and request smuggling"))
struct DiscardedInputTests {
    private static let heads = [
        "CONNECT h:80 HTTP/1.1\r\n", "GET /health HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n",
    ]
    private static let flood = 64 << 20

    #if os(Linux)
        @Test(
            "attack: what follows a request that leaves HTTP fills no memory, whatever program listens",
            .onceForAllEngines
        )
        func floods() async throws {
            try await PaymentWorld.use { world in
                let server = await world.server.processID
                let files = try FileManager.default.contentsOfDirectory(atPath: world.server.folder.path)
                let socket = try #require(files.first { $0.hasSuffix(".sock") })
                let listeners: [(process: Int32, connect: () async throws -> RawConnection)] = [
                    (server, { try RawConnection(port: await world.server.port) }),
                    (server, { try RawConnection(path: world.server.folder.appending(path: socket).path) }),
                    (await world.backend.processID, { try RawConnection(port: world.backend.url.port ?? 0) }),
                ]
                for listener in listeners {
                    for head in Self.heads {
                        let before = try Self.memory(of: listener.process)
                        let connection = try await listener.connect()
                        connection.send(Data((head + "Host: localhost\r\n\r\n").utf8))
                        await connection.flood(Self.flood)
                        let grown = try Self.memory(of: listener.process) - before
                        #expect(grown < Self.flood / 4, "\(head)")
                    }
                }
            }
        }

        /// The bytes that a process holds in memory.
        private static func memory(of process: Int32) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let kibibytes = try #require(status.firstMatch(of: /VmRSS:\s+(\d+) kB/)?.output.1)
            return try #require(Int(kibibytes)) << 10
        }
    #endif
}

import HTTPTypes
import HummingbirdTesting
import Testing

@testable import HTTP
@testable import Web

@Suite(
    "Hostile connections of HTTP/2", .threat("Connection floods and request smuggling"),
    .covers(
        "limits of a peer by IPv4 address", "long runs of combining marks are refused before anything compares them"))
struct HostileHTTP2Tests {
    private static let stylesheet = "/assets/\(PageAssets().stylesheetName)"

    private func connect(
        _ limits: HTTPLimits, window: UInt16 = 0,
        _ test: @Sendable (HTTP2Connection, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.use { server in
            let files = try TestCertificates.write(in: server.folder)
            try await server.serve(.ahc(.https)) {
                $0.tls = files
                $0.limits = limits
            } _: { client in
                try await test(try await HTTP2Connection.open(port: try #require(client.port), window: window), client)
            }
        }
    }

    @Test("attack: one peer's HTTP/2 streams that read nothing hold no more requests than its quota")
    func streams() async throws {
        var limits = HTTPLimits.patient
        limits.maxConnectionsPerPeer = 4
        try await connect(limits) { attacker, client in
            let streams = Array(stride(from: 1, to: 41, by: 2))
            try await attacker.get(Self.stylesheet, on: streams)
            // The first request has the connection's own place.
            let frames = try await attacker.frames(until: 16, .resetStream)
            let reset = frames.filter { $0.kind == .resetStream }.map { $0.stream }
            #expect(reset == Array(streams.dropFirst(4)))
            let port = try #require(client.port)
            await #expect(throws: (any Error).self) { _ = try await HTTP2Connection.open(port: port) }
            await attacker.close()
            try await eventually("the places") { (try? await client.get("/health/live"))?.status == .ok }
        }
    }

    @Test(
        """
        attack: a target with more combining marks in a row than a language needs is 400 over HTTP/2, and its connection goes on
        """)
    func combiningMarks() async throws {
        try await connect(.patient) { attacker, _ in
            try await attacker.get("/assets/" + String(repeating: "%CD%85", count: 1_000), on: [1])
            _ = try await attacker.frames(until: 1, .data)
            try await attacker.get("/health/live", on: [3])
            let frames = try await attacker.frames(until: 2, .headers)
            // The first byte is the status, as its number in the static table (RFC 7541, appendix A).
            let statuses = frames.filter { $0.kind == .headers }.map { [$0.stream, Int($0.payload.first ?? 0)] }
            #expect(statuses == [[1, 0x8C], [3, 0x88]])
            #expect(!frames.contains { $0.kind == .resetStream || $0.kind == .goAway })
            await attacker.close()
        }
    }

    @Test("attack: a peer that leaves no room for the answer to a refused target holds no stream by it")
    func refusedWithoutRoom() async throws {
        try await connect(.patient, window: .max) { attacker, _ in
            // Together longer than the connection's window.
            try await attacker.get(Self.stylesheet, on: Array(stride(from: 1, to: 41, by: 2)))
            try await attacker.content(of: 65_535)
            try await attacker.get("/assets/" + String(repeating: "%CD%85", count: 1_000), on: [41])
            let frames = try await attacker.frames(until: 1, .resetStream)
            #expect(frames.filter { $0.kind == .resetStream }.map { $0.stream } == [41])
            await attacker.close()
        }
    }

    @Test("attack: CONNECT opens no tunnel over HTTP/2: it is a method that no path has, and the connection goes on")
    func tunnel() async throws {
        try await connect(.patient, window: .max) { attacker, _ in
            try await attacker.connect(to: "127.0.0.1:80", on: 1)
            _ = try await attacker.frames(until: 1, .headers)
            try await attacker.get("/health/live", on: [3])
            let frames = try await attacker.frames(until: 2, .headers)
            let statuses = frames.filter { $0.kind == .headers }.map {
                [$0.stream] + $0.payload.prefix($0.stream == 1 ? 5 : 1).map { Int($0) }
            }
            // 405 is a literal, Huffman-coded; 200 is in HPACK's table.
            #expect(statuses == [[1, 0x48, 0x83, 0x68, 0x0D, 0xFF], [3, 0x88]])
            #expect(!frames.contains { $0.kind == .goAway })
            await attacker.close()
        }
    }

    @Test("Slow reader of HTTP/2: responses that no one reads end their streams at the idle timeout")
    func slowReader() async throws {
        var limits = HTTPLimits()
        limits.idleTimeout = .seconds(5)
        try await connect(limits) { reader, _ in
            try await reader.get(Self.stylesheet, on: [1, 3])
            let frames = try await reader.frames(until: 2, .resetStream)
            let reset = frames.filter { $0.kind == .resetStream }.map { $0.stream }
            #expect(Set(reset) == [1, 3])
            await reader.close()
        }
    }

    @Test("A silent connection of HTTP/2 is closed, although its client does not confirm that it ends")
    func unconfirmedEnd() async throws {
        var limits = HTTPLimits()
        limits.idleTimeout = .seconds(2)
        try await connect(limits) { silent, _ in
            let frames = try await silent.framesUntilClosed()
            #expect(frames.contains { $0.kind == .goAway })
            #expect(frames.contains { $0.kind == .ping })
        }
    }
}

import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite("TLS")
struct TLSTests {
    @Test("HTTP/2 is spoken with clients that offer it, HTTP/1.1 with others")
    func protocols() async throws {
        try await TestServer.use { server in
            let files = try TestCertificates.write(in: server.folder)
            try await server.serve(.ahc(.https)) {
                $0.tls = files
            } _: { client in
                // The client negotiates HTTP/2.
                let live = try await client.get("/health/live")
                #expect(live.status == .ok)
                let port = try #require(client.port)
                let modern = try await RawConnection.openTLS(port: port, offering: ["h2", "http/1.1"])
                #expect(modern.handshake?.applicationProtocol == "h2")
                await modern.close()
                let old = try await RawConnection.openTLS(port: port, offering: ["http/1.1"])
                try await old.send("GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                let text = try await old.textUntilClosed()
                #expect(text.hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test("Silent handshake: a connection that never shakes hands is closed at the deadline")
    func silentHandshake() async throws {
        try await TestServer.use { server in
            let files = try TestCertificates.write(in: server.folder)
            try await server.serve(.ahc(.https)) {
                $0.tls = files
                $0.limits.handshakeDeadline = .milliseconds(200)
            } _: { client in
                let port = try #require(client.port)
                for text in ["", "\u{16}\u{3}\u{1}"] {
                    let connection = try await RawConnection.open(port: port)
                    if !text.isEmpty { try? await connection.send(text) }
                    let answer = try await connection.textUntilClosed()
                    #expect(answer.isEmpty)
                }
                // On a busy machine the deadline may be shorter than a good handshake, too.
                try await eventually("others to be served") {
                    (try? await client.get("/health/live"))?.status == .ok
                }
            }
        }
    }

    @Test("Truncated TLS: a body that was cut off without TLS's own goodbye is never acted upon")
    func truncatedBody() async throws {
        try await TestServer.use { server in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let refresh = try await server.serve { client in
                let tokens = try await Journey.redeem(client, try await Journey.code(client))
                return try #require(try tokens.member("refresh_token"))
            }
            let files = try TestCertificates.write(in: server.folder)
            try await server.serve(.ahc(.https)) {
                $0.tls = files
            } _: { client in
                // Whole up to where it is cut: acted upon, it would end the session.
                let body = "client_id=wallet&token=\(refresh)"
                let connection = try await RawConnection.openTLS(
                    port: try #require(client.port), offering: ["http/1.1"])
                try await connection.send(
                    "POST /oauth2/revoke HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                        + "Content-Length: \(body.utf8.count + 20)\r\n\r\n\(body)")
                try await connection.cutBeneathTLS()
                try await eventually("the server to notice") {
                    server.log.lines.contains { $0.contains("/oauth2/revoke") }
                }
                let after = try await client.post(
                    "/oauth2/token",
                    ["grant_type": "refresh_token", "client_id": "wallet", "refresh_token": refresh])
                #expect(after.status == .ok, "\(after.text)")
            }
        }
    }

    @Test("A renewed certificate is used by the next handshake; half a renewal leaves the old pair, and is logged once")
    func reload() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "walletauth-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try TestCertificates.write(in: folder)
        let log = LogRecorder()
        let certificates = try CertificateFiles(files: files, logger: Logger(label: "tls") { _ in log.handler })
        let first = certificates.current.chain

        certificates.reloadIfChanged()
        #expect(log.lines.isEmpty)
        try TestCertificates.secondCertificate.write(toFile: files.certificateChain, atomically: true, encoding: .utf8)
        for _ in 0..<3 { certificates.reloadIfChanged() }
        #expect(certificates.current.chain == first)
        #expect(log.lines.count { $0.contains("not reloaded") } == 1)
        let reason = "tls.key \(files.privateKey) does not belong to tls.certificate \(files.certificateChain)"
        #expect(log.lines.contains { $0.contains(reason) }, "\(log.lines)")
        try TestCertificates.secondKey.write(toFile: files.privateKey, atomically: true, encoding: .utf8)
        certificates.reloadIfChanged()
        #expect(certificates.current.chain != first)
        #expect(!log.lines.contains { $0.contains("PRIVATE") })
    }

    @Test(
        "An expired certificate, or one that is not valid yet, leaves the old pair until it is valid, and is logged once",
        arguments: [(Date.distantFuture, "expired at"), (.distantPast, "not valid before")])
    func invalidRenewal(then: Date, reason: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "walletauth-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try TestCertificates.write(in: folder)
        let log = LogRecorder()
        let time = Mutex(Date())
        let certificates = try CertificateFiles(
            files: files, logger: Logger(label: "tls") { _ in log.handler }, now: { time.withLock { $0 } })
        let first = certificates.current.chain
        _ = try TestCertificates.write(
            TestCertificates.secondCertificate, TestCertificates.secondKey, in: folder)
        time.withLock { $0 = then }
        for _ in 0..<3 { certificates.reloadIfChanged() }
        #expect(certificates.current.chain == first)
        #expect(!log.lines.contains { $0.contains("certificate reloaded") })
        #expect(log.lines.contains { $0.contains("not reloaded") && $0.contains(reason) }, "\(log.lines)")
        #expect(log.lines.count { $0.contains("not reloaded") } == 1)
        #expect(log.lines.count { $0.contains("clients refuse") } == 1)
        time.withLock { $0 = Date() }
        certificates.reloadIfChanged()
        #expect(certificates.current.chain != first)
    }

    @Test("A certificate that expires while it is in use, or has at the start, is logged once")
    func expiry() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "walletauth-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try TestCertificates.write(in: folder)
        for start in [Date(), Date.distantFuture] {
            let log = LogRecorder()
            let time = Mutex(start)
            let certificates = try CertificateFiles(
                files: files, logger: Logger(label: "tls") { _ in log.handler }, now: { time.withLock { $0 } })
            time.withLock { $0 = .distantFuture }
            for _ in 0..<3 { certificates.reloadIfChanged() }
            #expect(log.levels(from: .error).count == 1)
        }
    }

    @Test("A certificate for another host is served, and logged at the start and at its reload")
    func otherHost() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "walletauth-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (host, isNamed) in [("localhost", true), ("id.example.com", false)] {
            let files = try TestCertificates.write(in: folder)
            let log = LogRecorder()
            let certificates = try CertificateFiles(
                files: files, hosts: [host], logger: Logger(label: "tls") { _ in log.handler })
            let first = certificates.current.chain
            for _ in 0..<3 { certificates.reloadIfChanged() }
            #expect(log.levels(from: .error).count == (isNamed ? 0 : 1))
            _ = try TestCertificates.write(
                TestCertificates.secondCertificate, TestCertificates.secondKey, in: folder)
            for _ in 0..<3 { certificates.reloadIfChanged() }
            #expect(certificates.current.chain != first)
            #expect(log.levels(from: .error).count == (isNamed ? 0 : 2), "\(log.lines)")
            #expect(log.lines.contains { $0.contains("does not name the host") } == !isNamed)
        }
    }

    @Test("A served certificate follows its files without a restart")
    func servedReload() async throws {
        try await TestServer.use { server in
            let files = try TestCertificates.write(in: server.folder)
            try await server.serve(.ahc(.https)) {
                $0.tls = files
                $0.tlsReloadInterval = .milliseconds(50)
            } _: { client in
                let port = try #require(client.port)
                func certificate() async throws -> [UInt8] {
                    let connection = try await RawConnection.openTLS(port: port, offering: ["http/1.1"])
                    defer { Task { await connection.close() } }
                    return try #require(connection.handshake).certificate
                }
                let first = try await certificate()
                _ = try TestCertificates.write(
                    TestCertificates.secondCertificate, TestCertificates.secondKey, in: server.folder)
                try await eventually("the new certificate to be served") { try await certificate() != first }
            }
        }
    }

    @Test("A key that does not fit, or a file that is none, stops the start")
    func wrongFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "walletauth-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let logger = Logger(label: "tls")
        let mixed = try TestCertificates.write(
            TestCertificates.firstCertificate, TestCertificates.secondKey, in: folder)
        #expect(throws: (any Error).self) { try CertificateFiles(files: mixed, logger: logger) }
        let missing = TLSFiles(certificateChain: folder.path + "/none", privateKey: mixed.privateKey)
        #expect(throws: (any Error).self) { try CertificateFiles(files: missing, logger: logger) }
    }
}

import Foundation
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

/// Connections with TLS, to a server whose certificate has a CA of its own.
@Suite(
    .threat("A stolen database or file system access"), .covers("TLS: verified servers, notices, refusals that say why")
) struct EncryptedConnections {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func string(
        _ server: PostgreSQLServer, user: String = "postgres", host: String = "localhost", _ parameters: String
    ) -> String {
        server.string(schema: PostgreSQLServer.schema(of: scratch), user: user, host: host, parameters)
    }

    private func verifying(_ server: PostgreSQLServer) -> String {
        string(server, "sslmode=verify-full sslrootcert=\(server.authority)")
    }

    /// Opens a database that is refused.
    private func refusal(of string: String) async -> StoreError? {
        let error = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.open(string, options: .patient(connections: 1))
        }
        #expect(error?.reason.contains(where: \.isNewline) == false)
        #expect(error?.description.contains("hunter2") == false)
        return error
    }

    @Test("With sslmode=verify-full the server is verified; reads, writes and a new connection after a loss work")
    func verified() async throws {
        let server = try await PostgreSQLServer.sharedWithTLS()
        let member = try await Member(of: scratch, on: server, string: verifying(server))
        #expect(member.database.verifiesServer)
        #expect(member.database.isProtected)
        try await Schema.migrate(member.database, now: .start)
        // Of many TLS records.
        let text = String(repeating: "wallet ", count: 100_000)
        try await member.database.write { try Meta.set("long", to: text, on: $0) }
        #expect(try await member.database.read { try Meta.value("long", on: $0) } == text)
        let isEncrypted = try await member.database.read {
            try $0.row("SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_catalog.pg_backend_pid()", [])?
                .integer("ssl")
        }
        #expect(isEncrypted == 1)
        try await server.cutMembers(of: scratch)
        try await member.events.wait(for: "regained")
        #expect(try await member.write("name") == nil)
        await member.close()
    }

    @Test(
        "Notices arrive over TLS without waiting for a sign of life, even 500 at once, in one message or in 500",
        .timeLimit(.minutes(5)))
    func notices() async throws {
        let server = try await PostgreSQLServer.sharedWithTLS()
        let first = try await Member(of: scratch, on: server, string: verifying(server))
        let second = try await Member(of: scratch, on: server, string: verifying(server))
        let channel = "'walletauth_' || to_hex(\(PostgreSQLServer.key(of: scratch)))"
        var notices = second.group.notices().makeAsyncIterator()
        var delays: [Duration] = []
        for round in 0..<9 {
            let all = Set((0..<500).map { ChangeNotice.row(Sample.id(1000 * round + $0)) })
            let began = ContinuousClock.now
            if round.isMultiple(of: 2) {
                for notice in all { first.group.announce(notice) }
            } else {
                let texts = all.flatMap { NoticePayload.texts(of: [$0]) }.map { "'\($0)'" }.joined(separator: ", ")
                try await server.run("SELECT count(pg_notify(\(channel), n)) FROM unnest(ARRAY[\(texts)]) n")
            }
            var arrived: Set<ChangeNotice> = []
            while arrived.count < all.count, let notice = await notices.next() { arrived.insert(notice) }
            #expect(arrived == all)
            delays.append(ContinuousClock.now - began)
        }
        // A sign of life comes every two seconds. Single rounds may meet a busy machine.
        #expect(delays.sorted()[delays.count / 2] < .seconds(1), "\(delays)")
        #expect(second.events.names.isEmpty)
        await first.close()
        await second.close()
    }

    @Test(
        """
        attack: a server whose certificate another CA signed, or that names another host, is refused; the reason says what is \
        wrong, and no secret
        """)
    func untrusted() async throws {
        let server = try await PostgreSQLServer.sharedWithTLS()
        for (host, authority, part) in [
            ("localhost", server.otherAuthority, "certificate verify failed"),
            ("localhost", "/missing.pem", "/missing.pem"),
            ("127.0.0.1", server.authority, "does not match host name \"127.0.0.1\""),
        ] {
            let error = await refusal(
                of: string(server, host: host, "sslmode=verify-full sslrootcert=\(authority) password=hunter2"))
            #expect(error?.code == .untrustedServer)
            #expect(error?.reason.contains(part) == true, "\(error?.reason ?? "")")
        }
    }

    @Test("sslmode=require and verify-ca connect, and leave the name unverified", arguments: ["require", "verify-ca"])
    func unverified(mode: String) async throws {
        let server = try await PostgreSQLServer.sharedWithTLS()
        _ = try await server.open(scratch)
        // A name that the certificate does not have.
        let database = try await PostgreSQLDatabase.open(
            string(server, host: "127.0.0.1", "sslmode=\(mode) sslrootcert=\(server.authority)"),
            options: .patient(connections: 1))
        #expect(!database.verifiesServer)
        await database.close()
    }

    @Test("A server that accepts only TLS connections: without TLS the reason says what to write instead")
    func demanded() async throws {
        let server = try await PostgreSQLServer.sharedWithTLS()
        let plain = await refusal(of: string(server, host: "127.0.0.1", "sslmode=disable password=hunter2"))
        #expect(plain?.code == .loginRefused)
        #expect(plain?.reason.contains("only TLS connections") == true, "\(plain?.reason ?? "")")
        #expect(plain?.reason.contains("sslmode=verify-full") == true)
        try await server.run("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        let wrong = await refusal(
            of: string(
                server, user: "guarded", "sslmode=verify-full sslrootcert=\(server.authority) password=hunter2"))
        #expect(wrong?.code == .loginRefused)
        #expect(wrong?.reason.contains("password") == true)
        #expect(wrong?.reason.contains("TLS") == false)
    }

    @Test("Of a name's addresses, the one at which a server responded is reported, or the first")
    func addresses() {
        let refused = """
            connection to server at "db" (::1), port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "db" (127.0.0.1), port 5432 failed:
            """
        let answers: [(String, StoreError.Code, String)] = [
            (" SSL error: certificate verify failed", .untrustedServer, "(127.0.0.1)"),
            (" FATAL:  28P01: password authentication failed for user \"ada\"", .loginRefused, "28P01"),
            (" Connection refused", .unavailable, "(::1)"),
        ]
        for (rest, code, part) in answers {
            let refusal = ConnectionRefusal(refused + rest + "\n")
            #expect(refusal.code == code)
            #expect(refusal.reason(withoutTLS: false).contains(part))
            let line = refusal.reason(withoutTLS: true)
            #expect(!line.contains { $0.isNewline })
        }
        #expect(ConnectionRefusal("\n").code == .unavailable)
    }
}

import AuthCore
import AuthStore
import Foundation
import Synchronization
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("Audit chains")
struct AuditTests {
    /// Checkpoints as a file would keep them.
    private final class Archive: AuditCheckpointArchive {
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

    private static let ada = AccountReference.username("ada", brand: nil)

    /// A server with two accounts that have a history.
    private static func furnished() async throws -> TestServer {
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

    private static func verify(_ server: TestServer, checkpoints: String? = nil) async throws -> AuditVerification {
        try await Audit(context: server.context).verify(checkpoints: checkpoints)
    }

    /// What a verification finds after a change of the database behind the server's back, which is undone again.
    private static func findings(
        _ server: TestServer, _ sql: String, _ arguments: [SQLValue] = []
    ) async throws -> (changed: Int, found: [AuditFinding]) {
        struct Undo: Error {
            var changed: Int
            var found: [AuditFinding]
        }
        let audit = Audit(context: server.context)
        let now = server.clock.now()
        do {
            try await server.context.database.write { connection in
                let changed = try connection.execute(sql, arguments)
                var verification = AuditVerification { audit.auditKey($0, now: now) }
                for partition in AuditPartition.all {
                    for record in try AuditChains.page(of: partition, after: 0, limit: 1000, on: connection) {
                        verification.read(record)
                    }
                }
                verification.finish(unchained: try AuditChains.unchained(on: connection))
                throw Undo(changed: changed, found: verification.findings)
            }
        } catch let undo as Undo {
            return (undo.changed, undo.found)
        }
        return (0, [])
    }

    private static func ids(_ server: TestServer) async throws -> [[UInt8]] {
        try await server.context.database.read {
            try $0.query("SELECT id FROM security_events ORDER BY id", []).map { try $0.blob(0) }
        }
    }

    @Test("What happens stands in the chain of its account, and the whole record holds")
    func holds() async throws {
        let server = try await Self.furnished()
        let verification = try await Self.verify(server)
        #expect(verification.findings.isEmpty)
        // The beginning, a client, two accounts, three sign-ins, an expired password.
        #expect(verification.entries == 8)
        let answer = await server.flows.administration.execute(.audit(.verify(checkpoints: nil)))
        #expect(answer.status == .done)
        #expect(answer.lines.last == "The audit record holds: 8 entries, 0 checkpoints.")
    }

    @Test("One checkpoint is one")
    func counts() async throws {
        let server = try await Self.furnished()
        let file = server.path("checkpoints")
        try await Audit(context: server.context).checkpoint(now: server.clock.now())
            .write(toFile: file, atomically: true, encoding: .utf8)
        let verified = await server.flows.administration.execute(.audit(.verify(checkpoints: file)))
        #expect(verified.lines.last?.hasSuffix("entries, 1 checkpoint.") == true, "\(verified.lines)")
    }

    @Test(
        "A kind that there is none of is refused, with those that are near it, and never looks like nothing having happened"
    )
    func kinds() async throws {
        let server = try await Self.furnished()
        let tail = await server.flows.administration.execute(
            .audit(.tail(account: nil, kind: "account.signedin", limit: nil)))
        #expect(tail.status == .refused)
        #expect(tail.lines.first?.hasSuffix("account.signed_in.") == true, "\(tail.lines)")
        #expect(tail.lines.first?.contains("pin.set") == false)
        let nothing = await server.flows.administration.execute(.audit(.tail(account: nil, kind: "nope", limit: nil)))
        #expect(nothing.lines.first?.contains("pin.set") == true)
        let cursor = [Int64](repeating: 0, count: AuditPartition.all.count)
        let follow = await server.flows.administration.execute(
            .audit(.follow(account: nil, kind: "nope", cursor: cursor)))
        #expect(follow.status == .refused)
    }

    @Test(
        "Whoever writes the database and has no key changes no column of any row unnoticed",
        arguments: [
            "id = randomblob(16)", "account_id = randomblob(16)",
            "account_id = CASE WHEN account_id IS NULL THEN zeroblob(16) END", "client_id = 'other'",
            "client_id = CASE WHEN client_id IS NULL THEN '' ELSE NULL END", "kind = 'account.exporte'",
            "occurred_at = occurred_at - 1", "details = '{\"address\":\"203.0.113.9\"}'",
            "details = '{}', salt = NULL", "salt = randomblob(16)", "salt = NULL", "details_digest = randomblob(32)",
            "details_digest = NULL", "kid = kid + 1", "kid = NULL", "link = randomblob(32)", "link = NULL",
            "chain = NULL", "seq = NULL", "chain = CASE WHEN chain = 16 THEN 15 ELSE chain + 1 END, seq = 99",
            "seq = seq + 1000000", "seq = 9223372036854775807", "seq = -seq", "chain = chain + 17",
        ])
    func columns(_ change: String) async throws {
        let server = try await Self.furnished()
        for id in try await Self.ids(server) {
            let outcome = try await Self.findings(
                server, "UPDATE security_events SET \(change) WHERE id = $1", [.blob(id)])
            #expect(outcome.changed == 1)
            #expect(!outcome.found.isEmpty, "\(change)")
        }
    }

    @Test("An entry that is added by hand, or removed before the end of its chain, is found")
    func rows() async throws {
        let server = try await Self.furnished()
        let added = try await Self.findings(
            server,
            """
            INSERT INTO security_events (id, account_id, client_id, kind, occurred_at, details)
            VALUES (randomblob(16), NULL, NULL, 'keys.rotated', 1, '{}')
            """)
        #expect(added.found == [.unchained(found: 1, expected: 0)])
        let removed = try await Self.findings(server, "DELETE FROM security_events WHERE seq = 1 AND chain > 0")
        #expect(removed.found.count == removed.changed)
        let everything = try await Self.findings(server, "DELETE FROM security_events")
        #expect(everything.found.isEmpty, "only a checkpoint tells")
    }

    @Test("A checkpoint outside of the database finds the end cut off, the record removed, and the record begun anew")
    func cut() async throws {
        let archive = Archive()
        let server = try await Self.furnished().restarted(archive: archive)
        _ = try await Audit(context: server.context).checkpoint(now: server.clock.now())
        let file = server.path("checkpoints")
        try archive.kept.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let whole = try await Self.verify(server, checkpoints: file)
        #expect(whole.findings.isEmpty && whole.checkpoints == 1)

        _ = try await server.context.database.write { connection in
            try connection.execute(
                """
                DELETE FROM security_events WHERE id IN (
                    SELECT id FROM security_events
                    WHERE chain = (SELECT chain FROM security_events WHERE kind = 'account.signed_in' LIMIT 1)
                    ORDER BY seq DESC LIMIT 1)
                """, [])
        }
        #expect(try await Self.verify(server).findings.isEmpty, "the chain itself does not tell")
        let cut = try await Self.verify(server, checkpoints: file)
        #expect(cut.findings.count == 1)
        #expect(cut.findings.first?.description.contains("the checkpoint in line 1") == true)

        _ = try await server.context.database.write { try $0.execute("DELETE FROM security_events", []) }
        let again = try await server.restarted(archive: archive)
        let begunAnew = try await Self.verify(again, checkpoints: file)
        #expect(!begunAnew.findings.isEmpty)
        let answer = await again.flows.administration.execute(.audit(.verify(checkpoints: file)))
        #expect(answer.status == .refused && answer.lines.first?.hasPrefix("FAULT  partition ") == true)
    }

    @Test("A line that is no checkpoint, or another server's, is found by its number")
    func badCheckpoints() async throws {
        let server = try await Self.furnished()
        let good = try await Audit(context: server.context).checkpoint(now: server.clock.now())
        let file = server.path("checkpoints")
        try "\(good)\nnonsense\n\(good.dropLast(3))AAA\n".write(toFile: file, atomically: true, encoding: .utf8)
        let found = try await Self.verify(server, checkpoints: file).findings
        #expect(found == [2, 3].map { .badCheckpoint("the checkpoint in line \($0)") })
        let missing = await server.flows.administration.execute(.audit(.verify(checkpoints: "/nowhere")))
        #expect(missing.status == .refused)
    }

    @Test("Erasing an account leaves the record whole, and says which details are gone and that nobody can guess them")
    func erasure() async throws {
        let server = try await Self.furnished()
        let file = server.path("checkpoints")
        try await Audit(context: server.context).checkpoint(now: server.clock.now())
            .write(toFile: file, atomically: true, encoding: .utf8)
        try await server.administer(.account(.erase(Self.ada)))
        let verification = try await Self.verify(server, checkpoints: file)
        #expect(verification.findings.isEmpty)
        // Created and three sign-ins; the erasure itself, which comes after, has details of its own.
        #expect(verification.erased.map(\.value) == [4])
        let left = try await server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE salt IS NULL", []).map { try $0.text(0) }
        }
        #expect(left == ["{}", "{}", "{}", "{}"])
        let answer = await server.flows.administration.execute(.audit(.verify(checkpoints: file)))
        #expect(answer.lines.first?.hasPrefix("ERASED 4 entries of account ") == true)
    }

    @Test("A checkpoint is due after an hour or a thousand entries, and never where nothing came")
    func due() async throws {
        let archive = Archive()
        let server = try await Self.furnished().restarted(archive: archive)
        try await server.flows.upkeep.run()
        try await server.flows.upkeep.run()
        #expect(archive.kept.count == 1, "the first at once, and no second without news")
        try await server.administer(.account(.verifyEmail(Self.withEmail(server))))
        try await server.flows.upkeep.run()
        #expect(archive.kept.count == 1)
        server.clock.advance(by: .hours(1))
        try await server.flows.upkeep.run()
        #expect(archive.kept.count == 2)
        server.clock.advance(by: .hours(3))
        try await server.flows.upkeep.run()
        #expect(archive.kept.count == 2)
        for _ in 0..<1000 {
            let entry = try Journal(context: server.context).administration(.keysRotated, now: server.clock.now())
            try await server.context.database.write { _ = try entry.write(on: $0) }
        }
        try await server.flows.upkeep.run()
        #expect(archive.kept.count == 3)
        try await server.flows.audit.checkpointTheRest()
        #expect(archive.kept.count == 3)
    }

    private static func withEmail(_ server: TestServer) async throws -> AccountReference {
        _ = try await server.account("mail") { $0.email = "mail@example.com" }
        return .username("mail", brand: nil)
    }

    @Test("A checkpoint that could not be kept is made again, and one for a record that does not hold is never made")
    func refusedCheckpoints() async throws {
        let archive = Archive()
        let server = try await Self.furnished().restarted(archive: archive)
        archive.fill(true)
        await #expect(throws: Archive.Full.self) { try await server.flows.upkeep.run() }
        archive.fill(false)
        try await server.flows.upkeep.run()
        #expect(archive.kept.count == 1)

        try await server.administer(.account(.deactivate(Self.ada)))
        _ = try await server.context.database.write {
            try $0.execute("UPDATE security_events SET kind = 'x' WHERE kind = 'account.deactivated'", [])
        }
        server.clock.advance(by: .hours(2))
        await #expect(throws: Audit.Damaged.self) { try await server.flows.upkeep.run() }
        let asked = await server.flows.administration.execute(.audit(.checkpoint))
        #expect(asked.status == .refused)
        #expect(archive.kept.count == 1)
    }

    @Test("After a new audit key the chain goes on, and old entries and checkpoints still verify")
    func rotation() async throws {
        let server = try await Self.furnished()
        let file = server.path("checkpoints")
        let first = try await Audit(context: server.context).checkpoint(now: server.clock.now())
        try await server.administer(.keys(.rotate(purpose: "audit")))
        try await server.administer(.account(.deactivate(Self.ada)))
        let second = try await Audit(context: server.context).checkpoint(now: server.clock.now())
        try "\(first)\n\(second)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let verification = try await Self.verify(server, checkpoints: file)
        #expect(verification.findings.isEmpty && verification.checkpoints == 2)
        let keys = try await server.administer(.audit(.key))
        #expect(keys["keys"]?.array?.count == 2)
    }

    @Test(
        "A restored database goes on with a break that the record tells of, and one put in its place in silence is found"
    )
    func restored() async throws {
        let server = try await Self.furnished()
        let copy = server.path("copy.db")
        try await server.administer(.database(.backup(path: copy)))
        try await server.administer(.account(.deactivate(Self.ada)))
        try await server.administer(.account(.reactivate(Self.ada)))
        let file = server.path("checkpoints")
        try await Audit(context: server.context).checkpoint(now: server.clock.now())
            .write(toFile: file, atomically: true, encoding: .utf8)
        server.clock.advance(by: .minutes(5))

        let silent = try await server.restarted(from: copy)
        let found = try await Self.verify(silent, checkpoints: file).findings
        #expect(found.count == 1, "\(found)")
        let restored = try await silent.restarted(epoch: 77, from: copy)
        let verification = try await Self.verify(restored, checkpoints: file)
        #expect(verification.findings.isEmpty)
        #expect(verification.breaks.map { $0.lost.count } == [1])
        let answer = await restored.flows.administration.execute(.audit(.verify(checkpoints: file)))
        #expect(answer.status == .done)
        #expect(answer.lines.first?.contains("2 of partition ") == true)
        try await restored.administer(.account(.deactivate(Self.ada)))
        #expect(try await Self.verify(restored, checkpoints: file).findings.isEmpty)
    }

    @Test("Wrong passwords are recorded by their number, so that a stranger does not decide how large the record grows")
    func failedSignIns() async throws {
        let server = try await Self.furnished()
        let app = TestApp(client: try await server.publicClient("other"))
        let before = try await Self.verify(server).entries
        for _ in 0..<20 {
            _ = try await app.signIn(password: "wrong wrong wrong")
            _ = try await app.signIn("nobody", password: "wrong wrong wrong")
            server.clock.advance(by: .hours(2))
        }
        let tail = try await server.administer(
            .audit(.tail(account: Self.ada, kind: "account.sign_in_failures", limit: 9)))
        let entries = tail["entries"]?.array ?? []
        #expect(entries.map { $0.object?["details"]?.object?["failures"]?.integer } == [4, 8, 16])
        #expect(try await Self.verify(server).entries == before + 3)
    }

    @Test("64 writers at once leave every chain without a gap")
    func concurrency() async throws {
        let server = try await Self.furnished()
        let accounts = try await (0..<8).asyncMap { try await server.account("person\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    guard let id = UniqueID(bytes: accounts[number % 8].bytes) else { return }
                    for _ in 0..<8 {
                        let entry = try Journal(context: server.context).entry(
                            .signedIn, account: id, now: server.clock.now())
                        try await server.context.database.write { _ = try entry.write(on: $0) }
                    }
                }
            }
            group.addTask { _ = try await Self.verify(server) }
            try await group.waitForAll()
        }
        let verification = try await Self.verify(server)
        #expect(verification.findings.isEmpty)
        #expect(verification.entries == 8 + 8 + 512)
    }

    @Test("The newest entries are listed by account and kind, and followed from where the list ended")
    func tail() async throws {
        let server = try await Self.furnished()
        let all = try await server.administer(.audit(.tail(account: nil, kind: nil, limit: nil)))
        #expect(all["entries"]?.array?.count == 8)
        let mine = try await server.administer(
            .audit(.tail(account: Self.ada, kind: "account.signed_in", limit: 2)))
        #expect(mine["entries"]?.array?.count == 2)
        let cursor = (mine["cursor"]?.array ?? []).compactMap(\.integer)
        let nothing = try await server.administer(.audit(.follow(account: nil, kind: nil, cursor: cursor)))
        #expect(nothing["entries"]?.array?.isEmpty == true)
        try await server.administer(.account(.deactivate(Self.ada)))
        let came = try await server.administer(.audit(.follow(account: Self.ada, kind: nil, cursor: cursor)))
        #expect(came["entries"]?.array?.count == 1)
        for wrong in [
            AuditCommand.tail(account: nil, kind: nil, limit: 0), .follow(account: nil, kind: nil, cursor: []),
        ] {
            let answer = await server.flows.administration.execute(.audit(wrong))
            #expect(answer.status == .refused)
        }
    }

    @Test("Events from before the chains stay readable, and are counted as what nothing binds")
    func before() async throws {
        let server = try await Self.furnished()
        _ = try await server.context.database.write { connection in
            try connection.execute(
                """
                UPDATE security_events SET chain = NULL, seq = NULL, kid = NULL, salt = NULL, details_digest = NULL,
                    link = NULL
                """, [])
        }
        let restarted = try await server.restarted()
        let verification = try await Self.verify(restarted)
        #expect(verification.findings.isEmpty)
        #expect(verification.entries == 1)
    }
}

extension Range<Int> {
    fileprivate func asyncMap<Value>(_ body: (Int) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for number in self { values.append(try await body(number)) }
        return values
    }
}

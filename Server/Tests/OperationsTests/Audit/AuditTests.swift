import Core
import FlowSupport
import Foundation
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Audit chains", .covers("it names the device of a sign-in"))
struct AuditTests {
    /// What a verification finds after a change of the database behind the server's back, which is undone again.
    private static func findings(
        _ server: TestServer, _ sql: String, _ arguments: [SQLValue] = []
    ) async throws -> (changed: Int, found: [AuditFinding]) {
        struct Undo: Error {
            var changed: Int
            var found: [AuditFinding]
        }
        let audit = server.context.audit
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
            try $0.query("SELECT id FROM security_events ORDER BY id", []).map { try $0.blob("id") }
        }
    }

    @Test("Each event is in the chain of its account, and the whole log verifies")
    func holds() async throws {
        let server = try await TestServer.withHistory()
        let verification = try await server.verifyAudit()
        #expect(verification.findings.isEmpty)
        // The beginning, a client, two accounts, three sign-ins, an expired password.
        #expect(verification.entries == 8)
        let answer = await server.flows.administration.execute(["audit", "verify"])
        #expect(answer.status == .done)
        #expect(answer.lines.last == "The audit log is intact: 8 entries, 0 checkpoints.")
    }

    @Test(
        "A kind that there is none of is refused, with those that are near it, and never looks like nothing having happened"
    )
    func kinds() async throws {
        let server = try await TestServer.withHistory()
        let tail = await server.flows.administration.execute(
            ["audit", "tail", "--kind", "account.signedin"])
        #expect(tail.status == .refused)
        #expect(tail.lines.first?.hasSuffix("account.signed_in.") == true, "\(tail.lines)")
        #expect(tail.lines.first?.contains("pin.set") == false)
        let nothing = await server.flows.administration.execute(["audit", "tail", "--kind", "nope"])
        #expect(nothing.lines.first?.contains("pin.set") == true)
        let cursor = AuditPartition.all.map { _ in "0" }.joined(separator: ",")
        let follow = await server.flows.administration.execute(
            ["audit", "tail", "--kind", "nope", "--cursor", cursor])
        #expect(follow.status == .refused)
    }

    @Test(
        "Write access to the database without the key changes no column of any row unnoticed",
        .threat("Tampering with the audit log"),
        arguments: [
            "id = randomblob(16)", "account_id = randomblob(16)",
            "account_id = CASE WHEN account_id IS NULL THEN zeroblob(16) END", "client_id = 'other'",
            "client_id = CASE WHEN client_id IS NULL THEN '' ELSE NULL END", "kind = 'account.exporte'",
            "occurred_at = occurred_at - 1", "details = '{\"address\":\"203.0.113.9\"}'",
            "details = '{}', salt = NULL", "salt = randomblob(16)", "salt = NULL", "details_digest = randomblob(32)",
            "details_digest = NULL", "kid = kid + 1", "kid = NULL", "link = randomblob(32)", "link = NULL",
            "about = 'other'",
            "chain = NULL", "seq = NULL", "chain = CASE WHEN chain = 16 THEN 15 ELSE chain + 1 END, seq = 99",
            "seq = seq + 1000000", "seq = 9223372036854775807", "seq = -seq", "chain = chain + 17",
        ])
    func columns(_ change: String) async throws {
        let server = try await TestServer.withHistory()
        for id in try await Self.ids(server) {
            let outcome = try await Self.findings(
                server, "UPDATE security_events SET \(change) WHERE id = $1", [.blob(id)])
            #expect(outcome.changed == 1)
            #expect(!outcome.found.isEmpty, "\(change)")
        }
    }

    @Test("An entry that is added by hand, or removed before the end of its chain, is found")
    func rows() async throws {
        let server = try await TestServer.withHistory()
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

    @Test("Erasing an account leaves the log intact, and says which details are gone and that they cannot be guessed")
    func erasure() async throws {
        let server = try await TestServer.withHistory()
        let file = server.path("checkpoints")
        try await server.context.audit.checkpoint(now: server.clock.now())
            .write(toFile: file, atomically: true, encoding: .utf8)
        try await server.administer(AdminRequest(["account", "erase"] + TestServer.ada.words))
        let verification = try await server.verifyAudit(checkpoints: file)
        #expect(verification.findings.isEmpty)
        // Created and three sign-ins; the erasure itself, which comes after, has details of its own.
        #expect(verification.erased.map(\.value) == [4])
        let left = try await server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE salt IS NULL", []).map { try $0.text("details") }
        }
        #expect(left == ["{}", "{}", "{}", "{}"])
        let answer = await server.flows.administration.execute(["audit", "verify", "--checkpoints", file])
        #expect(answer.lines.first?.hasPrefix("ERASED 4 entries of account ") == true)
    }

    @Test("Changes to a device and sign-ins on it name the device, in entries that verify")
    func devices() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let token = try await session.issue().get().token
        _ = try await session.device.signIn(as: session.pin.id).code()
        _ = try await session.pin.signIn("271828").code()
        _ = try await session.signIn(token).code()
        try await session.expire().get()
        #expect(try await session.device.remove(session.pin.id) == nil)
        let tail = try await server.administer(["audit", "tail", "--account", "ada", "--limit", "100"])
        let entries = (tail["entries"]?.array ?? []).compactMap(\.object).filter { entry in
            entry["details"]?.object?["device"]?.string == session.pin.id.rawValue
        }
        #expect(
            entries.compactMap { $0["kind"]?.string } == [
                "device.enrolled", "pin.set", "device_token.issued", "account.signed_in", "account.signed_in",
                "account.signed_in", "device_token.expired", "device.removed",
            ])
        #expect(try await server.verifyAudit().findings.isEmpty)
    }

    @Test("attack: a sign-in on a page that names a device's key is not recorded as a sign-in on that device")
    func namedDevice() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server)
        let device = try #require(UniqueID(uuid: session.pin.id.rawValue))
        let before = try await server.context.database.read { try Devices.find(device, on: $0)?.lastUsedAt }
        server.clock.advance(by: .seconds(60))
        let client = session.device.app.client
        let request = try client.request { $0["dpop_jkt"] = session.device.app.key.thumbprint.rawValue }
        let browser = TestBrowser(server)
        let asked = try await browser.signIn(request).page()
        _ = try await browser.submit(asked, .answerFactor(Password(server.sentCode()))).code()
        let tail = try await server.administer(["audit", "tail", "--account", "ada", "--limit", "100"])
        let entries = (tail["entries"]?.array ?? []).compactMap(\.object)
        let last = try #require(entries.last)
        #expect(last["kind"]?.string == "account.signed_in")
        #expect(last["details"]?.object?["device"] == nil)
        #expect(try await server.context.database.read { try Devices.find(device, on: $0)?.lastUsedAt } == before)
    }

    @Test("Wrong passwords are recorded by their number, so that a stranger does not decide how large the log grows")
    func failedSignIns() async throws {
        let server = try await TestServer.withHistory()
        let app = TestApp(client: try await server.publicClient("other"))
        let before = try await server.verifyAudit().entries
        for _ in 0..<20 {
            _ = try await app.signIn(password: "wrong wrong wrong")
            _ = try await app.signIn("nobody", password: "wrong wrong wrong")
            server.clock.advance(by: .hours(2))
        }
        let tail = try await server.administer(
            ["audit", "tail", "--account", "ada", "--kind", "account.sign_in_failures", "--limit", "9"])
        let entries = tail["entries"]?.array ?? []
        #expect(entries.map { $0.object?["details"]?.object?["failures"]?.integer } == [4, 8, 16])
        #expect(try await server.verifyAudit().entries == before + 3)
    }

    @Test("64 writers at once leave every chain without a gap")
    func concurrency() async throws {
        let server = try await TestServer.withHistory()
        let accounts = try await (0..<8).asyncMap { try await server.account("person\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    guard let id = UniqueID(bytes: accounts[number % 8].bytes) else { return }
                    for _ in 0..<8 {
                        let entry = try server.context.auditLog.entry(
                            LoginEvent.signedIn, account: id, now: server.clock.now())
                        try await server.context.database.write { _ = try entry.write(on: $0) }
                    }
                }
            }
            group.addTask { _ = try await server.verifyAudit() }
            try await group.waitForAll()
        }
        let verification = try await server.verifyAudit()
        #expect(verification.findings.isEmpty)
        #expect(verification.entries == 8 + 8 + 512)
    }

    @Test("The newest entries are listed by account and kind, and followed from where the list ended")
    func tail() async throws {
        let server = try await TestServer.withHistory()
        let all = try await server.administer(["audit", "tail"])
        #expect(all["entries"]?.array?.count == 8)
        let mine = try await server.administer(
            ["audit", "tail", "--account", "ada", "--kind", "account.signed_in", "--limit", "2"])
        #expect(mine["entries"]?.array?.count == 2)
        let cursor = (mine["cursor"]?.array ?? []).compactMap { $0.integer.map { String($0) } }.joined(separator: ",")
        let nothing = try await server.administer(["audit", "tail", "--cursor", cursor])
        #expect(nothing["entries"]?.array?.isEmpty == true)
        try await server.administer(AdminRequest(["account", "deactivate"] + TestServer.ada.words))
        let came = try await server.administer(["audit", "tail", "--account", "ada", "--cursor", cursor])
        #expect(came["entries"]?.array?.count == 1)
        for wrong in [["--limit", "0"], ["--cursor", ""]] {
            let answer = await server.flows.administration.execute(AdminRequest(["audit", "tail"] + wrong))
            #expect(answer.status == .refused)
        }
    }

    @Test("Following the cursors reaches the beginning of the log and shows each entry once")
    func pages() async throws {
        let server = try await TestServer.withHistory()
        let all = try await server.administer(["audit", "tail", "--limit", "1000"])
        #expect(all["before"] == nil)
        func ids(_ page: JSONObject) -> [String] {
            (page["entries"]?.array ?? []).compactMap { $0.object?["id"]?.string }
        }
        for filter in [[], ["--account", "ada"]] {
            let expected = ids(try await server.administer(AdminRequest(["audit", "tail"] + filter)))
            var found: [String] = []
            var before: String?
            repeat {
                let words = ["audit", "tail", "--limit", "3"] + filter + (before.map { ["--before", $0] } ?? [])
                let page = try await server.administer(AdminRequest(words))
                found = ids(page) + found
                before = page["before"]?.string
            } while before != nil
            #expect(found.sorted() == expected.sorted())
        }
        let page = await server.flows.administration.execute(["audit", "tail", "--limit", "3"])
        #expect(page.lines.last?.hasPrefix("There are more: --before ") == true)
        let ofAccount = try await server.administer(["audit", "tail", "--limit", "1", "--account", "ada"])
        let cursor = try #require(ofAccount["before"]?.string)
        #expect(cursor.utf8.count <= 6, "two partitions: \(cursor)")
        for wrong in [["--before", "1,2"], ["--before", "x"], ["--before", "1", "--follow"], ["--before", cursor]] {
            let answer = await server.flows.administration.execute(AdminRequest(["audit", "tail"] + wrong))
            #expect(answer.status == .refused)
        }
    }

    @Test("A cursor keeps the number of each partition, however large", arguments: [0, 127, 128, 70_000, .max - 1])
    func cursor(position: Int64) throws {
        let cursor = AuditCursor(after: AuditPartition.all.map { max(0, position - $0.rawValue) })
        #expect(try AuditCursor(cursor.description).bounds == cursor.bounds)
        #expect(cursor.description.first?.isLetter == true)
        let account = try #require(UniqueID(uuid: "3cb5291a-2fd0-48fe-85bc-1de836c8e11f"))
        let single = try cursor.reading(account)
        #expect(try AuditCursor(single.description).bounds == single.bounds && single.bounds.count == 2)
        #expect(throws: AdministrationRefusal.self) { try AuditCursor("\(cursor)A") }
    }

    @Test("Events from before the chains stay readable, and are counted as what nothing binds")
    func before() async throws {
        let server = try await TestServer.withHistory()
        _ = try await server.context.database.write { connection in
            try connection.execute(
                """
                UPDATE security_events SET chain = NULL, seq = NULL, kid = NULL, salt = NULL, details_digest = NULL,
                    link = NULL
                """, [])
        }
        let restarted = try await server.restarted()
        let verification = try await restarted.verifyAudit()
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

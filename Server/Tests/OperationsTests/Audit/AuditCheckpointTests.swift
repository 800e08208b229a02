import Core
import Crypto
import FlowSupport
import Foundation
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Audit checkpoints", .covers("a restore is recorded as a break"))
struct AuditCheckpointTests {
    @Test("One checkpoint is one")
    func counts() async throws {
        let server = try await TestServer.withHistory()
        let file = server.path("checkpoints")
        try await server.context.audit.checkpoint(now: server.clock.now())
            .write(toFile: file, atomically: true, encoding: .utf8)
        let verified = await server.flows.administration.execute(["audit", "verify", "--checkpoints", file])
        #expect(verified.lines.last?.hasSuffix("entries, 1 checkpoint.") == true, "\(verified.lines)")
    }

    @Test(
        "A checkpoint outside of the database detects a log whose end is cut off, a removed log, and one that was started over",
        .threat("Tampering with the audit log")
    )
    func cut() async throws {
        let archive = CheckpointArchive()
        let server = try await TestServer.withHistory().restarted(archive: archive)
        _ = try await server.context.audit.checkpoint(now: server.clock.now())
        let file = server.path("checkpoints")
        try archive.kept.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let whole = try await server.verifyAudit(checkpoints: file)
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
        #expect(try await server.verifyAudit().findings.isEmpty, "the chain itself does not tell")
        let cut = try await server.verifyAudit(checkpoints: file)
        #expect(cut.findings.count == 1)
        #expect(cut.findings.first?.description.contains("the checkpoint in line 1") == true)

        _ = try await server.context.database.write { try $0.execute("DELETE FROM security_events", []) }
        let again = try await server.restarted(archive: archive)
        let begunAnew = try await again.verifyAudit(checkpoints: file)
        #expect(!begunAnew.findings.isEmpty)
        let answer = await again.flows.administration.execute(["audit", "verify", "--checkpoints", file])
        #expect(answer.status == .refused && answer.lines.first?.hasPrefix("FAULT  partition ") == true)
    }

    @Test("A line that is no checkpoint, or another server's, is found by its number")
    func badCheckpoints() async throws {
        let server = try await TestServer.withHistory()
        let good = try await server.context.audit.checkpoint(now: server.clock.now())
        let file = server.path("checkpoints")
        try "\(good)\nnonsense\n\(good.dropLast(3))AAA\n".write(toFile: file, atomically: true, encoding: .utf8)
        let found = try await server.verifyAudit(checkpoints: file).findings
        #expect(found == [2, 3].map { .badCheckpoint("the checkpoint in line \($0)") })
        let missing = await server.flows.administration.execute(["audit", "verify", "--checkpoints", "/nowhere"])
        #expect(missing.status == .refused)
        #expect(missing.lines.first?.hasPrefix("There are no checkpoints at /nowhere") == true, "\(missing.lines)")
    }

    @Test("A clock that leaped dates no checkpoint at the end, and one from the future delays none")
    func leapedClock() async throws {
        let archive = CheckpointArchive()
        let server = try await TestServer.withHistory().restarted(archive: archive)
        server.clock.leap(by: .days(40))
        try await server.context.audit.checkpointTheRest()
        #expect(archive.kept.isEmpty)
        _ = try await server.context.audit.checkpoint(now: server.clock.now())
        server.clock.leap(by: .days(-40))
        try await server.administer(AdminRequest(["account", "verify-email"] + Self.withEmail(server).words))
        try await server.flows.maintenance.run()
        #expect(archive.kept.count == 2)
    }

    @Test("A checkpoint is due after an hour or a thousand entries, and never where nothing came")
    func due() async throws {
        let archive = CheckpointArchive()
        let server = try await TestServer.withHistory().restarted(archive: archive)
        try await server.flows.maintenance.run()
        try await server.flows.maintenance.run()
        #expect(archive.kept.count == 1, "the first at once, and no second without news")
        try await server.administer(AdminRequest(["account", "verify-email"] + Self.withEmail(server).words))
        try await server.flows.maintenance.run()
        #expect(archive.kept.count == 1)
        server.clock.advance(by: .hours(1))
        try await server.flows.maintenance.run()
        #expect(archive.kept.count == 2)
        server.clock.advance(by: .hours(3))
        try await server.flows.maintenance.run()
        #expect(archive.kept.count == 2)
        let entries = try (0..<1000).map { _ in
            try server.context.auditLog.administration(
                AdministrationEvent.keysRotated, now: server.clock.now())
        }
        try await server.context.database.write { connection in
            for entry in entries { try entry.write(on: connection) }
        }
        try await server.flows.maintenance.run()
        #expect(archive.kept.count == 3)
        try await server.context.audit.checkpointTheRest()
        #expect(archive.kept.count == 3)
    }

    private static func withEmail(_ server: TestServer) async throws -> AccountReference {
        _ = try await server.account("mail") { $0.email = "mail@example.com" }
        return .username("mail", brand: nil)
    }

    @Test("A checkpoint that could not be stored is made again, and none is ever made for a log that does not verify")
    func refusedCheckpoints() async throws {
        let archive = CheckpointArchive()
        let server = try await TestServer.withHistory().restarted(archive: archive)
        archive.fill(true)
        await #expect(throws: AuditArchiveFailure.self) { try await server.flows.maintenance.run() }
        archive.fill(false)
        try await server.flows.maintenance.run()
        #expect(archive.kept.count == 1)

        try await server.administer(AdminRequest(["account", "deactivate"] + TestServer.ada.words))
        _ = try await server.context.database.write {
            try $0.execute("UPDATE security_events SET kind = 'x' WHERE kind = 'account.deactivated'", [])
        }
        server.clock.advance(by: .hours(2))
        await #expect(throws: Audit.Damaged.self) { try await server.flows.maintenance.run() }
        let asked = await server.flows.administration.execute(["audit", "checkpoint"])
        #expect(asked.status == .refused)
        #expect(archive.kept.count == 1)
    }

    @Test("After a new audit key the chain goes on, and old entries and checkpoints still verify")
    func rotation() async throws {
        let server = try await TestServer.withHistory()
        let file = server.path("checkpoints")
        let first = try await server.context.audit.checkpoint(now: server.clock.now())
        try await server.administer(["keys", "rotate", "audit"])
        try await server.administer(AdminRequest(["account", "deactivate"] + TestServer.ada.words))
        let second = try await server.context.audit.checkpoint(now: server.clock.now())
        try "\(first)\n\(second)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let verification = try await server.verifyAudit(checkpoints: file)
        #expect(verification.findings.isEmpty && verification.checkpoints == 2)
        let keys = try await server.administer(["audit", "key"])
        #expect(keys["keys"]?.array?.count == 2)
    }

    @Test(
        "A restored database continues after a recorded break, and one put in its place silently is found"
    )
    func restored() async throws {
        let server = try await TestServer.withHistory()
        let copy = server.path("copy.db")
        try await server.administer(["database", "backup", "--to", copy])
        try await server.administer(AdminRequest(["account", "deactivate"] + TestServer.ada.words))
        try await server.administer(AdminRequest(["account", "reactivate"] + TestServer.ada.words))
        let file = server.path("checkpoints")
        try await server.context.audit.checkpoint(now: server.clock.now())
            .write(toFile: file, atomically: true, encoding: .utf8)
        server.clock.advance(by: .minutes(5))

        let silent = try await server.restarted(from: copy)
        let found = try await silent.verifyAudit(checkpoints: file).findings
        #expect(found.count == 1, "\(found)")
        let restored = try await silent.restarted(epoch: 77, from: copy)
        let verification = try await restored.verifyAudit(checkpoints: file)
        #expect(verification.findings.isEmpty)
        #expect(verification.breaks.map { $0.lost.count } == [1])
        let answer = await restored.flows.administration.execute(["audit", "verify", "--checkpoints", file])
        #expect(answer.status == .done)
        #expect(answer.lines.first?.contains("2 of partition ") == true)
        try await restored.administer(AdminRequest(["account", "deactivate"] + TestServer.ada.words))
        #expect(try await restored.verifyAudit(checkpoints: file).findings.isEmpty)
    }

    @Test("A checkpoint that the disk has no room for says so, and what to do")
    func noRoom() async throws {
        let archive = CheckpointArchive()
        let server = try await TestServer.withHistory().restarted(archive: archive)
        archive.fill(true)
        let answer = await server.flows.administration.execute(["audit", "checkpoint"])
        #expect(answer.status == .refused)
        #expect(answer.lines == ["No checkpoint was made: the disk is full."])
    }

    @Test("Checkpoints hold after a restore of a copy that is older than the key that signed them")
    func restoredBeforeRotation() async throws {
        let server = try await TestServer.withHistory()
        let archive = CheckpointArchive(file: server.path("checkpoints"))
        let first = try await server.restarted(archive: archive)
        _ = try await first.context.audit.checkpoint(now: server.clock.now())
        let copy = server.path("copy.db")
        try await first.administer(["database", "backup", "--to", copy])
        for _ in 0..<2 { try await first.administer(["keys", "rotate", "audit"]) }
        try await first.administer(AdminRequest(["account", "deactivate"] + TestServer.ada.words))
        _ = try await first.context.audit.checkpoint(now: server.clock.now())
        server.clock.advance(by: .minutes(5))

        let keys = try await first.administer(["audit", "key"])
        let restored = try await first.restarted(epoch: 77, from: copy, archive: archive)
        // What the lost keys signed, such as evidence, is verified by the endorsements too.
        #expect(try await restored.administer(["audit", "key"])["keys"]?.array?.count == keys["keys"]?.array?.count)
        let verification = try await restored.verifyAudit()
        #expect(verification.findings.isEmpty, "\(verification.findings)")
        #expect(verification.checkpoints == 2)

        // A key that comes after the restore has the number of one that the restore lost, but a name of its own.
        try await restored.administer(["keys", "rotate", "audit"])
        try await restored.administer(AdminRequest(["account", "deactivate"] + TestServer.ada.words))
        _ = try await restored.context.audit.checkpoint(now: server.clock.now())
        let later = try await restored.verifyAudit()
        #expect(later.findings.isEmpty, "\(later.findings)")
        #expect(later.checkpoints == 3)
        let all = try #require(try await restored.administer(["audit", "key"])["keys"]?.array)
        let names = all.compactMap { $0.object?["kid"]?.string }
        #expect(names.count == 4 && Set(names).count == 4, "no name is used for two keys: \(names)")
    }

    @Test("attack: a key that no audit key endorsed signs nothing that counts", .threat("Tampering with the audit log"))
    func strangersKey() async throws {
        let server = try await TestServer.withHistory()
        let stranger = try AuditCheckpointKey(
            DataKey(id: KeyID(9), label: "audit", key: SymmetricKey(size: .bits256)))
        let endorsement = try stranger.sign(
            AuditKeyEndorsement(
                issuer: server.context.settings.issuer.rawValue, issuedAt: server.clock.now(), key: stranger.publicKey))
        let checkpoint = try stranger.sign(
            AuditCheckpoint(
                issuer: server.context.settings.issuer.rawValue, issuedAt: server.clock.now(), heads: []))
        let file = server.path("checkpoints")
        try "\(endorsement)\n\(checkpoint)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let found = try await server.verifyAudit(checkpoints: file).findings
        #expect(found == [1, 2].map { .badCheckpoint("the checkpoint in line \($0)") })
    }

    @Test(
        "A line torn by a power cut is a note and no fault, wherever it was torn",
        arguments: ["eyJ", "header", "payload", "signature", "zeros", "nothing but zeros", "zeros first"])
    func tornLines(at place: String) async throws {
        let server = try await TestServer.withHistory()
        let file = server.path("checkpoints")
        let good = try await server.context.audit.checkpoint(now: server.clock.now())
        let parts = good.split(separator: ".")
        let torn =
            switch place {
            case "header": String(good.prefix(parts[0].count / 2))
            case "payload": String(good.prefix(parts[0].count + parts[1].count / 2))
            case "signature": String(good.dropLast())
            case "zeros": String(good.prefix(parts[0].count)) + String(repeating: "\0", count: 40)
            case "zeros first": String(repeating: "\0", count: 40) + good.dropFirst(40)
            case "nothing but zeros": String(repeating: "\0", count: 40)
            default: "eyJ"
            }
        try "\(torn)\n\(good)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let verification = try await server.verifyAudit(checkpoints: file)
        #expect(verification.findings.isEmpty, "\(verification.findings)")
        #expect(verification.tornLines == 1)
        #expect(verification.checkpoints == 1)
        let answer = await server.flows.administration.execute(["audit", "verify", "--checkpoints", file])
        #expect(answer.status == .done)
        #expect(
            answer.lines.first?.hasPrefix("NOTE   1 line of the checkpoints was cut short") == true, "\(answer.lines)")
    }

    @Test(
        "attack: checkpoints whose newest lines, or whose whole file, were removed do not verify",
        .threat("Tampering with the audit log"))
    func takenAway() async throws {
        let first = try await TestServer.withHistory()
        let file = first.path("checkpoints")
        let server = try await first.restarted(archive: CheckpointArchive(file: file))
        for change in ["deactivate", "reactivate"] {
            try await server.administer(["account", change, "ada"])
            _ = try await server.context.audit.checkpoint(now: server.clock.now())
            server.clock.advance(by: .seconds(1))
        }
        #expect(try await server.verifyAudit().findings.isEmpty)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)

        try "\(lines[0])\n".write(toFile: file, atomically: true, encoding: .utf8)
        let cut = try await server.verifyAudit()
        #expect(cut.findings.count == 1)
        #expect(cut.findings.first?.description.contains("lacks the newest one that the database remembers") == true)
        // An auditor's own copy may lag behind.
        #expect(try await server.verifyAudit(checkpoints: file).findings.isEmpty)

        try "".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try await server.verifyAudit().findings.count == 1)
        let empty = try await server.verifyAudit(checkpoints: file)
        #expect(empty.findings.first?.description.hasPrefix("there is no checkpoint in the file") == true)

        try await server.context.database.write { try Meta.set("audit.checkpoint", to: "x", on: $0) }
        #expect(try await server.verifyAudit().findings == [.unknownNewestCheckpoint])
        try await server.context.database.write { try Meta.set("audit.checkpoint", to: String(lines[1]), on: $0) }

        try FileManager.default.removeItem(atPath: file)
        let answer = await server.flows.administration.execute(["audit", "verify"])
        #expect(answer.status == .refused)
        #expect(answer.lines.last?.hasPrefix("The audit log is NOT intact") == true)
    }
}

import Foundation
import Testing

@Suite(
    "The audit log of a running server", .threat("Tampering with the audit log"),
    .covers("an auditor checks the audit log without the server's program or keys"))
struct AuditLogTests {
    /// Deactivates and reactivates accounts as fast as commands can, and kills the server while they are under way.
    private func makeEvents(_ server: RunningServer, accounts: [String]) async {
        let (answered, answer) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskGroup(of: Void.self) { commands in
                    for account in accounts {
                        commands.addTask {
                            for command in ["deactivate", "reactivate", "deactivate", "reactivate"] {
                                let result = try? await server.administer(["account", command, account])
                                guard result?.succeeded == true else { return }
                                answer.yield()
                            }
                        }
                    }
                }
                answer.finish()
            }
            group.addTask {
                // The other accounts' commands are under way whenever one of them is answered.
                var left = Int.random(in: 1...8)
                for await _ in answered {
                    left -= 1
                    if left == 0 { break }
                }
                await server.crash()
            }
        }
    }

    /// The independent verifier, which knows the format from the documentation alone.
    private func verifyIndependently(
        _ folder: URL, copy: String, checkpoints: String
    ) async throws -> CommandResult {
        let script = Programs.repository.appending(path: "scripts/verify_audit.py")
        return try await ChildProcess.run(
            Programs.python, [script.path, copy, checkpoints, "keys.json"], folder: folder)
    }

    /// Copies the server's database into the file `copy.db` of its folder. With PostgreSQL the server is stopped for it.
    private func copyDatabase(of server: RunningServer) async throws {
        switch TestEngine.current {
        case .sqlite:
            try await server.require(["database", "backup", "--to", "copy.db"])
        case .postgresql:
            #expect(try await server.stop() == .exited(0))
            try await server.require(["database", "copy", "--to", "sqlite:copy.db"])
        }
    }

    /// Makes the files `copy.db`, with one entry as an attacker wrote it, and `keys.json`.
    private func makeCopy(of entry: String, in folder: TemporaryFolder) async throws {
        try Data(#"{"keys":[]}"#.utf8).write(to: folder.url.appending(path: "keys.json"))
        let columns = "chain, seq, id, account_id, client_id, kind, occurred_at, details_digest, details, salt, link"
        let make = """
            import sqlite3; c = sqlite3.connect('copy.db')
            c.execute("CREATE TABLE security_events (\(columns))")
            c.execute("INSERT INTO security_events VALUES (\(entry))")
            c.commit()
            """
        let made = try await ChildProcess.run(Programs.python, ["-c", make], folder: folder.url)
        #expect(made.succeeded, "\(made.errors)")
    }

    @Test(
        """
        kill -9 while changes are recorded leaves a log that the program and an independent verifier confirm; both \
        find what is changed in it afterwards
        """)
    func crashes() async throws {
        try await withServer { server in
            let accounts = ["ada", "eve", "kim"]
            for account in accounts { _ = try await server.makeAccount(account) }
            try Data(try await server.require(["audit", "key"]).utf8)
                .write(to: server.folder.appending(path: "keys.json"))
            for _ in 1...3 {
                await makeEvents(server, accounts: accounts)
                try await server.start()
                try await server.require(["audit", "verify"])
                try await server.require(["audit", "checkpoint"])
            }
            let tail = try await server.require(["audit", "tail", "--kind", "account.deactivated", "--limit", "2"])
            #expect(tail.split(separator: "\n").count { !$0.hasPrefix("There are more: ") } <= 2)
            #expect(tail.contains("account.deactivated"))

            try await copyDatabase(of: server)
            try FileManager.default.copyItem(
                at: server.folder.appending(path: "copy.db"), to: server.folder.appending(path: "earlier.db"))
            let checkpoints = server.file("checkpoints")
            let independent = try await verifyIndependently(server.folder, copy: "copy.db", checkpoints: checkpoints)
            #expect(independent.succeeded, "\(independent.output) \(independent.errors)")
            let all = try String(contentsOf: server.folder.appending(path: checkpoints), encoding: .utf8)
            try Data(all.prefix { $0 != "\n" }.utf8).write(to: server.folder.appending(path: "one"))
            let one = try await verifyIndependently(server.folder, copy: "copy.db", checkpoints: "one")
            #expect(one.output.hasSuffix(", 1 checkpoint, 0 faults"), "\(one.output)")

            // A file that an editor saved with CR LF is not the server's any more.
            try Data(all.replacing("\n", with: "\r\n").utf8).write(to: server.folder.appending(path: "crlf"))
            let saved = try await verifyIndependently(server.folder, copy: "copy.db", checkpoints: "crlf")
            #expect(saved.ending == .exited(1) && saved.output.contains("FAULT line 1"), "\(saved.output)")

            // With write access to the file, one letter of one entry is changed.
            let change = """
                import sqlite3; c = sqlite3.connect('copy.db')
                print(c.execute("UPDATE security_events SET kind = 'account.createx' \
                WHERE id = (SELECT id FROM security_events WHERE kind = 'account.created' LIMIT 1)").rowcount)
                c.commit()
                """
            let changed = try await ChildProcess.run(Programs.python, ["-c", change], folder: server.folder)
            #expect(changed.output == "1", "\(changed.errors)")
            let found = try await verifyIndependently(server.folder, copy: "copy.db", checkpoints: checkpoints)
            #expect(found.ending == .exited(1) && found.output.contains("FAULT"), "\(found.output) \(found.errors)")
            let offline = try await server.administer([
                "audit", "verify", "--database", "sqlite:copy.db", "--master-key-file", server.file("master-key"),
                "--checkpoints", checkpoints,
            ])
            #expect(offline.ending == .exited(1), "\(offline.errors)")
            #expect(offline.output.contains("FAULT  partition "))

            // The copy from before a checkpoint is not confirmed, and does not pass for a changed one either.
            _ = try await server.makeAccount("zoe")
            try await server.require(["audit", "checkpoint"])
            let early = try await verifyIndependently(server.folder, copy: "earlier.db", checkpoints: checkpoints)
            let faults = early.output.split(separator: "\n").filter { $0.hasPrefix("FAULT") }
            let reason = "the copy is older than this checkpoint, or entries are missing"
            #expect(early.ending == .exited(1) && !faults.isEmpty, "\(early.output)")
            #expect(faults.allSatisfy { $0.hasSuffix(reason) }, "\(early.output)")
        }
    }

    @Test(
        "After two restores of one backup the log has a break for the second, and the database that it replaced one for the first",
        .onlySQLite("PostgreSQL keeps no former database"))
    func twoRestores() async throws {
        try await withServer { server in
            _ = try await server.makeAccount("ada")
            try Data(try await server.require(["audit", "key"]).utf8)
                .write(to: server.folder.appending(path: "keys.json"))
            try await server.require(["database", "backup", "--to", "backup.db"])
            for _ in 1...2 {
                try await server.require(["account", "deactivate", "ada"])
                try await server.require(["audit", "checkpoint"])
                #expect(try await server.stop() == .exited(0))
                try await server.require(["database", "restore", "--from", "backup.db"])
                try await server.start()
            }
            let own = try await server.require(["audit", "verify"])
            #expect(own.components(separatedBy: "BREAK").count == 2 && !own.contains("FAULT"), "\(own)")
            try await copyDatabase(of: server)
            for copy in ["copy.db", "a.db.before-restore-2"] {
                let result = try await verifyIndependently(
                    server.folder, copy: copy, checkpoints: server.file("checkpoints"))
                let lines = result.output.split(separator: "\n")
                let faults = lines.filter { $0.hasPrefix("FAULT") }
                #expect(result.ending == .exited(1) && !faults.isEmpty, "\(copy): \(result.output)")
                #expect(
                    faults.allSatisfy {
                        $0.contains("ends before entry") || $0.contains("is not what it was at entry")
                    },
                    "\(copy): \(result.output)")
                let restores = lines.filter { $0.hasPrefix("NOTE") && $0.contains("restored from a copy") }
                #expect(restores.count == 1, "\(copy): \(result.output)")
            }
            let first = try await verifyIndependently(
                server.folder, copy: "a.db.before-restore-1", checkpoints: server.file("checkpoints"))
            #expect(!first.output.contains("restored from a copy"), "\(first.output)")
        }
    }

    @Test(
        """
        A file that is missing or of another kind is one line of the independent verifier that names it, and no traceback
        """, .onceForAllEngines)
    func otherFiles() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (keys, copy, named) in [
            ("no JSON", "copy.db", "keys.json"), ("[]", "copy.db", "keys.json"),
            (#"{"keys":[]}"#, "keys.json", "keys.json"),
            (#"{"keys":[]}"#, "copy.db", "copy.db"),
        ] {
            try Data(keys.utf8).write(to: folder.url.appending(path: "keys.json"))
            let result = try await verifyIndependently(folder.url, copy: copy, checkpoints: "checkpoints")
            #expect(result.ending == .exited(1))
            #expect(
                result.errors.split(separator: "\n").count == 1 && result.errors.hasPrefix(named), "\(result.errors)")
        }
    }

    @Test(
        """
        attack: an entry with values of other types than a server writes is one line of the independent verifier that names \
        the copy, and no traceback
        """, .onceForAllEngines,
        arguments: [
            "'zero', 1, zeroblob(16), NULL, NULL, 'a', 0, zeroblob(32), '{}', NULL, zeroblob(32)",
            "0, 1, zeroblob(16), NULL, NULL, 'a', 0, zeroblob(32), NULL, zeroblob(16), zeroblob(32)",
        ])
    func otherTypes(entry: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await makeCopy(of: entry, in: folder)
        let result = try await verifyIndependently(folder.url, copy: "copy.db", checkpoints: "checkpoints")
        #expect(result.ending == .exited(1))
        #expect(result.errorLines.count == 1 && result.errors.hasPrefix("copy.db"), "\(result.errors)")
    }

    @Test(
        """
        attack: an entry with a field of another length than a server writes, or with details but no salt, is reported \
        by the independent verifier in one line that names the entry, even after the last checkpoint
        """, .onceForAllEngines,
        arguments: [
            ("zeroblob(15), NULL, NULL, 'a', 0, zeroblob(32), '{}', NULL, zeroblob(32)", "wrong length: id"),
            (
                "zeroblob(16), zeroblob(17), NULL, 'a', 0, zeroblob(32), '{}', NULL, zeroblob(32)",
                "wrong length: account"
            ),
            ("zeroblob(16), NULL, NULL, 'a', 0, zeroblob(33), '{}', NULL, zeroblob(32)", "wrong length: digest"),
            ("zeroblob(16), NULL, NULL, 'a', 0, NULL, '{}', NULL, zeroblob(32)", "wrong length: digest"),
            ("zeroblob(16), NULL, NULL, 'a', 0, zeroblob(32), '{}', NULL, NULL", "wrong length: link"),
            ("zeroblob(16), NULL, NULL, 'a', 0, zeroblob(32), '{}', zeroblob(15), zeroblob(32)", "wrong length: salt"),
            (
                "zeroblob(16), NULL, NULL, 'a', 0, zeroblob(70000), '{}', NULL, zeroblob(31)",
                "wrong length: digest, link"
            ),
            (
                "zeroblob(16), NULL, NULL, hex(zeroblob(32768)), 0, zeroblob(32), '{}', NULL, zeroblob(32)",
                "wrong length: kind"
            ),
            (
                "zeroblob(16), NULL, hex(zeroblob(32768)), 'a', 0, zeroblob(32), '{}', NULL, zeroblob(32)",
                "wrong length: client"
            ),
            ("zeroblob(16), NULL, NULL, 'a', 0, zeroblob(32), '[]', NULL, zeroblob(32)", "its details were changed"),
        ])
    func otherLengths(entry: String, finding: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await makeCopy(of: "0, 1, \(entry)", in: folder)
        try Data().write(to: folder.url.appending(path: "checkpoints"))
        let result = try await verifyIndependently(folder.url, copy: "copy.db", checkpoints: "checkpoints")
        #expect(result.ending == .exited(1) && result.errors.isEmpty, "\(result.errors)")
        let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("FAULT partition") }
        #expect(lines == ["FAULT partition 0, entry 1: \(finding)"], "\(result.output)")
    }

    @Test(
        """
        The keys of the first day verify checkpoints after the audit key was rotated and a line was torn, by the program and \
        by an independent verifier, and an empty file does not pass
        """)
    func rotatedAndTorn() async throws {
        try await withServer { server in
            _ = try await server.makeAccount("ada")
            let checkpoints = server.folder.appending(path: server.file("checkpoints"))
            try Data(try await server.require(["audit", "key"]).utf8)
                .write(to: server.folder.appending(path: "keys.json"))
            try await server.require(["audit", "checkpoint"])
            try await server.require(["keys", "rotate", "audit"])
            // As a disk without room leaves it.
            let file = try FileHandle(forWritingTo: checkpoints)
            try file.seekToEnd()
            try file.write(contentsOf: Data("eyJhbGciOiJFUzI1NiIsInR5cCI6IndhbGxldGF1dGgtYXVkaXQ".utf8))
            try file.close()
            try await server.require(["audit", "checkpoint"])
            let holds = try await server.require(["audit", "verify"])
            #expect(holds.contains("NOTE   1 line of the checkpoints was cut short"), "\(holds)")
            try await copyDatabase(of: server)
            let lines = try String(contentsOf: checkpoints, encoding: .utf8).split(separator: "\n")
            // The server may have made one by itself.
            #expect(lines.count >= 4, "a checkpoint, the torn line, an endorsement, a checkpoint")
            let independent = try await verifyIndependently(
                server.folder, copy: "copy.db", checkpoints: checkpoints.lastPathComponent)
            #expect(independent.succeeded, "\(independent.output) \(independent.errors)")
            #expect(independent.output.hasPrefix("NOTE  line "), "\(independent.output)")
            #expect(independent.output.hasSuffix(", \(lines.count - 2) checkpoints, 0 faults"), "\(independent.output)")

            // As if the audit key had been rotated since the keys were exported.
            let keys = server.folder.appending(path: "keys.json")
            let exported = try String(contentsOf: keys, encoding: .utf8)
            try Data(exported.replacing(#""kid":""#, with: #""kid":"former-"#).utf8).write(to: keys)
            let unknown = try await verifyIndependently(
                server.folder, copy: "copy.db", checkpoints: checkpoints.lastPathComponent)
            #expect(unknown.ending == .exited(1))
            #expect(
                unknown.output.contains(
                    "not one of those given: after a restore or a rotation of the audit key, export"),
                "\(unknown.output)")
            try Data(exported.utf8).write(to: keys)

            try Data().write(to: server.folder.appending(path: "empty"))
            let empty = try await verifyIndependently(server.folder, copy: "copy.db", checkpoints: "empty")
            #expect(empty.ending == .exited(1))
            let own = try await server.administer(["audit", "verify", "--checkpoints", "empty"])
            #expect(own.ending == .exited(1))
        }
    }
}

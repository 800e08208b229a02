import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Rotating the master key", .threat("A stolen database or file system access"))
struct MasterKeyRotationTests {
    private static let command: AdminRequest = ["keys", "rotate-master"]

    private func wrapped(_ server: TestServer) async throws -> [DataKeyRecord] {
        try await server.context.database.read { try DataKeys.all(on: $0) }
    }

    private func name(_ byte: UInt8) throws -> String { try TestServer.masterKeys(byte).first.id.masterKeyName }

    private func use(_ server: TestServer) async throws -> [String: Int64] {
        let listed = try await server.administer(["keys", "list"])["masterKeys"]?.array ?? []
        return Dictionary(
            uniqueKeysWithValues: listed.compactMap { $0.object }.map {
                ($0["keyId"]?.string ?? "", $0["dataKeys"]?.integer ?? 0)
            })
    }

    @Test(
        "Afterwards the new key alone opens what was sealed under every purpose, the old one nothing, and people stay signed in"
    )
    func rotated() async throws {
        var server = try await TestServer.start()
        let sealed = try KeyPurpose.allCases.map {
            try server.context.sealing.seal([1, 2, 3], for: $0, context: "test")
        }
        let client = try await server.bearerClient()
        let session = try await client.signIn(server.account())
        let before = try await wrapped(server)

        server = try await server.restarted(masterKeys: TestServer.masterKeys(8, 7))
        #expect(try await use(server) == [name(8): 0, name(7): Int64(before.count)])
        let answer = await server.flows.administration.execute(Self.command)
        #expect(answer.lines.first == "Wrapped \(before.count) keys under the master key \(try name(8)).")
        #expect(
            answer.lines.contains { $0.contains("does not need \((try? name(7)) ?? "?") any more") }, "\(answer.lines)")
        #expect(try await use(server) == [name(8): Int64(before.count), name(7): 0])
        let after = try await wrapped(server)
        #expect(zip(before, after).allSatisfy { $0.wrapped != $1.wrapped && $0.kid == $1.kid })

        server = try await server.restarted(masterKeys: TestServer.masterKeys(8))
        for (purpose, sealed) in zip(KeyPurpose.allCases, sealed) {
            #expect(server.context.sealing.open(sealed, for: purpose, context: "test") == [1, 2, 3], "\(purpose)")
        }
        _ = try await client.at(server).refresh(try #require(session.refreshToken)).tokens()
        #expect(try await server.verifyAudit().findings.isEmpty)

        let fault = await #expect(throws: MasterKeyFault.self) {
            _ = try await server.restarted(masterKeys: TestServer.masterKeys(7))
        }
        #expect(
            fault?.description
                == "the database's keys are wrapped under the master key \(try name(8)); the configured one is \(try name(7))"
        )
    }

    @Test("Nothing is left to do while the first key wraps everything already, and the answer says how to begin")
    func current() async throws {
        let server = try await TestServer.start()
        let before = try await wrapped(server)
        let answer = await server.flows.administration.execute(Self.command)
        #expect(answer.status == .done)
        #expect(answer.lines.first?.hasPrefix("Nothing is left to do") == true)
        #expect(answer.lines.last?.contains("put a new key before it") == true)
        #expect(try answer.document()["dataKeys"]?.integer == 0)
        #expect(try await wrapped(server) == before)
    }

    @Test("A new key in the configuration that the running server has not read is no rotation that is done already")
    func beforeRestart() async throws {
        let server = try await TestServer.start()
        func execute(knowing name: String) async -> AdministrationAnswer {
            await server.flows.administration.execute(AdminRequest(Self.command.words, input: name))
        }
        let key = try name(8)
        let early = await execute(knowing: key)
        #expect(early.refusal?.code == "servers_lack_key")
        #expect(early.refusal?.message.contains(key) == true)
        #expect(early.refusal?.hint?.contains("Restart") == true)
        #expect(try await execute(knowing: name(7)).status == .done)
        // A shell with the former setting does not hold up a server that has both.
        let both = try await server.restarted(masterKeys: TestServer.masterKeys(8, 7))
        let rotated = try await both.flows.administration.execute(AdminRequest(Self.command.words, input: name(7)))
        #expect(rotated.lines.first?.hasPrefix("Wrapped") == true, "\(rotated.lines)")
    }

    @Test("New keys are wrapped as the others are until the rotation, so that servers without the new key open them")
    func newDataKey() async throws {
        let server = try await TestServer.start().restarted(masterKeys: TestServer.masterKeys(8, 7))
        try await server.administer(["keys", "rotate", "refresh"])
        let count = Int64(try await wrapped(server).count)
        #expect(try await use(server) == [name(8): 0, name(7): count])
        try await server.administer(Self.command)
        try await server.administer(["keys", "rotate", "refresh"])
        #expect(try await use(server) == [name(8): count + 1, name(7): 0])
    }

    @Test(
        "A key that is added at the same moment, before or after, is wrapped under the new one too",
        arguments: [true, false])
    func addedMeanwhile(isFirst: Bool) async throws {
        let server = try await TestServer.start().restarted(masterKeys: TestServer.masterKeys(8, 7))
        let count = try await wrapped(server).count
        let commands: [AdminRequest] = [Self.command, ["keys", "rotate", "refresh"]]
        server.beforeNextWrite { try await server.administer(commands[isFirst ? 1 : 0]) }
        try await server.administer(commands[isFirst ? 0 : 1])
        #expect(try await use(server) == [name(8): Int64(count + 1), name(7): 0])
        // Each is what its process believes it to be.
        let restarted = try await server.restarted(masterKeys: TestServer.masterKeys(8))
        #expect(try restarted.context.keyRing.active(.refresh).id == KeyID(2))
    }

    @Test("A rotation whose commit is lost has changed nothing, and is made by the next one")
    func lostCommit() async throws {
        let server = try await TestServer.start().restarted(masterKeys: TestServer.masterKeys(8, 7))
        let before = try await wrapped(server)
        server.undoNextWrite { throw StoreError(.unavailable, "no response") }
        let lost = await server.flows.administration.execute(Self.command)
        #expect(lost.refusal?.code == StoreError.Code.unavailable.rawValue)
        #expect(try await wrapped(server) == before)
        try await server.administer(Self.command)
        #expect(try await use(server)[name(8)] == Int64(before.count))
        let tail = try await server.administer(["audit", "tail", "--kind", "master_key.rotated"])
        let details = tail["entries"]?.array?.compactMap { $0.object?["details"]?.object }
        #expect(details?.map { $0["keyId"]?.string } == [try name(8)])
        #expect(details?.map { $0["formerKeyIds"]?.strings } == [[try name(7)]])
        #expect(details?.map { $0["dataKeys"]?.integer } == [Int64(before.count)])
    }

    @Test("It is in the audit log, or does not happen")
    func audited() async throws {
        let server = try await TestServer.start().restarted(masterKeys: TestServer.masterKeys(8, 7))
        let before = try await wrapped(server)
        try await server.context.database.write { connection in
            try connection.define(
                """
                CREATE TRIGGER refusing BEFORE INSERT ON security_events BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
        let refused = await server.flows.administration.execute(Self.command)
        #expect(refused.status == .refused)
        #expect(try await wrapped(server) == before)
    }

    @Test("A key that opens under none of them is named, and nothing is changed")
    func damaged() async throws {
        let server = try await TestServer.start().restarted(masterKeys: TestServer.masterKeys(8, 7))
        try await server.context.database.write { connection in
            _ = try connection.execute(
                "UPDATE data_keys SET wrapped = $1 WHERE purpose = $2",
                [.blob([UInt8](repeating: 1, count: 80)), .text("totp")])
        }
        let before = try await wrapped(server)
        let refused = await server.flows.administration.execute(Self.command)
        #expect(refused.refusal?.code == "master_key_unknown")
        #expect(
            refused.refusal?.message.contains("of the database's \(before.count) keys, totp 1 is wrapped under")
                == true)
        #expect(try await wrapped(server) == before)
    }

    @Test(
        "What was wrapped before master keys had ids opens, more is wrapped alike, and a rotation gives all of it the id"
    )
    func unnamed() async throws {
        var server = try await TestServer.start()
        let keys = try TestServer.masterKeys()
        let records = try await wrapped(server)
        let former = try records.map { record in
            let bytes = try #require(keys.opened(record)?.bytes)
            return try keys.first.wrap(
                bytes, purpose: record.purpose, kid: record.kid, as: MasterKey.unnamed,
                nonce: server.context.random.bytes(Sealing.nonceLength))
        }
        try await server.context.database.write { connection in
            for (record, wrapped) in zip(records, former) { try DataKeys.rewrap(record, as: wrapped, on: connection) }
        }
        await #expect(throws: MasterKeyFault.self) {
            _ = try await server.restarted(masterKeys: TestServer.masterKeys(8))
        }
        server = try await server.restarted()
        try await server.administer(["keys", "rotate", "refresh"])
        #expect(try await wrapped(server).allSatisfy { $0.wrappingID == MasterKey.unnamed })
        try await server.administer(Self.command)
        #expect(try await wrapped(server).allSatisfy { $0.wrappingID == keys.first.id })
    }

    @Test(
        "While one key is wrapped under the former master key, no new one is made: the refusal names both and the command",
        .timeLimit(.minutes(5)))
    func mixed() async throws {
        let server = try await TestServer.start().restarted(masterKeys: TestServer.masterKeys(8, 7))
        let former = try #require(try await wrapped(server).last)
        try await server.administer(Self.command)
        try await server.context.database.write { try DataKeys.rewrap(former, as: former.wrapped, on: $0) }
        let before = try await wrapped(server)
        let names = try [name(7), name(8)].sorted().joined(separator: " and ")
        for purpose in ["refresh", "all"] {
            let refused = await server.flows.administration.execute(["keys", "rotate", purpose])
            #expect(refused.refusal?.code == "master_keys_mixed")
            #expect(
                refused.refusal?.message == "No new key can be made: the data keys are wrapped under the master keys "
                    + "\(names); run `walletauth keys rotate-master`.")
        }
        #expect(try await wrapped(server) == before)
        let listed = await server.flows.administration.execute(["keys", "list"])
        #expect(listed.lines.last?.hasSuffix("these are wrapped under the master keys \(names).") == true)
        try await server.administer(Self.command)
        try await server.administer(["keys", "rotate", "refresh"])
        #expect(try await use(server) == [name(8): Int64(before.count + 1), name(7): 0])
    }

    // MARK: Several servers

    /// Waits until so many servers have recorded their master keys.
    private func recorded(_ count: Int, by processes: TwoProcesses) async throws {
        let (database, now) = (processes.first.context.database, processes.clock.now())
        #expect(
            try await becomesTrue { try await database.read { try ServingProcess.all(at: now, on: $0).count } == count }
        )
    }

    @Test("A server that lacks the new key is named, and nothing is changed until it has ended or has the key")
    func lackingServer() async throws {
        try await TwoProcesses.run(masterKeys: (nil, TestServer.masterKeys(8, 7))) { processes in
            try await recorded(2, by: processes)
            let before = try await wrapped(processes.second)
            let refused = await processes.second.flows.administration.execute(Self.command)
            #expect(refused.refusal?.code == "servers_lack_key")
            let lacking = try #require(processes.first.context.database.group?.name)
            #expect(refused.refusal?.message.contains(lacking) == true, "\(refused.lines)")
            let complete = try #require(processes.second.context.database.group?.name)
            #expect(refused.refusal?.message.contains(complete) == false, "\(refused.lines)")
            #expect(try await wrapped(processes.second) == before)
            // It was killed, and is silent.
            processes.clock.advance(by: ServingProcess.lifetime)
            try await processes.second.administer(Self.command)
            #expect(try await use(processes.second)[name(8)] == Int64(before.count))
        }
    }

    @Test("Servers that have both keys go on, learn what is made afterwards, and need the new one alone")
    func followed() async throws {
        let both = try TestServer.masterKeys(8, 7)
        try await TwoProcesses.run(masterKeys: (both, both)) { processes in
            try await recorded(2, by: processes)
            let sealed = try processes.second.context.sealing.seal([1], for: .personal, context: "test")
            try await processes.first.administer(Self.command)
            try await processes.first.administer(["keys", "rotate", "refresh"])
            #expect(
                try await becomesTrue {
                    processes.second.context.keyRing.key(.refresh, KeyID(2), at: processes.clock.now()) != nil
                })
            let third = try await TestServer.process(
                on: processes.string, clock: processes.clock, masterKeys: TestServer.masterKeys(8))
            #expect(third.context.sealing.open(sealed, for: .personal, context: "test") == [1])
            await third.close()
            await #expect(throws: MasterKeyFault.self) {
                _ = try await TestServer.process(on: processes.string, clock: processes.clock)
            }
        }
    }

    @Test("Of two rotations at once one is made, and the other finds nothing to do")
    func twoAtOnce() async throws {
        let both = try TestServer.masterKeys(8, 7)
        try await TwoProcesses.run(masterKeys: (both, both)) { processes in
            async let one = processes.first.flows.administration.execute(Self.command)
            async let other = processes.second.flows.administration.execute(Self.command)
            let answers = await [one, other]
            #expect(answers.map(\.status) == [.done, .done], "\(answers.map(\.lines))")
            #expect(answers.count { $0.lines.first?.hasPrefix("Nothing is left to do") == true } == 1)
            let tail = try await processes.first.administer(["audit", "tail", "--kind", "master_key.rotated"])
            #expect(tail["entries"]?.array?.count == 1)
        }
    }
}

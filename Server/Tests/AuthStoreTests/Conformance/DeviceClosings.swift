import Kernel
import SignIn
import Store
import Testing

@Suite struct DeviceClosings {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let id = Sample.id(88)

    /// A database with one device that failures closed.
    private func closed(_ engine: EngineUnderTest) async throws -> any Database {
        let database = try await engine.furnished(scratch)
        let device = DeviceRecord(
            id: Self.id, accountID: Sample.account, clientID: Sample.client, name: [1], platform: "ios",
            signingKey: [UInt8](repeating: 3, count: 64), thumbprint: Sample.digest(8),
            dpopThumbprint: Sample.digest(7),
            keyStorage: .software, instance: .exempt, createdAt: .start, coolingUntil: .start)
        let moved = try await database.write { connection in
            _ = try Devices.enroll(device, version: 1, limit: 5, on: connection)
            return try Devices.move(
                Self.id, from: [.active], to: .deactivated, by: .failures, because: .deviceClosed, now: .start,
                on: connection)
        }
        #expect(moved)
        return database
    }

    private func device(_ database: any Database) async throws -> DeviceRecord {
        try #require(try await database.read { try Devices.find(Self.id, on: $0) })
    }

    @Test(
        "Of 64 reopenings at once one opens it; an operator's closing takes over, and is reopened by none",
        arguments: EngineUnderTest.all)
    func reopening(engine: EngineUnderTest) async throws {
        let database = try await closed(engine)
        #expect(try await device(database).deactivatedBy == .failures)
        let opened = try await concurrently(64) { _ in
            try await database.write { try Devices.reopen(Self.id, now: .start, on: $0) }
        }
        #expect(opened.count { $0 } == 1)
        #expect(try await device(database).state == .active)
        #expect(try await device(database).deactivatedBy == nil)
        let closings = try await database.write { connection in
            try [DeactivationCause.failures, .operator, .operator].map { cause in
                try Devices.move(
                    Self.id, from: [.active, .suspended], to: .deactivated, by: cause, because: .deviceClosed,
                    now: .start, on: connection)
            }
        }
        #expect(closings == [true, true, false])
        #expect(try await device(database).deactivatedBy == .operator)
        let again = try await database.write { try Devices.reopen(Self.id, now: .start, on: $0) }
        #expect(!again)
    }

    @Test(
        "A recovery sets a password only while its device is in the state that was judged",
        arguments: EngineUnderTest.all)
    func guarded(engine: EngineUnderTest) async throws {
        let database = try await closed(engine)
        let judged = try await device(database)
        var (open, elsewhere, foreign) = (judged, judged, judged)
        (open.state, open.deactivatedBy) = (.active, nil)
        elsewhere.deactivatedBy = .operator
        foreign.id = Sample.id(89)
        for other in [open, elsewhere, foreign] {
            let refused = try await database.write {
                try Accounts.recover(
                    Sample.account, to: [9], expecting: 1, asOn: other, coolingUntil: nil, now: .start, on: $0)
            }
            #expect(refused == nil)
        }
        let raised = try await concurrently(32) { _ in
            try await database.write {
                try Accounts.recover(
                    Sample.account, to: [9], expecting: 1, asOn: judged, coolingUntil: nil, now: .start, on: $0)
            }
        }
        #expect(raised.compactMap { $0 } == [2])
    }
}

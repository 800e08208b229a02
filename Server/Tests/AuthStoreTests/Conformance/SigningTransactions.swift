import Core
import Kernel
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Transactions

/// The rows of transactions that people sign, on every engine.
@Suite struct SigningTransactions {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let device = Sample.id(88)
    private static let later = Timestamp.start + .minutes(1)

    private static func deviceID() throws -> DeviceID { try DeviceID(device.uuid) }

    /// A database with an account and one device.
    private func database(_ engine: EngineUnderTest) async throws -> any Database {
        let database = try await engine.furnished(scratch)
        let device = DeviceRecord(
            id: Self.device, accountID: Sample.account, clientID: Sample.client, name: [1], platform: "ios",
            signingKey: [UInt8](repeating: 3, count: 64), thumbprint: Sample.digest(8),
            dpopThumbprint: Sample.digest(7), keyStorage: .software, instance: .exempt, createdAt: .start,
            coolingUntil: .start)
        try await database.write { _ = try Devices.enroll(device, version: 1, limit: 5, on: $0) }
        return database
    }

    private static func record(
        _ number: Int, _ phase: TransactionState.Phase = .created, origin: TransactionOrigin = .server,
        client: String = Sample.client, key: String? = nil, at created: Timestamp = .start
    ) throws -> TransactionRecord {
        let state = TransactionState(
            phase: phase, expiresAt: created + .minutes(5), requiredSecondFactor: number % 2 == 0 ? .pin : .any)
        let id = try #require(UniqueID.timeOrdered(created, Sample.id(number).bytes))
        var record = TransactionRecord(
            id: id, origin: origin, clientID: client, brandID: "default", issuer: "https://id.example.com",
            createKey: key, accountID: Sample.account, state: state, sealed: [1, 2, UInt8(number)],
            createdAt: created, keptUntil: created + .days(30))
        if state.device != nil {
            record.payload = TransactionRecord.Payload(sealed: [3, 4], hash: .transaction([UInt8(number)]))
        }
        if case .signed = phase { record.assertion = [5, 6] }
        return record
    }

    private static func phases() throws -> [TransactionState.Phase] {
        let device = try deviceID()
        return [
            .created, .claimed(by: device), .confirmed(by: device), .signed(by: device, with: .biometric, at: later),
            .rejected(by: device, .unexpected, at: later), .failed(by: device, at: later),
            .cancelled(claimedBy: nil, .backend, at: later), .cancelled(claimedBy: device, .restore, at: later),
        ]
    }

    @Test("A transaction is read as it was written, in each of its states", arguments: EngineUnderTest.all)
    func roundTrip(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        for (number, phase) in try Self.phases().enumerated() {
            let record = try Self.record(number, phase, key: "key-\(number)")
            let (added, found, byKey) = try await database.write { connection in
                (
                    try Transactions.add(record, on: connection), try Transactions.find(record.id, on: connection),
                    try Transactions.find(key: "key-\(number)", of: Sample.client, on: connection)
                )
            }
            #expect(added == .added)
            #expect(found == record)
            #expect(byKey == record)
        }
    }

    @Test("A step is written over the row that it was decided by, and over no other", arguments: EngineUnderTest.all)
    func guarded(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let created = try Self.record(1)
        try await database.write { _ = try Transactions.add(created, on: $0) }
        let ends = try Array(Self.phases().suffix(2))
        let saved = try await concurrently(64) { number in
            var record = created
            record.state.phase = ends[number % ends.count]
            if record.state.device != nil {
                record.payload = TransactionRecord.Payload(sealed: [3], hash: .transaction([3]))
            }
            return try await database.write { [record] in try Transactions.save(record, over: created, on: $0) }
        }
        #expect(saved.count { $0 } == 1)
        #expect(try await database.read { try Transactions.find(created.id, on: $0)?.revision } == 2)
    }

    @Test("Each step stores what it changes, and keeps the rest", arguments: EngineUnderTest.all)
    func writes(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        var record = try Self.record(1)
        record.accountID = nil
        record.isAddressed = false
        try await database.write { [record] in _ = try Transactions.add(record, on: $0) }
        for phase in try Self.phases()[1...3] {
            let former = record
            record.state.phase = phase
            switch phase {
            case .claimed:
                record.accountID = Sample.account
                record.payload = TransactionRecord.Payload(sealed: [3, 4], hash: .transaction([1]))
            case .signed:
                record.assertion = [5, 6]
                record.keptUntil = record.keptUntil + .days(1)
            default: break
            }
            let (isSaved, found) = try await database.write { [record] connection in
                (
                    try Transactions.save(record, over: former, on: connection),
                    try Transactions.find(record.id, on: connection)
                )
            }
            record.revision += 1
            #expect(isSaved)
            #expect(found == record)
        }
    }

    @Test("A client uses an Idempotency-Key once, and another client may use the same", arguments: EngineUnderTest.all)
    func keys(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let added = try await concurrently(16) { number in
            let record = try Self.record(number, key: "key")
            return try await database.write { try Transactions.add(record, on: $0) }
        }
        #expect(added.count { $0 == .added } == 1)
        let other = try Self.record(99, client: "other", key: "key")
        #expect(try await database.write { try Transactions.add(other, on: $0) } == .added)
        #expect(try await database.write { try Transactions.add(other, on: $0) } == .taken)
    }

    @Test(
        "Lists are in the order of creation, page by page, and tell open from expired by the time",
        arguments: EngineUnderTest.all)
    func lists(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let phases = try Self.phases()
        var records: [TransactionRecord] = []
        for number in 0..<24 {
            let origin: TransactionOrigin = number == 3 ? .client : .server
            let created = Timestamp.start + .minutes(Int64(number))
            records.append(
                try Self.record(number, phases[number % phases.count], origin: origin, at: created))
        }
        let all = records
        try await database.write { connection in
            for record in all.shuffled() { _ = try Transactions.add(record, on: connection) }
        }
        func list(
            _ owner: Transactions.Owner, _ filter: Transactions.Filter = Transactions.Filter(),
            after cursor: UniqueID? = nil, limit: Int = 100
        ) async throws -> [TransactionRecord] {
            try await database.read {
                try Transactions.list(
                    of: owner, filter, after: cursor, limit: limit, now: .start + .minutes(20), on: $0)
            }
        }
        let own = records.filter { $0.origin == .server }
        #expect(try await list(.client(Sample.client)) == own)
        #expect(try await list(.client("other")).isEmpty)
        #expect(try await list(.appsOfBrand("default")) == [records[3]])
        #expect(try await list(.account(Sample.account)) == records)
        #expect(try await list(.device(Self.device)) == records.filter { $0.state.device != nil })
        var pages: [TransactionRecord] = []
        while true {
            let page = try await list(.client(Sample.client), after: pages.last?.id, limit: 5)
            pages += page
            if page.count < 5 { break }
        }
        #expect(pages == own)
        for status in TransactionStatus.allCases {
            let expected = own.filter { $0.state.status(at: .start + .minutes(20)) == status }
            #expect(try await list(.client(Sample.client), Transactions.Filter(statuses: [status])) == expected)
        }
        let since = Transactions.Filter(account: Sample.account, since: .start + .minutes(10))
        #expect(try await list(.client(Sample.client), since) == own.filter { $0.createdAt >= .start + .minutes(10) })
        #expect(try await list(.client(Sample.client), Transactions.Filter(account: Sample.id(7))).isEmpty)
    }

    @Test("The open transactions of an account are counted, with the end of the first", arguments: EngineUnderTest.all)
    func counts(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        try await database.write { connection in
            for (number, phase) in try Self.phases().enumerated() {
                _ = try Transactions.add(Self.record(number, phase), on: connection)
            }
        }
        let (count, end) = try await database.read {
            try Transactions.open(of: Sample.account, client: Sample.client, now: Self.later, on: $0)
        }
        #expect(count == 3)
        #expect(end == .start + .minutes(5))
        let expired = try await database.read {
            try Transactions.open(
                of: Sample.account, client: Sample.client, now: .start + .minutes(5), on: $0)
        }
        #expect(expired.count == 0)
        #expect(expired.firstEnd == nil)
    }

    @Test(
        "What a device began by itself counts from its signature, not from its draft", arguments: EngineUnderTest.all)
    func begun(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let signedAt = Timestamp.start + .minutes(4)
        var record = try Self.record(
            1, .signed(by: Self.deviceID(), with: .biometric, at: signedAt), origin: .client)
        // The id has the time of the draft.
        record.createdAt = signedAt
        try await database.write { [record] in _ = try Transactions.add(record, on: $0) }
        let (counted, late) = try await database.read { connection in
            (
                try Transactions.begun(on: Self.device, since: signedAt, connection: connection),
                try Transactions.begun(on: Self.device, since: signedAt + .milliseconds(1), connection: connection)
            )
        }
        #expect(counted.count == 1 && counted.first == signedAt)
        #expect(late.count == 0 && late.first == nil)
    }

    @Test(
        "Open transactions are looked for among the newest alone, however long the history of an account or a device is",
        arguments: EngineUnderTest.all)
    func history(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let now = Timestamp.start + .days(1)
        let newest = try Self.record(1, .claimed(by: Self.deviceID()), at: now - .minutes(1))
        // No transaction is open for as long as this one: it represents a history that is not read.
        var old = try Self.record(2, .claimed(by: Self.deviceID()))
        old.state = TransactionState(
            phase: old.state.phase, expiresAt: now + .minutes(5), requiredSecondFactor: .any)
        try await database.write { [old] connection in
            for record in [newest, old] { _ = try Transactions.add(record, on: connection) }
        }
        try await database.read { connection in
            let open = try Transactions.open(of: Sample.account, client: Sample.client, now: now, on: connection)
            #expect(open.count == 1)
            let listed = try Transactions.list(
                of: .device(Self.device), Transactions.Filter(statuses: [.claimed, .confirmed]), after: nil, limit: 10,
                now: now, on: connection)
            #expect(listed == [newest])
            let all = try Transactions.list(
                of: .device(Self.device), Transactions.Filter(statuses: [.claimed, .signed]), after: nil, limit: 10,
                now: now, on: connection)
            #expect(all.count == 2)
        }
    }

    @Test(
        "The removal of a device cancels what it had claimed and not ended, and nothing else",
        arguments: EngineUnderTest.all)
    func removedDevice(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let records = try Self.phases().enumerated().map { try Self.record($0, $1) }
        try await database.write { connection in
            for record in records { _ = try Transactions.add(record, on: connection) }
            _ = try Devices.remove(
                Self.device, of: Sample.account, with: Sample.dependents, now: Self.later, on: connection)
        }
        for record in records {
            let found = try #require(try await database.read { try Transactions.find(record.id, on: $0) })
            switch record.state.phase {
            case .claimed(let device), .confirmed(let device):
                #expect(
                    found.state.phase == .cancelled(claimedBy: device, .deviceRemoved, at: Self.later))
                #expect(found.revision == 2)
            default: #expect(found == record)
            }
        }
    }

    @Test("A restore cancels what is open in the copy, and leaves what had ended", arguments: EngineUnderTest.all)
    func restored(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let records = try Self.phases().enumerated().map { try Self.record($0, $1) }
        try await database.write { connection in
            for record in records { _ = try Transactions.add(record, on: connection) }
        }
        for (table, effect) in Schema.restoreEffects where table.hasPrefix("transaction") {
            try await effect.apply(
                to: table, in: database, now: Self.later, coolingUntil: Self.later + .hours(24), batch: 2)
        }
        for record in records {
            let found = try #require(try await database.read { try Transactions.find(record.id, on: $0) })
            guard record.state.endedAt == nil else {
                #expect(found == record)
                continue
            }
            #expect(found.state.phase == .cancelled(claimedBy: record.state.device, .restore, at: Self.later))
        }
    }

    @Test(
        "Steps stay in their order; an erasure takes the circumstances, and the sweep the rows with their steps",
        arguments: EngineUnderTest.all)
    func steps(engine: EngineUnderTest) async throws {
        let database = try await database(engine)
        let record = try Self.record(1, Self.phases()[3])
        let kept = try Self.record(2, at: .start + .days(1))
        let steps = [TransactionStatus.created, .claimed, .confirmed, .signed].enumerated().map { number, status in
            TransactionSteps.Record(
                status: status, circumstances: [9],
                place: AuditHead.Place(
                    partition: AuditPartition.all[0], sequence: Int64(number), link: [1, UInt8(number)]),
                at: .start + .seconds(number))
        }
        try await database.write { connection in
            _ = try Transactions.add(record, on: connection)
            _ = try Transactions.add(kept, on: connection)
            for step in steps {
                try TransactionSteps.add(step, to: record.id, on: connection)
                try TransactionSteps.add(step, to: kept.id, on: connection)
            }
        }
        #expect(try await database.read { try TransactionSteps.all(of: record.id, on: $0) } == steps)
        try await database.write { try TransactionSteps.eraseCircumstances(of: Sample.account, on: $0) }
        let erased = try await database.read { try TransactionSteps.all(of: record.id, on: $0) }
        #expect(erased.map(\.circumstances) == [nil, nil, nil, nil])
        #expect(erased.map(\.place) == steps.map(\.place))
        _ = try await Sweep.run(database, now: .start + .days(30))
        #expect(try await database.read { try Transactions.find(record.id, on: $0) } == nil)
        #expect(try await database.read { try TransactionSteps.all(of: record.id, on: $0) }.isEmpty)
        #expect(try await database.read { try Transactions.find(kept.id, on: $0) } == kept)
        #expect(try await database.read { try TransactionSteps.all(of: kept.id, on: $0) }.count == 4)
    }
}

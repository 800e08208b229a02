import Foundation
import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

@Suite("The history of what was signed on this phone", .threat("The history on a phone"))
struct HistoryTests {
    @Test(
        "Signed, rejected and expired transactions are listed, newest first, with what was shown and the factor",
        .covers("history of signed"))
    func outcomes() async throws {
        let till = try await Till()
        let none = try await till.wallet.transactions.history()
        #expect(none.isEmpty)
        _ = await Person().follow(try till.wallet.flows.start(with: till.code()))
        till.world.clock.advance(by: .seconds(10))
        _ = await Person(confirms: { $0.reject(.wrongData) }).follow(try till.wallet.flows.start(with: till.code()))
        let late = Person(confirms: { question in
            till.world.clock.advance(by: .seconds(301))
            question.confirm()
        })
        #expect(await late.follow(try till.wallet.flows.start(with: till.code())).error?.transactionStatus == .expired)
        till.world.clock.advance(by: .seconds(10))
        let own = try till.wallet.transactions.create(ClientTransaction(requiredSecondFactorType: .biometric))
        _ = await Person().follow(own)

        let history = try await till.wallet.transactions.history()
        #expect(history.map(\.outcome) == [.approved, .expired, .rejected, .approved])
        #expect(history.map(\.kind) == Array(repeating: .transaction, count: 4))
        #expect(history.map(\.secondFactor) == [.deviceBiometric, nil, nil, .deviceBiometric])
        #expect(history.map(\.rejectionReason) == [nil, nil, .wrongData, nil])
        #expect(history.map(\.payeeName) == [nil, "Café Zürich", "Café Zürich", "Café Zürich"])
        #expect(history.map(\.amount?.minorUnits) == [nil, 1250, 1250, 1250])
        #expect(history.map(\.type) == [nil, "PURCHASE", "PURCHASE", "PURCHASE"])
        #expect(Set(history.map(\.account.rawValue)) == [Shop.alice])
        #expect(history.last?.transactionID == till.world.server.transactions.first?.id)
        #expect(zip(history, history.dropFirst()).allSatisfy { $0.date > $1.date })
    }

    @Test("A flow that the person leaves before the transaction expires is not in the history; later it has expired")
    func left() async throws {
        let till = try await Till()
        let code = try till.code()
        _ = await Person(confirms: { $0.cancel() }).follow(try till.wallet.flows.start(with: code))
        let before = try await till.wallet.transactions.history()
        #expect(before.isEmpty)
        let late = Person(confirms: { question in
            till.world.clock.advance(by: .seconds(301))
            question.cancel()
        })
        _ = await late.follow(try till.wallet.flows.start(with: code))
        let after = try await till.wallet.transactions.history()
        #expect(after.map(\.outcome) == [.expired])
    }

    @Test(
        "A signature without a response is unconfirmed, also when time runs out; scanning again tells what became of it"
    )
    func unconfirmed() async throws {
        let till = try await Till()
        let code = try till.code()
        let id = try #require(till.world.server.transactions.first).id
        till.world.server.inject(.loseAnswer, at: Endpoints.transactionSignature.path(id), times: 10)
        async let left = Person().follow(try till.wallet.flows.start(with: code))
        await till.passPauses(2)
        #expect(try await left.words.last == "failed")
        let open = try await till.wallet.transactions.history()
        #expect(open.map(\.outcome) == [.unconfirmed])
        till.world.server.withdrawFaults()
        till.world.clock.advance(by: .seconds(301))
        #expect(await Person().follow(try till.wallet.flows.start(with: code)).error?.transactionStatus == .signed)
        let settled = try await till.wallet.transactions.history()
        #expect(settled.map(\.outcome) == [.approved])
        #expect(settled.map(\.secondFactor) == [.deviceBiometric])
    }

    @Test("It survives a sign-out and a restart, and goes with the device")
    func survives() async throws {
        let till = try await Till()
        _ = await Person().follow(try till.wallet.flows.start(with: till.code()))
        let device = try await till.wallet.deviceAuthentication.signedInEnrollment(during: .removeDevice).deviceID
        try await till.wallet.logout()
        let restarted = try till.world.wallet()
        let kept = try await restarted.transactions.history()
        #expect(kept.count == 1)
        try await restarted.setUp()
        try await restarted.devices.remove(device)
        let gone = try await restarted.transactions.history()
        #expect(gone.isEmpty)
        #expect(!till.world.store.items.keys.contains { $0.name.contains(".history.") })
    }

    @Test("An app that is killed while the device is removed leaves no entry and no key without an enrollment")
    func killed() async throws {
        let till = try await Till()
        let (world, device) = (till.world, till.wallet.deviceAuthentication)
        _ = await Person().follow(try till.wallet.flows.start(with: till.code()))
        let enrollment = try await device.signedInEnrollment(during: .removeDevice)
        let process = SimulatedProcess(world.ports)
        let killed = try world.wallet(ports: process.ports)
        process.kill(at: .afterStoring(try listOfEnrollments(in: world)))
        _ = await failure { try await killed.devices.remove(enrollment.deviceID) }
        #expect(!process.isAlive)
        #expect(try await till.wallet.accounts.isEmpty)
        #expect(!world.store.items.keys.contains { $0.name.contains(".history.") })
        #expect(try await world.keys.key(enrollment.signingKeyID) == nil)
    }

    @Test(
        "An app that is killed before the enrollment is gone repeats the removal, although the server no longer knows the device"
    )
    func killedBefore() async throws {
        let till = try await Till()
        let (world, device) = (till.world, till.wallet.deviceAuthentication)
        _ = await Person().follow(try till.wallet.flows.start(with: till.code()))
        let removed = try await device.signedInEnrollment(during: .removeDevice).deviceID
        let process = SimulatedProcess(world.ports)
        let killed = try world.wallet(ports: process.ports)
        process.kill(at: .beforeStoring(try listOfEnrollments(in: world)))
        _ = await failure { try await killed.devices.remove(removed) }
        #expect(!process.isAlive)
        let next = try world.wallet()
        #expect(try await next.accounts.map(\.deviceID) == [removed])
        #expect(try await next.transactions.history().isEmpty)
        try await next.login(username: "alice", password: "correct horse").signedIn()
        try await next.devices.remove(removed)
        #expect(try await next.accounts.isEmpty)
        #expect(!world.store.items.keys.contains { $0.name.contains(".history.") })
    }

    @Test("Another account's entries are separate, and all accounts are listed together")
    func accounts() async throws {
        let till = try await Till()
        let alice = try AccountID(Shop.alice)
        _ = await Person().follow(try till.wallet.flows.start(with: till.code()))
        try await till.wallet.logout()
        _ = try await till.wallet.login(username: "bob", password: "battery staple")
        try await till.enroll("bob")
        let bob = try #require(try await till.wallet.accounts.first { $0.id != alice }).id
        till.world.clock.advance(by: .seconds(1))
        _ = await Person().follow(try till.wallet.flows.start(with: till.code(), account: bob))
        let (all, own) = (
            try await till.wallet.transactions.history(), try await till.wallet.transactions.history(of: alice)
        )
        #expect(all.map(\.account) == [bob, alice])
        #expect(own.map(\.account) == [alice])
    }

    @Test("A full store does not keep a transaction from being signed; the diagnostics say what is missing")
    func full() async throws {
        let till = try await Till()
        till.world.store.condition = .full
        let story = await Person().follow(try till.wallet.flows.start(with: till.code()))
        #expect(story.words.last == "done")
        #expect(
            till.wallet.diagnostics.events.contains {
                $0.operation == .transactionHistory && $0.result == WalletError.Code.storeUnavailable.rawValue
            })
    }

    @Test("Two processes that write at once lose no entry")
    func processes() async throws {
        let till = try await Till()
        let other = try till.world.wallet()
        let account = try AccountID(Shop.alice)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let history = (number.isMultiple(of: 2) ? till.wallet : other).deviceAuthentication.history
                group.addTask {
                    await history.note(Self.entry(number, of: account, at: history.now))
                    _ = try? await history.entries(of: account)
                }
            }
        }
        // Each waits for its own writes.
        _ = try await till.wallet.transactions.history()
        let history = try await other.transactions.history()
        #expect(Set(history.map(\.id)) == Set((0..<40).map { "\($0)" }))
        #expect(history.count == 40)
    }

    private static func entry(_ number: Int, of account: AccountID, at now: Instant) -> HistoryEntry {
        HistoryEntry(
            id: "\(number)", kind: .transaction, account: account, outcome: .approved, date: now.date, type: nil,
            amount: nil, payeeName: nil, method: .pin, channel: .device, rejectionReason: nil)
    }

    private func listOfEnrollments(in world: World) throws -> SecureStoreKey {
        let key = world.store.items.keys.first { $0.name.hasSuffix(".enrollments") }
        return try #require(key)
    }

    private func pages(of till: Till) throws -> HistoryPages {
        HistoryPages(
            store: till.world.store, namespace: till.wallet.deviceAuthentication.enroller.namespace,
            account: try AccountID(Shop.alice))
    }
}

@Suite("The pages of the history")
struct HistoryPagesTests {
    private let store = InMemoryStore()
    private let pages: HistoryPages
    private let account: AccountID
    private let start = Instant(milliseconds: 1_800_000_000_000)

    init() throws {
        account = try AccountID(Shop.alice)
        pages = HistoryPages(store: store, namespace: "test", account: account)
    }

    private func add(_ number: Int, _ outcome: HistoryEntry.Outcome = .approved, at now: Instant) async throws {
        try await pages.add(
            HistoryEntry(
                id: "\(number)", kind: .transaction, account: account, outcome: outcome, date: now.date,
                type: "PURCHASE",
                amount: nil, payeeName: String(repeating: "é", count: 70), method: nil, channel: nil,
                rejectionReason: nil),
            at: now)
    }

    private func time(_ number: Int) -> Instant { start + .seconds(number) }

    @Test("The newest 200 are kept, in items of a few kilobytes")
    func bounded() async throws {
        for number in 0..<450 { try await add(number, at: time(number)) }
        let ids = try await pages.entries(at: time(450)).map(\.id)
        #expect(HistoryPages.most == 200)
        #expect((193...200).contains(ids.count))
        #expect(ids == (0..<ids.count).map { "\(449 - $0)" })
        #expect(store.items.count <= 26)
        #expect(store.items.values.allSatisfy { $0.count < 4096 })
        try await pages.removeAll()
        #expect(store.items.isEmpty)
    }

    @Test("After 90 days an entry is no longer listed, and the next one removes it from the store")
    func old() async throws {
        for number in 0..<20 { try await add(number, at: time(number)) }
        let later = time(19) + .seconds(90 * 86_400)
        #expect(try await pages.entries(at: later).map(\.id) == ["19"])
        let muchLater = later + .seconds(86_400)
        #expect(try await pages.entries(at: muchLater).isEmpty)
        try await add(20, at: muchLater)
        #expect(try await pages.entries(at: muchLater).map(\.id) == ["20"])
        #expect(store.items.count == 1)
    }

    @Test("A write that fails while a page is filled loses no earlier entry")
    func failing() async throws {
        for number in 0..<8 { try await add(number, at: time(number)) }
        store.failNext(.put, with: .full)
        await #expect(throws: SecureStoreFailure.self) { try await add(8, at: time(8)) }
        #expect(try await pages.entries(at: time(9)).count == 8)
        try await add(9, at: time(9))
        #expect(try await pages.entries(at: time(9)).map(\.id) == ["9", "7", "6", "5", "4", "3", "2", "1", "0"])
    }

    @Test("A damaged page costs its own entries only, and after a damaged head, a new history begins")
    func damaged() async throws {
        for number in 0..<17 { try await add(number, at: time(number)) }
        let written = store.writes.filter { $0 != store.writes.first }
        store.damage(try #require(written.first))
        #expect(try await pages.entries(at: time(20)).map(\.id) == (8..<17).reversed().map { "\($0)" })
        store.damage(try #require(store.writes.first))
        try await add(20, at: time(20))
        #expect(try await pages.entries(at: time(20)).map(\.id) == ["20"])
    }

    @Test("An approval stays, and time that ran out says nothing about a signature on its way")
    func replaced() async throws {
        try await add(1, at: time(0))
        try await add(1, .expired, at: time(1))
        try await add(2, .unconfirmed, at: time(2))
        try await add(2, .expired, at: time(3))
        try await add(3, .expired, at: time(4))
        try await add(3, .approved, at: time(5))
        let entries = try await pages.entries(at: time(6))
        #expect(entries.map(\.outcome) == [.approved, .unconfirmed, .approved])
        #expect(entries.map(\.id) == ["3", "2", "1"])
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("A consent that survives the app's end", .covers("a payment consent survives the app"))
struct PendingConsentTests {
    /// alice's payment in a process of the app that is killed somewhere.
    private func killed(
        _ shop: Shop, at point: SimulatedProcess.KillPoint? = nil, answering answer: @escaping SCA.Handler
    ) async throws {
        let process = SimulatedProcess(shop.world.ports)
        let wallet = try await shop.world.signedIn(ports: process.ports)
        let payment = try shop.payment()
        await #expect(throws: (any Error).self) {
            try await wallet.perform(
                payment,
                onSCA: { prompt in
                    let said = try await answer(prompt)
                    if let point { process.kill(at: point) } else { process.kill() }
                    return said
                })
        }
        #expect(!process.isAlive)
    }

    /// The app started again.
    private func restarted(_ shop: Shop) async throws -> (Wallet, SCA.Pending) {
        let wallet = try shop.world.wallet()
        let pending = try await wallet.pendingSCA
        #expect(pending.count == 1)
        return (wallet, try #require(pending.first))
    }

    @Test("Killed while the person looked for the code: it continues with the code that was sent, and sends no other")
    func whileAsking() async throws {
        let shop = try Shop(by: .sms)
        try await killed(shop) { _ in .code("1") }
        let (wallet, pending) = try await restarted(shop)
        #expect(!pending.isAgreed)
        #expect(pending.operation?.payee?.name == "Blumen Huber")
        #expect(pending.walletOperationID == "operation-1")
        #expect(pending.request.httpBody == Data(#"{"amount":12.50,"to":"Huber"}"#.utf8))
        #expect(pending.request.value(forHTTPHeaderField: "Authorization") == nil)
        let person = Answers(.code(Shop.code))
        let (_, response) = try await wallet.resume(pending, onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.map(\.verification) == [.sms])
        #expect(shop.server.consents.map(\.sends) == [1])
        #expect(shop.keys.count == 1)
        #expect(shop.payments.count == 2)
    }

    @Test("Killed when the server had taken the code: typed once more it is verified, and it is carried out once")
    func afterAttempt() async throws {
        let shop = try Shop(by: .sms)
        try await killed(shop, at: .afterSending(to: Shop.attempts)) { _ in .code(Shop.code) }
        let (wallet, pending) = try await restarted(shop)
        #expect(!pending.isAgreed)
        let person = Answers(.code(Shop.code))
        let (_, response) = try await wallet.resume(pending, onSCA: person.handler)
        #expect(response.status == 201)
        #expect(shop.carriedOut == 1)
        #expect(shop.server.consents.map(\.proved) == [[.sms]])
    }

    @Test("Killed between agreement and repetition: it is carried out with the same key, without asking again")
    func beforeRetry() async throws {
        let shop = try Shop(by: .sms)
        try await killed(shop, at: .beforeSending(to: Shop.path)) { _ in .code(Shop.code) }
        #expect(shop.carriedOut == 0)
        let (wallet, pending) = try await restarted(shop)
        #expect(pending.isAgreed)
        // Long after the event: what came of it can be asked for all the same.
        let person = Answers()
        let (_, response) = try await wallet.resume(pending, onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.isEmpty)
        #expect(shop.keys.count == 1)
        #expect(shop.carriedOut == 1)
        let left = try await wallet.pendingSCA
        #expect(left.isEmpty)
    }

    @Test(
        "Killed when the money had moved: the app learns it at its next start, also an hour later, and nothing moves twice"
    )
    func afterRetry() async throws {
        let shop = try Shop(by: .sms)
        try await killed(shop, at: .afterSending(to: Shop.path)) { _ in .code(Shop.code) }
        #expect(shop.carriedOut == 1)
        shop.world.clock.advance(by: .seconds(3600))
        let (wallet, pending) = try await restarted(shop)
        let (data, response) = try await wallet.resume(pending, onSCA: Answers().handler)
        #expect(response.status == 201)
        #expect(String(decoding: data, as: UTF8.self).contains("operation-1"))
        #expect(shop.carriedOut == 1)
    }

    @Test("Without a consent it is over with its event; with one, after a day")
    func expiry() async throws {
        let asked = try Shop(by: .sms)
        try await killed(asked) { _ in .code("1") }
        let (wallet, pending) = try await restarted(asked)
        asked.world.clock.advance(by: .seconds(901))
        let none = try await wallet.pendingSCA
        #expect(none.isEmpty)
        let error = await failure { try await wallet.resume(pending, onSCA: Answers().handler) }
        #expect(error?.code == .eventNotFound)

        let agreed = try Shop(by: .sms)
        try await killed(agreed, at: .beforeSending(to: Shop.path)) { _ in .code(Shop.code) }
        let (later, _) = try await restarted(agreed)
        agreed.world.clock.advance(by: .seconds(86_401))
        let gone = try await later.pendingSCA
        #expect(gone.isEmpty)
    }

    @Test("Signing out takes it away; neither the next person nor a new session of the same one sees it")
    func signOut() async throws {
        let shop = try Shop(by: .sms)
        let world = shop.world
        world.server.addPerson("bob", password: "battery staple", subject: "6ba7b811-9dad-41d1-80b4-00c04fd430c8")
        try await killed(shop) { _ in .code("1") }
        let (wallet, pending) = try await restarted(shop)
        _ = try await wallet.login(username: "bob", password: "battery staple")
        let bobs = try await wallet.pendingSCA
        #expect(bobs.isEmpty)
        let error = await failure { try await wallet.resume(pending, onSCA: Answers().handler) }
        #expect(error?.code == .eventNotFound)
        _ = try await wallet.login(username: "alice", password: "correct horse")
        let new = try await wallet.pendingSCA
        #expect(new.isEmpty)
        _ = try await wallet.logout()
        #expect(!world.store.items.keys.contains { $0.name.hasSuffix(".sca") })
        let nobody = try await wallet.pendingSCA
        #expect(nobody.isEmpty)
    }

    @Test("Given up by the app it is gone, and harmless to give up twice")
    func discard() async throws {
        let shop = try Shop(by: .sms)
        try await killed(shop) { _ in .code("1") }
        let (wallet, pending) = try await restarted(shop)
        try await wallet.discard(pending)
        try await wallet.discard(pending)
        let none = try await wallet.pendingSCA
        #expect(none.isEmpty)
        #expect(!shop.world.store.items.keys.contains { $0.name.hasSuffix(".sca") })
    }

    @Test("Four are kept, the newest first; a large request is agreed to and sent, and not kept")
    func limits() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        for number in 0..<6 {
            await #expect(throws: Answers.NothingToSay.self) {
                try await wallet.perform(shop.payment(#"{"number":\#(number)}"#), onSCA: Answers().handler)
            }
        }
        let pending = try await wallet.pendingSCA
        #expect(pending.map(\.walletOperationID) == ["operation-6", "operation-5", "operation-4", "operation-3"])
        let large = #"{"text":"\#(String(repeating: "x", count: 9_000))"}"#
        let (_, response) = try await wallet.perform(shop.payment(large), onSCA: Answers(.code(Shop.code)).handler)
        #expect(response.status == 201)
    }

    @Test("A locked store is an error and not an empty list; what is damaged counts as nothing")
    func store() async throws {
        let shop = try Shop(by: .sms)
        try await killed(shop) { _ in .code("1") }
        let (wallet, _) = try await restarted(shop)
        shop.world.store.condition = .locked
        let error = await failure { try await wallet.pendingSCA }
        #expect(error?.outcome == .storeUnavailable(.locked))
        shop.world.store.condition = .working
        let key = try #require(shop.world.store.items.keys.first { $0.name.hasSuffix(".sca") })
        try await shop.world.store.put(Data("{".utf8), for: key)
        let none = try await wallet.pendingSCA
        #expect(none.isEmpty)
    }

    @Test("An answer that says nothing of what became of the request leaves it; any other ends it")
    func endings() async throws {
        for (status, isKept) in [(500, true), (429, true), (401, true), (409, false), (400, false), (202, false)] {
            let shop = try Shop(by: .sms)
            let wallet = try await shop.world.signedIn()
            let server = shop.server
            let times = [401, 500].contains(status) ? 3 : 1
            let (_, response) = try await wallet.perform(
                shop.payment(),
                onSCA: { _ in
                    server.inject(.answer(HTTPResponse(status: status)), at: Shop.path, times: times)
                    return .code(Shop.code)
                })
            #expect(response.status == status)
            let pending = try await wallet.pendingSCA
            #expect(pending.map(\.isAgreed) == (isKept ? [true] : []), "\(status)")
        }
    }
}

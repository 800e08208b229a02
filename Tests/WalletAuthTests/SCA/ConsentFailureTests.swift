import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("A consent when something goes wrong on the way")
struct ConsentFailureTests {
    @Test("The answer to the right code is lost: repeated it is verified, without asking again")
    func lostAttempt() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.code(Shop.code))
        shop.server.inject(.loseAnswer, at: Shop.attempts)
        async let answer = wallet.perform(shop.payment(), onSCA: person.handler)
        await shop.world.clock.waitForSleepers()
        shop.world.clock.advance(by: .seconds(1))
        #expect(try await answer.1.status == 201)
        #expect(person.prompts.count == 1)
        #expect(shop.count(Shop.attempts) == 2)
        #expect(shop.carriedOut == 1)
    }

    @Test("The answer to the repeated request is lost: sent again with the same key it is carried out once")
    func lostRetry() async throws {
        let (shop, wallet) = try await Shop.visited()
        let server = shop.server
        async let answer = wallet.perform(
            shop.payment(),
            onSCA: { _ in
                server.inject(.loseAnswer, at: Shop.path)
                return .code(Shop.code)
            })
        await shop.world.clock.waitForSleepers()
        shop.world.clock.advance(by: .seconds(1))
        #expect(try await answer.1.status == 201)
        #expect(shop.payments.count == 3)
        #expect(shop.keys.count == 1)
        #expect(shop.carriedOut == 1)
    }

    @Test("A second 403 is the app's: the request is repeated once and never in a loop")
    func oneRetry() async throws {
        let (shop, wallet) = try await Shop.visited()
        let server = shop.server
        let required = SCARequired(
            eventID: try SCAEventID("00000000-0000-4000-8000-000000000009"),
            operationID: try WalletOperationID("operation-9"), availableVerifications: [AvailableVerification(.sms)])
        let person = Answers(.code(Shop.code))
        let (data, response) = try await wallet.perform(
            shop.payment(),
            onSCA: { prompt in
                server.inject(
                    .answer(HTTPResponse(status: 403, body: Data(required.json.bytes))), at: Shop.path)
                return try await person.handler(prompt)
            })
        #expect(response.status == 403)
        #expect(SCA.Required(data: data, response: response)?.walletOperationID == "operation-9")
        #expect(person.prompts.count == 1)
        #expect(shop.payments.count == 2)
        let pending = try await wallet.pendingSCA
        #expect(pending.isEmpty)
    }

    @Test("The token ends while the person looks for the code: it is renewed, and the consent goes on")
    func expiredToken() async throws {
        let (shop, wallet) = try await Shop.visited()
        let world = shop.world
        let (_, response) = try await wallet.perform(
            shop.payment(),
            onSCA: { _ in
                world.clock.advance(by: .seconds(200))
                world.server.renewNonces()
                return .code(Shop.code)
            })
        #expect(response.status == 201)
        let later = Answers(.code(Shop.code))
        world.expireToken()
        let (_, again) = try await wallet.perform(shop.payment(), onSCA: later.handler)
        #expect(again.status == 201)
        #expect(world.refreshes >= 1)
    }

    @Test("No network is offline, wherever it goes: before anybody is asked, at the answer, at the repeated request")
    func offline() async throws {
        let (shop, wallet) = try await Shop.visited()
        let world = shop.world
        // Three sendings each, with a wait between them.
        func waiting<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async -> WalletError? {
            let task = Task { await failure(work) }
            for _ in 0..<2 {
                await world.clock.waitForSleepers()
                world.clock.advance(by: .seconds(3))
            }
            return await task.value
        }
        let payment = try shop.payment()
        let error = await waiting {
            try await wallet.perform(
                payment,
                onSCA: { _ in
                    world.server.network = .offline
                    return .code(Shop.code)
                })
        }
        #expect(error?.outcome == .offline)
        #expect(error?.reachedServer == false)
        world.server.network = .up
        let pending = try await wallet.pendingSCA
        #expect(pending.map(\.isAgreed) == [false])
        let (_, response) = try await wallet.resume(
            try #require(pending.first), onSCA: Answers(.code(Shop.code)).handler)
        #expect(response.status == 201)
    }

    @Test("A locked store, a full disk: said before anybody is asked, and no code is sent")
    func lockedStore() async throws {
        for condition in [InMemoryStore.Condition.locked, .full] {
            let (shop, wallet) = try await Shop.visited()
            shop.world.store.condition = condition
            let error = await failure { try await wallet.perform(shop.payment(), onSCA: Answers().handler) }
            #expect(error?.outcome == .storeUnavailable(condition == .full ? .full : .locked))
            #expect(shop.count(Shop.challenges) == 0)
            #expect(wallet.isLoggedIn)
        }
    }

    @Test("A store that is locked once the person agreed keeps nothing from being paid")
    func lockedLater() async throws {
        let (shop, wallet) = try await Shop.visited()
        let store = shop.world.store
        let (_, response) = try await wallet.perform(
            shop.payment(),
            onSCA: { _ in
                store.condition = .full
                return .code(Shop.code)
            })
        #expect(response.status == 201)
        #expect(shop.carriedOut == 1)
    }

    @Test("The server asks to wait: told with the time, and the consent can be gone on with")
    func tooMany() async throws {
        let (shop, wallet) = try await Shop.visited()
        var busy = HTTPResponse(
            status: 429, body: Data(Problem(status: 429, code: "too_many_attempts", title: "Slow down").json.bytes))
        busy.headers["Retry-After"] = "60"
        shop.server.inject(.answer(busy), at: Shop.challenges)
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: Answers().handler) }
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: .seconds(60)))
        let pending = try await wallet.pendingSCA
        #expect(pending.count == 1)
    }

    @Test("Another way that has to wait leaves the person with the code that they have")
    func tooSoon() async throws {
        let shop = try Shop(by: .sms, .email)
        let wallet = try await shop.world.signedIn()
        let person = Answers(.instead(.email), .code(Shop.code))
        let (_, response) = try await wallet.perform(
            shop.payment(), onSCA: person.handler, choosing: { _ in .sms })
        #expect(response.status == 201)
        #expect(person.prompts.map(\.verification) == [.sms, .sms])
        #expect(person.prompts.map(\.fault) == [nil, .tooSoon])
        #expect(shop.server.consents.map(\.sends) == [1])
    }

    // MARK: - Attacks

    /// What the server answers to a challenge, with something wrong in it.
    private func challenge(
        event: String = Shop.event, operation: String = "operation-1", account: String = Shop.alice,
        payloadEvent: String = Shop.event, payloadOperation: String = "operation-1",
        spoil: ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> ServerFault {
        let payload = OperationPayload(
            eventID: try SCAEventID(payloadEvent), operationID: try WalletOperationID(payloadOperation),
            clientID: try ClientID("com.example.backend"), account: try AccountID(account),
            operation: try Shop.operation(), expiresAt: NumericDate(clamping: 1_800_000_900))
        let response = SCAChallengeResponse(
            eventID: try SCAEventID(event), operationID: try WalletOperationID(operation), verification: .sms,
            expiresAt: NumericDate(clamping: 1_800_000_300), payload: spoil(payload.bytes))
        return .answer(HTTPResponse(status: 200, body: Data(response.json.bytes)))
    }

    @Test(
        "attack: bytes of another event, operation or account, or not canonical, are refused before anybody is shown them"
    )
    func otherBytes() async throws {
        let other = "00000000-0000-4000-8000-000000000002"
        let faults: [ServerFault] = [
            try challenge(event: other), try challenge(operation: "operation-2"),
            try challenge(payloadEvent: other), try challenge(payloadOperation: "operation-2"),
            try challenge(account: "6ba7b811-9dad-41d1-80b4-00c04fd430c8"),
            try challenge(spoil: { [UInt8(ascii: " ")] + $0 }),
            try challenge(spoil: {
                Array(String(decoding: $0, as: UTF8.self).replacing("Tulips", with: "\u{202E}").utf8)
            }),
            try challenge(spoil: {
                Array(String(decoding: $0, as: UTF8.self).replacing("Huber", with: "H\u{300}\u{300}\u{300}uber").utf8)
            }),
            // A currency that the app's list does not have would be shown with two digits, whatever it has.
            try challenge(spoil: {
                Array(String(decoding: $0, as: UTF8.self).replacing("\"EUR\"", with: "\"XYZ\"").utf8)
            }),
        ]
        for fault in faults {
            let (shop, wallet) = try await Shop.visited()
            shop.server.inject(fault, at: Shop.challenges)
            let person = Answers(.code(Shop.code))
            let error = await failure { try await wallet.perform(shop.payment(), onSCA: person.handler) }
            #expect(error?.code == .operationMismatch)
            #expect(person.prompts.isEmpty)
            #expect(shop.count(Shop.attempts) == 0)
            #expect(shop.payments.count == 1)
        }
    }

    @Test("attack: another person signs in while this one is asked; nothing is sent in the new one's name")
    func anotherSignsIn() async throws {
        let shop = try Shop(by: .sms)
        let world = shop.world
        world.server.addPerson("bob", password: "battery staple", subject: "6ba7b811-9dad-41d1-80b4-00c04fd430c8")
        let wallet = try await world.signedIn()
        let error = await failure {
            try await wallet.perform(
                shop.payment(),
                onSCA: { _ in
                    _ = try await wallet.login(username: "bob", password: "battery staple")
                    return .code(Shop.code)
                })
        }
        #expect(error?.outcome == .signedOut(.replacedByAnotherSignIn))
        #expect(shop.count(Shop.attempts) == 0)
        #expect(shop.carriedOut == 0)
        let pending = try await wallet.pendingSCA
        #expect(pending.isEmpty)
    }

    @Test("race: two payments at once, each with a consent of its own, each carried out once")
    func concurrent() async throws {
        let (shop, wallet) = try await Shop.visited()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                let payment = try shop.payment(#"{"number":\#(number)}"#)
                group.addTask {
                    try await wallet.perform(payment, onSCA: { _ in .code(Shop.code) }).1.status
                }
            }
            for try await status in group { #expect(status == 201) }
        }
        #expect(shop.server.consents.map(\.carriedOut) == Array(repeating: 1, count: 8))
        #expect(shop.keys.count == 8)
        let pending = try await wallet.pendingSCA
        #expect(pending.isEmpty)
    }
}

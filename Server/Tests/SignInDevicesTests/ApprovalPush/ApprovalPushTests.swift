import Core
import FlowSupport
import Outbound
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("Pushes about approvals that wait", .covers("pushes about approvals"))
struct ApprovalPushTests {
    @Test("A transaction is pushed to each device of its account: with its id and a general sentence, and nothing else")
    func transaction() async throws {
        let pushes = try await TestPushes.open()
        let tablet = try await pushes.linkedDevice(of: pushes.till.phone.device.app.client)
        try await pushes.register("fcm-token", .fcm, environment: .sandbox, on: tablet)
        let created = try await pushes.till.created(expiresIn: 300)
        #expect(try await pushes.deliver() == 2)
        let messages = pushes.transport.messages.sorted { $0.recipient < $1.recipient }
        #expect(messages.map(\.recipient) == [TestPushes.token, "fcm-token"])
        #expect(messages.map(\.push?.service) == [.apns, .fcm])
        #expect(messages.map(\.push?.isDevelopment) == [false, true])
        for message in messages {
            #expect(message.push?.subject == created.transactionID.rawValue)
            #expect(message.push?.subjectKind == "transaction")
            #expect(message.text == "Something waits for your approval")
            #expect(message.expiresAt.seconds == created.expiresAt.secondsSince1970)
        }
        #expect(try await pushes.rows().allSatisfy { $0.deliveredAt != nil })
    }

    @Test(
        "The sentence is in the holder's language",
        arguments: [
            ("de", "Etwas wartet auf Ihre Freigabe"), ("fr", "Une demande attend votre approbation"),
            ("es", "Tiene algo pendiente de aprobar"), ("bg", "Нещо очаква вашето одобрение"),
        ])
    func language(_ locale: String, _ sentence: String) async throws {
        let pushes = try await TestPushes.open()
        _ = try await pushes.server.context.database.write {
            try $0.execute("UPDATE accounts SET locale = $1", [.text(locale)])
        }
        _ = try await pushes.till.created()
        try await pushes.deliver()
        #expect(pushes.transport.messages.map(\.text) == [sentence])
    }

    @Test("A request that is repeated under its key pushes once")
    func repeated() async throws {
        let pushes = try await TestPushes.open()
        let request = try pushes.till.purchase(for: pushes.till.account)
        for _ in 0..<3 { _ = try await pushes.till.ask(request, key: "order-42-91c4d07a").get() }
        #expect(try await pushes.rows().count == 1)
    }

    @Test("A transaction without an account, or for one whose devices have no address, pushes nothing")
    func noAddress() async throws {
        let pushes = try await TestPushes.open(token: nil)
        _ = try await pushes.till.created()
        #expect(try await pushes.post() == .noAddress)
        #expect(try await pushes.rows().isEmpty)
    }

    @Test("Without the service that issued a device's token, nothing is pushed to it")
    func notConfigured() async throws {
        let pushes = try await TestPushes.open { $0.undeliverablePushes = [.apns] }
        #expect(try await pushes.post() == .noAddress)
        try await pushes.register("fcm-token", .fcm)
        #expect(try await pushes.post() == .posted(devices: 1))
    }

    @Test("An app that was linked twice on one phone gets one push, and another brand's app gets none")
    func whichDevices() async throws {
        let pushes = try await TestPushes.open()
        pushes.server.clock.advance(by: .seconds(1))
        let again = try await pushes.linkedDevice(of: pushes.till.phone.device.app.client)
        try await pushes.register(TestPushes.token, on: again)
        #expect(try await pushes.post() == .posted(devices: 1))
        try await pushes.deliver()
        #expect(pushes.transport.messages.map(\.recipient) == [TestPushes.token])
        _ = try await pushes.server.context.database.write {
            try $0.execute("UPDATE clients SET brand_id = 'default' WHERE id = 'app'", [])
        }
        #expect(try await pushes.post(brand: "other") == .noAddress)
    }

    @Test(
        "A suspended, deactivated or removed device gets no push, nor one whose app has not confirmed its code",
        arguments: [
            "state = 'suspended'", "state = 'deactivated', deactivated_by = 'operator'",
            "state = 'removed', push_address = NULL, biometric_key = NULL, biometric_key_set_at = NULL",
            "instance = 'unverified'",
        ])
    func inactive(_ change: String) async throws {
        let pushes = try await TestPushes.open()
        try await pushes.post()
        _ = try await pushes.server.context.database.write { [phone = pushes.phone] in
            try $0.execute("UPDATE devices SET \(change) WHERE id = $1", [.id(phone)])
        }
        #expect(try await pushes.post() == .noAddress)
        // Nor does one that was posted before.
        try await pushes.deliver()
        #expect(pushes.transport.messages.isEmpty)
    }
}

@Suite("Pushes after the end of a session", .threat("Pushes that tire or mislead"), .covers("pushes about approvals"))
struct SignedOutPushTests {
    @Test(
        "attack: a device on which all sessions ended gets no push, nor one posted before, until the person signs in there again",
        arguments: SessionEnd.allCases)
    func ended(_ why: SessionEnd) async throws {
        let pushes = try await TestPushes.open()
        #expect(try await pushes.post() == .posted(devices: 1))
        let now = pushes.server.clock.now()
        try await pushes.server.context.database.write { [account = pushes.account] in
            _ = try Sessions.endAll(of: account, because: why, now: now, on: $0)
        }
        try await pushes.deliver()
        #expect(pushes.transport.messages.isEmpty)
        #expect(try await pushes.rows().isEmpty)
        #expect(try await pushes.post() == .noAddress)

        let app = pushes.till.phone.device.app
        _ = try await app.client.signIn(pushes.till.account, proof: app.key)
        #expect(try await pushes.post() == .posted(devices: 1))
        try await pushes.deliver()
        #expect(pushes.transport.messages.map(\.recipient) == [TestPushes.token])
    }

    @Test("attack: a device whose session has expired, and one that only a scan let in, get no push")
    func neverEnded() async throws {
        let pushes = try await TestPushes.open()
        let phone = pushes.phone
        _ = try await pushes.server.context.database.write {
            try $0.execute(
                "UPDATE sessions SET amr = $2 WHERE device_id = $1",
                [.id(phone), .text("pin swk \(AuthenticationStrength.crossDevice)")])
        }
        #expect(try await pushes.post() == .noAddress)
        _ = try await pushes.server.context.database.write {
            try $0.execute("UPDATE sessions SET amr = 'pwd otp' WHERE device_id = $1", [.id(phone)])
        }
        #expect(try await pushes.post() == .posted(devices: 1))
        pushes.server.clock.advance(by: .days(91))
        #expect(try await pushes.post() == .noAddress)
    }

    @Test("Signing out on one device leaves the pushes to the others")
    func others() async throws {
        let pushes = try await TestPushes.open()
        let tablet = try await pushes.linkedDevice(of: pushes.till.phone.device.app.client)
        try await pushes.register(TestPushes.otherToken, on: tablet)
        #expect(try await pushes.post() == .posted(devices: 2))
        let now = pushes.server.clock.now()
        try await pushes.server.context.database.write { [phone = pushes.phone] in
            try Sessions.endAll(onDevice: phone, because: .signedOut, now: now, on: $0)
        }
        #expect(try await pushes.post() == .posted(devices: 1))
        try await pushes.deliver()
        #expect(Set(pushes.transport.messages.map(\.recipient)) == [TestPushes.otherToken])
    }
}

@Suite("Push fatigue", .threat("Pushes that tire or mislead"), .covers("pushes about approvals"))
struct PushFatigueTests {
    @Test("attack: a fifth unasked push in ten minutes is held back, and the holder is told once")
    func fifth() async throws {
        let pushes = try await TestPushes.open()
        for _ in 0..<4 { _ = try await pushes.till.created() }
        #expect(try await pushes.rows().count == 4)
        #expect(try await pushes.heldBack() == (0, 0))
        for _ in 0..<3 { _ = try await pushes.till.created() }
        #expect(try await pushes.rows().count == 4)
        #expect(try await pushes.heldBack() == (1, 1))
        // The transactions exist all the same.
        let now = pushes.server.clock.now()
        let open = try await pushes.server.context.database.read { [account = pushes.account] in
            try Transactions.open(of: account, client: "shop", now: now, on: $0).count
        }
        #expect(open == 7)
    }

    @Test("attack: no ten minutes have more than four, however the pushes are spread")
    func spread() async throws {
        let pushes = try await TestPushes.open()
        // Two at the start, two after nine minutes, and more after eleven: only the first two are out of the ten minutes.
        for _ in 0..<2 { #expect(try await pushes.post() == .posted(devices: 1)) }
        pushes.server.clock.advance(by: .minutes(9))
        for _ in 0..<2 { #expect(try await pushes.post() == .posted(devices: 1)) }
        #expect(try await pushes.post() == .heldBack)
        pushes.server.clock.advance(by: .minutes(2))
        for _ in 0..<2 { #expect(try await pushes.post() == .posted(devices: 1)) }
        #expect(try await pushes.post() == .heldBack)
        pushes.server.clock.advance(by: .minutes(10))
        for _ in 0..<4 { #expect(try await pushes.post() == .posted(devices: 1)) }
        #expect(try await pushes.post() == .heldBack)
        // The holder was told after nine minutes, and again after twenty-one.
        #expect(try await pushes.heldBack() == (2, 2))
    }

    @Test("attack: a seventh push that sessions asked for in ten minutes is held back, and takes none from a backend's")
    func asked() async throws {
        let pushes = try await TestPushes.open()
        for _ in 0..<6 { #expect(try await pushes.post(asked: true) == .posted(devices: 1)) }
        #expect(try await pushes.post(asked: true) == .heldBack)
        #expect(try await pushes.heldBack() == (1, 1))
        for _ in 0..<4 { #expect(try await pushes.post() == .posted(devices: 1)) }
        #expect(try await pushes.post() == .heldBack)
        pushes.server.clock.advance(by: .minutes(10))
        #expect(try await pushes.post(asked: true) == .posted(devices: 1))
    }

    @Test(
        "attack: a backend that floods an account holds back its own pushes, and no other backend's",
        arguments: [(asked: false, own: 2, most: 4), (asked: true, own: 3, most: 6)])
    func fairShare(_ asked: Bool, _ own: Int, _ most: Int) async throws {
        let pushes = try await TestPushes.open()
        func posted(_ client: String, of number: Int) async throws -> Int {
            var posted = 0
            for _ in 0..<number {
                if try await pushes.post(asked: asked, by: client) == .posted(devices: 1) { posted += 1 }
            }
            return posted
        }
        #expect(try await posted("flood", of: 20) == most)
        #expect(try await posted("shop", of: 20) == own)
        #expect(try await posted("flood", of: 1) == 0)
        pushes.server.clock.advance(by: .minutes(10))
        #expect(try await posted("shop", of: 20) == most)
        #expect(try await posted("flood", of: 20) == own)
    }

    @Test(
        "attack: many backends together send an account no more than a fixed number of pushes in ten minutes",
        arguments: [(asked: false, most: 8), (asked: true, most: 9)])
    func together(_ asked: Bool, _ most: Int) async throws {
        let pushes = try await TestPushes.open()
        var posted = 0
        for number in 0..<20 {
            let outcome = try await pushes.post(asked: asked, by: "shop-\(number)")
            if outcome == .posted(devices: 1) { posted += 1 }
        }
        #expect(posted == most)
        #expect(try await pushes.heldBack() == (1, 1))
        // What was held back used up nothing: the last backend still has its own places.
        pushes.server.clock.advance(by: .minutes(10))
        #expect(try await pushes.post(asked: asked, by: "shop-19") == .posted(devices: 1))
    }

    @Test("The count outlasts a restart")
    func restarted() async throws {
        let pushes = try await TestPushes.open()
        for _ in 0..<4 { #expect(try await pushes.post() == .posted(devices: 1)) }
        let again = try await pushes.restarted()
        #expect(try await again.post() == .heldBack)
    }

    @Test("attack: of pushes that begin at the same time, four are sent")
    func concurrent() async throws {
        let pushes = try await TestPushes.open()
        let outcomes = try await withThrowingTaskGroup { group in
            for _ in 0..<12 { group.addTask { try await pushes.post() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .posted(devices: 1) } == 4)
        #expect(outcomes.count { $0 == .heldBack } == 8)
        #expect(try await pushes.heldBack() == (1, 1))
    }
}

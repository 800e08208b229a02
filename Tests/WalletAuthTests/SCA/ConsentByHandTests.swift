import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("A consent whose steps the app leads itself", .covers("sendSCAChallenge(eventID:request:)"))
struct ConsentByHandTests {
    @Test("Challenge, attempt, and the operation repeated with scaDetails, in the calls of older kits")
    func steps() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        let (data, response) = try await wallet.perform(shop.payment(key: "payment-1"))
        let required = try #require(SCA.Required(data: data, response: response))
        #expect(required.availableVerifications.map(\.verification) == [.init(method: .otp, channel: .sms)])

        let challenge = try await wallet.authentication.sendSCAChallenge(
            eventID: required.eventID,
            request: SCA.ChallengeRequest(
                walletOperationID: required.walletOperationID,
                verification: SCA.Verification(method: .otp, channel: .sms)))
        #expect(challenge.eventID == required.eventID)
        #expect(challenge.walletOperationID == required.walletOperationID)
        #expect(challenge.operation.amount?.minorUnits == 1250)
        #expect(challenge.expiresAt == Date(timeIntervalSince1970: 1_800_000_300))
        #expect(challenge.redirectURL == nil)

        func attempt(_ value: String) async throws -> SCA.Attempt {
            try await wallet.authentication.submitSCAAttempt(
                eventID: required.eventID,
                request: SCA.AttemptRequest(
                    walletOperationID: required.walletOperationID,
                    verification: SCA.Verification(method: .otp, channel: .sms), value: value))
        }
        let wrong = try await attempt("000000")
        #expect(wrong.status == .failed)
        #expect(wrong.statusReason == .invalidValue)
        #expect(wrong.remainingAttempts == 4)
        let right = try await attempt(Shop.code)
        #expect(right.status == .verified)
        #expect(right.statusReason == .valid)

        struct Payment: Encodable {
            let amount: Int
            let scaDetails: SCA.Details
        }
        let details = SCA.Details(eventID: required.eventID, walletOperationID: required.walletOperationID)
        var repeated = try shop.payment(key: "payment-1")
        repeated.httpBody = try JSONEncoder().encode(Payment(amount: 1250, scaDetails: details))
        let (_, done) = try await wallet.perform(repeated)
        #expect(done.status == 201)
        #expect(shop.carriedOut == 1)
    }

    /// Lets pauses pass until so many payments were sent. Other tasks may wait for the clock as well, so that one leap of it can come
    /// before the pause.
    private func waitForPayments(_ count: Int, at shop: Shop) async throws {
        try await eventually("the request to be sent again") {
            if shop.world.clock.sleeperCount > 0 { shop.world.clock.advance(by: .seconds(1)) }
            return shop.payments.count >= count
        }
    }

    @Test("For other SDKs' names: the consent goes into the body as it is, with the key of the first request")
    func agreedStepByStep() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        let (data, response) = try await wallet.perform(shop.payment(), key: "key-1", agreedIn: nil)
        let required = try #require(SCA.Required(data: data, response: response))
        let details = SCA.Details(eventID: required.eventID, walletOperationID: required.walletOperationID)
        let early = try await wallet.perform(shop.payment(), key: "key-1", agreedIn: details)
        #expect(early.1.status == 409)
        _ = try await wallet.authentication.sendSCAChallenge(
            eventID: required.eventID,
            request: SCA.ChallengeRequest(walletOperationID: required.walletOperationID, verification: .sms))
        _ = try await wallet.authentication.submitSCAAttempt(
            eventID: required.eventID,
            request: SCA.AttemptRequest(
                walletOperationID: required.walletOperationID, verification: .sms, value: Shop.code))
        shop.server.inject(.loseAnswer, at: Shop.path)
        async let done = wallet.perform(shop.payment(), key: "key-1", agreedIn: details)
        try await waitForPayments(4, at: shop)
        #expect(try await done.1.status == 201)
        #expect(shop.carriedOut == 1)
        #expect(shop.keys == ["key-1"])
        let body = String(decoding: try #require(shop.payments.last).body, as: UTF8.self)
        #expect(body.hasPrefix(#"{"amount":12.50,"to":"Huber","scaDetails":{"#), "\(body)")
        let error = await failure {
            try await wallet.perform(shop.payment("[17]"), key: "key-2", agreedIn: details)
        }
        #expect(error?.code == .badRequest)
    }

    @Test("For other SDKs' names: the first request is sent once, unless the app made it repeatable")
    func firstRequestOnce() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        shop.server.inject(.loseAnswer, at: Shop.path)
        let error = await failure { try await wallet.perform(shop.payment(), key: "key-1", agreedIn: nil) }
        #expect(error?.code == .temporarilyUnavailable)
        #expect(shop.payments.count == 1)
        shop.server.inject(.loseAnswer, at: Shop.path)
        async let asked = wallet.perform(shop.payment(key: "own"), key: "key-2", agreedIn: nil)
        try await waitForPayments(3, at: shop)
        #expect(try await asked.1.status == 403)
        #expect(shop.payments.dropFirst().map { $0.headers["Idempotency-Key"] } == ["own", "own"])
    }

    @Test("The fifth wrong value is data_error, and so is everything after it")
    func dataError() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        let (data, response) = try await wallet.perform(shop.payment())
        let required = try #require(SCA.Required(data: data, response: response))
        let ask = SCA.ChallengeRequest(walletOperationID: required.walletOperationID, verification: .sms)
        let challenge = try await wallet.authentication.sendSCAChallenge(eventID: required.eventID, request: ask)
        for _ in 0..<4 {
            let attempt = try await wallet.authentication.submitSCAAttempt(.code("000000"), to: challenge)
            #expect(attempt.statusReason == .invalidValue)
        }
        for _ in 0..<2 {
            let error = await failure {
                try await wallet.authentication.submitSCAAttempt(.code("000000"), to: challenge)
            }
            #expect(error?.code == .dataError)
            #expect(error?.operation == .submitSCAAttempt)
            #expect(error?.statusCode == 409)
        }
        let again = await failure {
            try await wallet.authentication.sendSCAChallenge(eventID: required.eventID, request: ask)
        }
        #expect(again?.code == .dataError)
        #expect(again?.operation == .sendSCAChallenge)
    }

    @Test("A challenge that comes too soon says that it sent no code, and when the next can be sent")
    func tooSoon() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        let (data, response) = try await wallet.perform(shop.payment())
        let required = try #require(SCA.Required(data: data, response: response))
        func challenge() async throws -> SCA.Challenge {
            try await wallet.authentication.sendSCAChallenge(
                eventID: required.eventID,
                request: SCA.ChallengeRequest(walletOperationID: required.walletOperationID, verification: .sms))
        }
        #expect(try await challenge().wasSent)
        shop.world.clock.advance(by: .seconds(10))
        let early = try await challenge()
        #expect(!early.wasSent)
        #expect(early.resendAfter == .seconds(20))
        shop.world.clock.advance(by: .seconds(20))
        #expect(try await challenge().wasSent)
    }

    @Test("Mistakes of the app are reported before anything is sent")
    func mistakes() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        let seen = shop.server.requests.count
        let authentication = wallet.authentication
        let requests = [
            SCA.ChallengeRequest(walletOperationID: "operation 1", verification: .sms),
            SCA.ChallengeRequest(
                walletOperationID: "operation-1", verification: SCA.Verification(method: .password, channel: .sms)),
            SCA.ChallengeRequest(
                walletOperationID: "operation-1", verification: .passkey,
                action: .init(returnURL: try url("javascript:alert(1)"))),
            SCA.ChallengeRequest(walletOperationID: "operation-1", verification: .passkey),
            SCA.ChallengeRequest(
                walletOperationID: "operation-1", verification: .sms,
                action: .init(returnURL: try url("https://app.example.com/callback"))),
        ]
        for request in requests {
            let error = await failure {
                try await authentication.sendSCAChallenge(eventID: Shop.event, request: request)
            }
            #expect(error?.code == .badRequest)
        }
        let noUUID = await failure {
            try await authentication.sendSCAChallenge(
                eventID: "../../token", request: .init(walletOperationID: "operation-1", verification: .sms))
        }
        #expect(noUUID?.code == .badRequest)
        for (verification, value) in [(SCA.Verification.sms, nil), (.sms, ""), (.sms, "12ab"), (.passkey, "123456")] {
            let error = await failure {
                try await authentication.submitSCAAttempt(
                    eventID: Shop.event,
                    request: .init(walletOperationID: "operation-1", verification: verification, value: value))
            }
            #expect(error?.code == .badRequest)
        }
        #expect(shop.server.requests.count == seen)
    }

    @Test("Another operation's event, and an unknown event, are not found")
    func notFound() async throws {
        let shop = try Shop(by: .sms)
        let wallet = try await shop.world.signedIn()
        _ = try await wallet.perform(shop.payment())
        for (event, operation) in [
            (Shop.event, "operation-2"), ("00000000-0000-4000-8000-000000000077", "operation-1"),
        ] {
            let error = await failure {
                try await wallet.authentication.sendSCAChallenge(
                    eventID: event, request: .init(walletOperationID: operation, verification: .sms))
            }
            #expect(error?.code == .eventNotFound)
        }
    }

    @Test("Codes and answers show in no description, dump or error")
    func redacted() throws {
        let attempt = SCA.AttemptRequest(walletOperationID: "operation-1", verification: .sms, value: "482913")
        var dumped = ""
        dump(attempt, to: &dumped)
        dump(SCA.Answer.code("482913"), to: &dumped)
        dumped += "\(attempt) \(SCA.Answer.code("482913")) \(String(reflecting: attempt))"
        #expect(!dumped.contains("482913"))
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite(
    "A request that needs the person's consent",
    .covers("retry with scaDetails"))
struct ConsentTests {
    @Test("It is shown, approved by a code, and sent once more: the same key, scaDetails, and every byte of the body")
    func agreed() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.code(Shop.code))
        let body = #"{ "amount" : 12.50, "to":"Huber" } "#
        let (data, response) = try await wallet.perform(shop.payment(body), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(String(decoding: data, as: UTF8.self).contains("DONE"))
        let prompt = try #require(person.prompts.first)
        #expect(person.prompts.count == 1)
        #expect(prompt.verification == .sms)
        #expect(prompt.challenge.destination == "•••42")
        #expect(prompt.challenge.resendAfter == .seconds(30))
        #expect(prompt.remainingAttempts == nil)
        #expect(prompt.fault == nil)
        #expect(prompt.request.url?.path == Shop.path)
        #expect(prompt.operation.type == "TRANSFER")
        #expect(prompt.operation.amount?.decimal == Decimal(string: "12.5"))
        #expect(prompt.operation.payee?.name == "Blumen Huber")
        #expect(prompt.operation.details == ["reference": "Tulips"])
        #expect(prompt.operation.account.rawValue == Shop.alice)
        #expect(prompt.operation.clientID == "com.example.backend")
        let bodies = shop.payments.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(
            bodies == [
                body,
                #"{ "amount" : 12.50, "to":"Huber" ,"scaDetails":{"eventId":"\#(Shop.event)","walletOperationId":"operation-1"}} "#,
            ])
        #expect(shop.keys.count == 1)
        #expect(shop.keys.first != .some(nil))
        #expect(shop.carriedOut == 1)
        let pending = try await wallet.pendingSCA
        #expect(pending.isEmpty)
    }

    @Test(
        "The app's own Idempotency-Key stays; without one the first sending is not repeated, since the app did not allow it"
    )
    func keys() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.code(Shop.code))
        _ = try await wallet.perform(shop.payment(key: "the-app-s-own-key"), onSCA: person.handler)
        #expect(shop.keys == ["the-app-s-own-key"])
        shop.server.inject(.loseRequest, at: Shop.path)
        let lost = await failure { try await wallet.perform(shop.payment(), onSCA: person.handler) }
        #expect(lost?.outcome == .temporarilyUnavailable(retryAfter: nil))
        #expect(lost?.reachedServer == false)
        #expect(shop.payments.count == 2)
    }

    @Test("An answer that asks for no consent is returned, and the person is not asked")
    func noConsent() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers()
        let (_, response) = try await wallet.perform(request("/me"), onSCA: person.handler)
        #expect(response.status == 200)
        shop.server.inject(
            .answer(HTTPResponse(status: 403, body: Data(#"{"code":"not_yours"}"#.utf8))), at: Shop.path)
        let (_, refused) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(refused.status == 403)
        #expect(person.prompts.isEmpty)
    }

    @Test(
        "A body that cannot bear scaDetails: the 403 is the app's, which has to ask by hand",
        arguments: ["amount=12", "[1]", #"{"scaDetails":{}}"#])
    func otherBodies(body: String) async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers()
        let required = SCARequired(
            eventID: try SCAEventID(Shop.event), operationID: try WalletOperationID("operation-1"),
            availableVerifications: [AvailableVerification(.sms)])
        shop.server.inject(
            .answer(HTTPResponse(status: 403, body: Data(required.json.bytes))), at: Shop.path)
        let (data, response) = try await wallet.perform(shop.payment(body), onSCA: person.handler)
        #expect(SCA.Required(data: data, response: response)?.eventID == Shop.event)
        #expect(person.prompts.isEmpty)
    }

    // MARK: - Codes

    @Test("A wrong code is asked for again, with the tries that are left; the fifth ends it with data_error")
    func wrongCodes() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.code("111111"))
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: person.handler) }
        #expect(error?.code == .dataError)
        #expect(error?.outcome == .refused)
        #expect(error?.reachedServer == true)
        #expect(error?.remainingAttempts == 0)
        #expect(error?.errorDescription?.contains("Nothing was paid") == true)
        #expect(person.prompts.map(\.remainingAttempts) == [nil, 4, 3, 2, 1])
        #expect(person.prompts.map(\.fault) == [nil, .wrongValue, .wrongValue, .wrongValue, .wrongValue])
        #expect(shop.count(Shop.challenges) == 1)
        #expect(shop.carriedOut == 0)
        let pending = try await wallet.pendingSCA
        #expect(pending.isEmpty)
    }

    @Test("A handler that opens a page for a code has made a mistake, and the person is not told that they did")
    func wrongKindOfAnswer() async throws {
        let (shop, wallet) = try await Shop.visited()
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: Answers(.page).handler) }
        #expect(error?.code == .badRequest)
        #expect(error?.outcome == .misconfigured)
        #expect(error?.reason.contains("the handler's answer does not match the challenge") == true)
        let unknown = WalletError("unknown", .misconfigured, during: .perform, reason: "")
        #expect(error?.errorDescription == unknown.errorDescription)
    }

    @Test("What can be no code costs nothing and is not sent")
    func malformed() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.code(""), .code("12345"), .code(Shop.code))
        _ = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(person.prompts.map(\.fault) == [nil, .malformedValue, .malformedValue])
        #expect(shop.count(Shop.attempts) == 1)
    }

    @Test("A code is sent again; after the third none is, and the last one still counts")
    func resend() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.resend, .resend, .resend, .code(Shop.code))
        let clock = shop.world.clock
        let (_, response) = try await wallet.perform(
            shop.payment(),
            onSCA: { prompt in
                clock.advance(by: .seconds(31))
                return try await person.handler(prompt)
            })
        #expect(response.status == 201)
        #expect(person.prompts.map(\.fault) == [nil, nil, nil, .noCodeLeft])
        #expect(person.prompts.last?.challenge.resendAfter == nil)
        #expect(shop.server.consents.map(\.sends) == [3])
    }

    @Test("A code that is asked for again too soon is not sent, and the person learns it")
    func resendTooSoon() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.resend, .code("12ab"), .code(Shop.code))
        let (_, response) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.map(\.fault) == [nil, .tooSoon, .malformedValue])
        #expect(person.prompts[1].challenge.resendAfter == .seconds(30))
        #expect(person.prompts.last?.remainingAttempts == nil, "what can be no code costs no try")
        #expect(shop.server.consents.map(\.sends) == [1])
    }

    @Test("A code that is too old is said to be, costs nothing, and another one is sent when the person wants it")
    func expiredCode() async throws {
        let (shop, wallet) = try await Shop.visited()
        let person = Answers(.code(Shop.code), .resend, .code(Shop.code))
        let clock = shop.world.clock
        let first = LockedValue(true)
        let (_, response) = try await wallet.perform(
            shop.payment(),
            onSCA: { prompt in
                if first.withLock({ first in
                    defer { first = false }
                    return first
                }) {
                    clock.advance(by: .seconds(301))
                }
                return try await person.handler(prompt)
            })
        #expect(response.status == 201)
        #expect(person.prompts.map(\.fault) == [nil, .codeExpired, nil])
        #expect(person.prompts[1].remainingAttempts == 5)
    }

    // MARK: - Ways

    @Test("Without a choice the first way is the one that asks least; the app may choose, and change its mind")
    func choosing() async throws {
        let shop = try Shop(by: .email, .sms, .authenticator)
        let wallet = try await shop.world.signedIn()
        let first = Answers(.code(Shop.code))
        _ = try await wallet.perform(shop.payment(), onSCA: first.handler)
        #expect(first.prompts.map(\.verification) == [.authenticator])
        #expect(first.prompts[0].alternatives.map(\.verification) == [.sms, .email])

        let second = Answers(.instead(.sms), .code(Shop.code))
        let offered = LockedValue<[SCA.AvailableVerification]>([])
        let clock = shop.world.clock
        _ = try await wallet.perform(
            shop.payment(),
            onSCA: { prompt in
                // Half a minute lies between two codes.
                clock.advance(by: .seconds(30))
                return try await second.handler(prompt)
            },
            choosing: { ways in
                offered.withLock { $0 = ways }
                return .email
            })
        #expect(offered.withLock { $0 }.map(\.verification) == [.authenticator, .sms, .email])
        #expect(offered.withLock { $0 }.map(\.destination) == [nil, "•••42", "•••42"])
        #expect(second.prompts.map(\.verification) == [.email, .sms])
        #expect(shop.carriedOut == 2)
    }

    @Test("Where a second factor is needed it goes on with what is still there")
    func twoFactors() async throws {
        let shop = try Shop(by: .authenticator, .sms, .email, proofs: 2)
        let wallet = try await shop.world.signedIn()
        let person = Answers(.code(Shop.code))
        let (_, response) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.map(\.verification) == [.authenticator, .sms])
        #expect(shop.server.consents.map(\.proved) == [[.authenticator, .sms]])
    }

    @Test("The answer to the first of two factors is lost: it goes on with the second, and asks for no value twice")
    func lostFirstFactor() async throws {
        let shop = try Shop(by: .authenticator, .sms, proofs: 2)
        let wallet = try await shop.world.signedIn()
        let person = Answers(.code(Shop.code))
        shop.server.inject(.loseAnswer, at: Shop.attempts)
        async let answer = wallet.perform(shop.payment(), onSCA: person.handler)
        await shop.world.clock.waitForSleepers()
        shop.world.clock.advance(by: .seconds(1))
        #expect(try await answer.1.status == 201)
        #expect(person.prompts.map(\.verification) == [.authenticator, .sms])
        #expect(shop.server.consents.map(\.failed) == [0])
    }

    @Test("A way that is no longer there gives way to what the server offers instead")
    func unavailable() async throws {
        let shop = try Shop(by: .authenticator, .sms)
        let wallet = try await shop.world.signedIn()
        var problem = Problem(status: 409, code: "verification_unavailable", title: "Conflict").json
        problem["availableVerifications"] = .array([.object(AvailableVerification(.sms).json)])
        shop.server.inject(.answer(HTTPResponse(status: 409, body: Data(problem.bytes))), at: Shop.challenges)
        let person = Answers(.code(Shop.code))
        let (_, response) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.map(\.verification) == [.sms])
    }

    @Test("None of the ways can be used on this device: said so before anything is sent")
    func noWay() async throws {
        let shop = try Shop(by: .deviceBiometric, .devicePIN)
        let wallet = try await shop.world.signedIn()
        let person = Answers()
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: person.handler) }
        #expect(error?.code == .scaUnavailable)
        #expect(shop.count(Shop.challenges) == 0)
    }

    @Test("An answer that does not fit the question is the app's mistake, and costs nothing")
    func misfit() async throws {
        let (shop, wallet) = try await Shop.visited()
        for answer in [SCA.Answer.page, .biometrics(reason: "Pay"), .instead(.email)] {
            let error = await failure { try await wallet.perform(shop.payment(), onSCA: Answers(answer).handler) }
            #expect(error?.code == .badRequest)
            #expect(error?.outcome == .misconfigured)
        }
        #expect(shop.count(Shop.attempts) == 0)
    }

    @Test(
        "A code where a page is asked for, by a passkey, a password or a PIN: the error names the answer that fits",
        arguments: [
            (SCA.Verification.passkey, "PASSKEY by REDIRECT takes .page"),
            (SCA.Verification.password, "PASSWORD by REDIRECT takes .page"),
            (SCA.Verification.hostedPIN, "PIN by REDIRECT takes .page"),
        ])
    func fitting(way: SCA.Verification, told: String) async throws {
        let shop = try Shop(by: way)
        let wallet = try await shop.world.signedIn()
        let error = await failure {
            try await wallet.perform(shop.payment(), onSCA: Answers(.code(Shop.code)).handler)
        }
        #expect(error?.code == .badRequest)
        #expect(error?.reason.hasSuffix(told) == true, "\(error?.reason ?? "")")
        #expect(shop.count(Shop.attempts) == 0)
    }

    @Test("A handler that answers for ever without an end is stopped")
    func endless() async throws {
        let shop = try Shop(by: .authenticator, .email)
        let wallet = try await shop.world.signedIn()
        let error = await failure {
            try await wallet.perform(
                shop.payment(),
                onSCA: { .instead($0.verification == .email ? .authenticator : .email) })
        }
        #expect(error != nil)
        #expect(shop.carriedOut == 0)
    }

    // MARK: - Saying no

    @Test("The person says no: nothing is carried out, and nothing is left to go on with")
    func refused() async throws {
        let (shop, wallet) = try await Shop.visited()
        let error = await failure { try await wallet.perform(shop.payment(), onSCA: Answers(.refuse).handler) }
        #expect(error?.outcome == .cancelledByPerson)
        #expect(shop.payments.count == 1)
        let pending = try await wallet.pendingSCA
        #expect(pending.isEmpty)
    }

    @Test("What the app's closure throws comes back as it is")
    func thrown() async throws {
        let (shop, wallet) = try await Shop.visited()
        await #expect(throws: Answers.NothingToSay.self) {
            try await wallet.perform(shop.payment(), onSCA: Answers().handler)
        }
        await #expect(throws: Answers.NothingToSay.self) {
            try shop.requireConsent(by: [.sms, .email])
            return try await wallet.perform(
                shop.payment(), onSCA: Answers().handler, choosing: { _ in throw Answers.NothingToSay() })
        }
    }

    @Test("Cancelling while the person is asked ends the call with CancellationError, and sends nothing more")
    func cancelled() async throws {
        let (shop, wallet) = try await Shop.visited()
        let (asked, question) = AsyncStream.makeStream(of: Void.self)
        let payment = try shop.payment()
        let call = Task {
            try await wallet.perform(
                payment,
                onSCA: { _ in
                    question.yield()
                    try await hangUntilCancelled()
                    return .code(Shop.code)
                })
        }
        for await _ in asked { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(shop.count(Shop.attempts) == 0)
        #expect(shop.payments.count == 1)
        let pending = try await wallet.pendingSCA
        #expect(pending.map(\.id) == [Shop.event])
    }
}

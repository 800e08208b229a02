import Core
import Crypto
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite(
    "What a payment consent cannot be made to grow to",
    .article("4(3)(b) at most five failures", "29(2)(b) detailed logging"),
    .threat("A payer who contests, and an app that keeps asking"))
struct ConsentBoundsTests {
    /// The longest that an app may send, in characters of four bytes.
    private static let agent = String(repeating: "\u{1F4B6}", count: 1000)

    /// The largest operation that there is: its quotation marks take two bytes each in JSON.
    private func largest() throws -> WalletOperation {
        func marks(_ count: Int) -> String { String(repeating: "\"", count: count) }
        var details: [String: String] = [:]
        for number in 10..<26 { details["\(number)" + String(repeating: "n", count: 62)] = marks(256) }
        return try WalletOperation(
            type: WalletOperationType(String(repeating: "T", count: 64)),
            amount: Money(minorUnits: 900_719_925_474_099, currency: .euro),
            payee: Payee(name: marks(140), account: marks(128)), details: details)
    }

    /// Challenges the password from a program that names itself at length.
    private func challenge(
        _ page: TestConsentPage, _ event: SCAEventID
    ) async throws -> Result<SCAChallengeResponse, ConsentRefusal> {
        var presented = try page.shop.device.presented(.post, Endpoints.scaChallenges.path(event))
        presented.origin = RequestOrigin(
            address: "2001:db8:1111:2222:3333:4444:5555:6666", traceID: String(repeating: "a", count: 32),
            userAgent: Self.agent)
        return try await page.shop.server.flows.consent.events.challenge(
            SCAChallengeRequest(
                operationID: WalletOperationID("op-1"), verification: .password,
                returnURL: RedirectURI(TestConsentPage.returnURL)),
            by: page.shop.call(Endpoints.scaChallenges, about: event, id: "op-1", presented))
    }

    @Test("attack: a payer who challenges endlessly before paying does not make the evidence unobtainable")
    func endlessChallenges() async throws {
        let page = try await TestConsentPage.open()
        let operation = try largest()
        let event = try await page.shop.required(operation)
        var link: String?
        var made = 0
        for _ in 0..<60 {
            switch try await challenge(page, event) {
            case .success(let response):
                made += 1
                link = response.redirectURL?.rawValue
            case .failure(let refusal): #expect(refusal == .noChallengeLeft)
            }
        }
        #expect(made == SCALimits.challenges)
        let url = try #require(link)
        let query = String(url.drop { $0 != "?" }.dropFirst())
        let ticket = try #require(try FormParameters(parsing: query)["ticket"])
        var browser = try await page.browser(ticket)
        for _ in 0..<4 { try await browser.agree("not the password") }
        try await browser.agree()
        #expect(browser.location != nil)
        _ = try await page.shop.consume(operation, event: event).get()

        let document = try await page.shop.evidence()
        #expect(document.rawValue.utf8.count < OperationEvidence.maximumBytes)
        let evidence = try await page.shop.verifiedEvidence()
        #expect(evidence.status == .authorized)
        #expect(evidence.steps.count == SCALimits.challenges + 3)
        #expect(evidence.attempts.count == 5)
        let longest = evidence.steps.compactMap { $0.circumstances?.userAgent?.utf8.count }.max()
        #expect(longest == 256)
    }

    @Test("The largest document fits, with room: every challenge, every try, and the longest of everything")
    func largestDocument() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        _ = try await shop.consume(TestShop.transfer(), event: event).get()
        var claims = try await shop.verifiedEvidence()
        let key = try AuditCheckpointKey(
            DataKey(id: KeyID(1), label: KeyPurpose.audit.rawValue, key: SymmetricKey(size: .bits256)))
        let from = OperationEvidenceClaims.Circumstances(
            address: String(repeating: "f", count: 45),
            userAgent: String(repeating: "\"", count: OperationEvidenceClaims.Circumstances.keptUserAgentBytes),
            traceID: String(repeating: "a", count: 32))
        let methods = ["pwd", "otp", "sms", "hwk", "pin", "bio", "pop", "uv", "mfa", "user"]
        func step(_ kind: OperationEvidenceClaims.Step.Kind) -> OperationEvidenceClaims.Step {
            OperationEvidenceClaims.Step(
                kind: kind, at: 9_999_999_999_999, verification: .deviceBiometric,
                destination: String(repeating: "\"", count: 254),
                signIn: OperationEvidenceClaims.SignIn(methods: methods, at: 9_999_999_999_999, isCounted: false),
                circumstances: from,
                place: OperationEvidenceClaims.Place(
                    partition: .max, sequence: .max, link: [UInt8](repeating: 255, count: 32)))
        }
        let attempt = OperationEvidenceClaims.Attempt(
            verification: .deviceBiometric, at: 9_999_999_999_999, isRight: false, methods: methods,
            circumstances: from)
        var signed = attempt
        // An assertion is a value of an attempt, which has at most 8192 bytes.
        signed.device = OperationEvidenceClaims.Device(
            id: try DeviceID("0190b3f2-0000-7000-8000-000000000001"), key: key.publicKey,
            signature: String(repeating: "a", count: 8192))
        claims.payload = [UInt8](repeating: 255, count: OperationPayload.maximumBytes)
        claims.findings = SCAExemption.allCases.map {
            ExemptionFinding($0, isGranted: false, reason: String(repeating: "r", count: 256))
        }
        claims.steps =
            [step(.requested)] + Array(repeating: step(.challenged), count: SCALimits.challenges) + [
                step(.verified), step(.authorized),
            ]
        // A right value that completes nothing takes a challenge of its own before the next: there are no more of them.
        claims.attempts = Array(repeating: attempt, count: SCALimits.tries + SCALimits.challenges) + [signed]
        claims.authorization = OperationEvidenceClaims.Authorization(
            code: try AuthenticationCode(String(repeating: "a", count: CompactJWS.maximumBytes)), key: key.publicKey)
        let document = try key.sign(claims)
        // What is left is for the names that are short here, the issuer's among them, and for what another factor signs.
        #expect(document.rawValue.utf8.count + 65_536 < OperationEvidence.maximumBytes)
    }

    @Test("attack: a proof that does not fit is a fault of the server, not of the backend that asks for it")
    func doesNotFit() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        let id = try #require(UniqueID(uuid: event.rawValue))
        let now = shop.server.clock.now()
        let sealed = try OperationVault(shop.server.context.sealing).seal(
            RequestOrigin(address: "192.0.2.1", userAgent: String(repeating: "\"", count: 256)), of: id)
        try await shop.server.context.database.write { connection in
            for _ in 0..<500 {
                try SCASteps.add(
                    SCASteps.Record(kind: "challenged", facts: "{}", circumstances: sealed, place: nil, at: now),
                    to: id, on: connection)
            }
        }
        await #expect(throws: RequestedOperations.EvidenceNotMade.self) { try await shop.evidence() }
    }

    @Test(
        "attack: thirty seconds between codes are not gone around by another channel or by the hosted page in between")
    func codesApart() async throws {
        let page = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let event = try await page.shop.required(TestShop.transfer())
        _ = try await page.shop.challenge(.sms, of: event).get()
        _ = try await page.ticket(of: event)
        for way in [SCAVerification.sms, .email] {
            let early = try await page.shop.challenge(way, of: event)
            #expect(early.refusal == .tooManyAttempts(retryAfter: 30))
        }
        let sent = try await page.shop.server.messages().count { $0.kind == "consent_code" }
        #expect(sent == 1)
        page.shop.server.clock.advance(by: SCALimits.interval)
        _ = try await page.shop.challenge(.email, of: event).get()
    }

    @Test("attack: right values that come late, because something else was challenged meanwhile, use up no try")
    func late() async throws {
        let page = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let (event, ticket) = try await page.link()
        let interaction = try await self.interaction(page, ticket)
        let shown = try await interaction.prove(.password, as: .password) {
            _ = try await page.shop.challenge(.sms, of: event).get()
            return .right(ConsentProof(methods: ["pwd"]))
        }
        guard case .over(.superseded) = shown else {
            Issue.record("it was not late: \(String(describing: shown))")
            return
        }
        let told = try await page.outcome(of: event).get()
        #expect(told.remainingAttempts == 5)
    }

    @Test("attack: five tries that died with their process leave no event that is reported as locked but is not")
    func died() async throws {
        let page = try await TestConsentPage.open()
        let (_, ticket) = try await page.link()
        var browser = try await page.browser(ticket)
        let interaction = try await self.interaction(page, ticket)
        let events = page.shop.server.flows.consent.events
        let request = SCAAttemptRequest(
            operationID: try WalletOperationID("op-1"), verification: .password, value: nil)
        // The tries are reserved, and nothing is compared.
        for _ in 0..<SCALimits.tries {
            _ = try await events.reserve(request, interaction.record, call: interaction.call)
        }
        try await browser.agree()
        #expect(browser.end == .locked)
        let before = try await page.shop.status()
        #expect(before == .scaRequired)
        page.shop.server.clock.advance(by: SCALimits.comparison)
        try await browser.agree()
        #expect(browser.end == .locked)
        let after = try await page.shop.status()
        #expect(after == .failed)
        let told = try await page.shop.server.messages().contains { $0.kind == "payment_locked" }
        #expect(told)
        let evidence = try await page.shop.verifiedEvidence()
        #expect(evidence.status == .failed)
        #expect(evidence.attempts.map(\.isRight) == [false, false, false, false, false])
    }

    private func interaction(_ page: TestConsentPage, _ ticket: String) async throws -> ConsentInteraction {
        let (pages, now) = (page.shop.server.flows.consent.pages, page.shop.server.clock.now())
        let opened = try #require(pages.events.seal.open(ticket, now: now))
        return try #require(try await pages.interaction(of: opened, origin: TestServer.origin, now: now))
    }

    @Test("attack: an app that asks without end does not fill the disk: of one account a backend has a hundred open")
    func openOperations() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30))
        var shops = [shop]
        for _ in 1...2 {
            let next = try await elsewhere(shop)
            shops.append(next)
        }
        for number in 1...SCALimits.openOperations {
            _ = try await shops[Int(number) % shops.count].required(TestShop.transfer(), id: "op-\(number)")
        }
        let more = try await shop.ask(TestShop.transfer(), id: "more")
        guard case .tooManyOpen(let seconds)? = more.refusal else {
            Issue.record("it was taken: \(String(describing: more.refusal))")
            return
        }
        #expect(seconds > 0 && seconds <= SCALimits.eventLifetime.wholeSeconds)
        // What is there is still found, and another backend is not held up.
        let known = try await shop.ask(TestShop.transfer(), id: "op-3").get()
        #expect(known.status == .scaRequired)
        let other = try await shop.server.confidentialClient("other-shop")
        _ = try await shop.ask(TestShop.transfer(), id: "elsewhere", as: other).get()
        try await shop.server.flows.consent.operations.cancel(WalletOperationID("op-1"), call: shop.call()).get()
        _ = try await shop.required(TestShop.transfer(), id: "more")
        shop.server.clock.advance(by: SCALimits.eventLifetime)
        _ = try await shop.required(TestShop.transfer(), id: "later")
    }

    /// The same shop, with Ada in another session.
    private func elsewhere(_ shop: TestShop) async throws -> TestShop {
        shop.with(try await TestDevice.signedIn(shop.account, shop.device.app.client, methods: ["pwd"]))
    }

    @Test(
        "attack: a stolen session asks without end, so that the holder pays nothing, ends no series and distrusts no payee"
    )
    func openOperationsOfAThief() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.recurringPayments = true
        }
        let rent = try TestShop.transfer(800_00, type: "BEGIN_SERIES")
        let begun = try await shop.required(rent, id: "rent")
        try await shop.verifyDirectly(begun)
        _ = try await shop.consume(rent, event: begun, id: "rent").get()
        let end = try WalletOperation(endingSeries: WalletOperationID("rent"))
        let thief = try await elsewhere(shop)
        for number in 1...SCALimits.openOperationsOfSession {
            _ = try await thief.required(TestShop.transfer(), id: "stolen-\(number)")
        }
        // The share is for every kind: ending a series cannot be asked for without end either.
        let transfer = try TestShop.transfer()
        for operation in [transfer, end] {
            let more = try await thief.ask(operation, id: "more")
            guard case .tooManyOpen(let seconds)? = more.refusal else {
                Issue.record("it was taken: \(String(describing: more.refusal))")
                return
            }
            #expect(seconds > 0 && seconds <= SCALimits.eventLifetime.wholeSeconds)
        }
        _ = try await shop.required(TestShop.transfer(), id: "own")

        // Several stolen ones have the hundred together.
        let second = try await elsewhere(shop)
        for number in 1...SCALimits.openOperationsOfSession {
            _ = try await second.required(TestShop.transfer(), id: "second-\(number)")
        }
        let third = try await elsewhere(shop)
        for number in 1..<(SCALimits.openOperations - 2 * SCALimits.openOperationsOfSession) {
            _ = try await third.required(TestShop.transfer(), id: "third-\(number)")
        }
        let full = try await shop.ask(TestShop.transfer(), id: "full")
        guard case .tooManyOpen? = full.refusal else {
            Issue.record("it was taken: \(String(describing: full.refusal))")
            return
        }
        let payee = try Payee(name: "Anna", account: "DE02")
        try await shop.trust(payee)
        _ = try await shop.required(WalletOperation(type: .distrustPayee, payee: payee), id: "distrust")
        let ending = try await shop.ask(end, id: "end").get()
        #expect(ending.status == .exempt)
        _ = try await shop.consume(end, event: nil, id: "end").get()

        // The holder ends them: what they had asked for can no longer be carried out, and is not in the way.
        let own = UniqueID(bytes: try await shop.session().bytes)
        let account = try #require(UniqueID(bytes: shop.account.bytes))
        let now = shop.server.clock.now()
        let ended = try await shop.server.context.database.write {
            try Sessions.endAll(of: account, sparing: own, because: .administrator, now: now, on: $0)
        }
        #expect(ended == 3)
        _ = try await shop.required(transfer, id: "full")
    }
}

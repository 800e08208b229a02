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
    "The proof of a payment consent",
    .article(
        "4(2) a code reveals nothing", "29(1) all events", "29(2)(a) a unique identifier", "29(2)(b) detailed logging"),
    .threat("Restored databases"),
    .covers("GET /v1/wallet-operations/{id}/evidence", "erasing a person ends their open operations"))
struct EvidenceTests {
    @Test(
        "By a code: what was shown, where the code went, what was compared, the two categories, and the resulting code"
    )
    func byCode() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        let challenge = try await shop.challenge(.sms, of: event).get()
        _ = try await shop.attempt(shop.wrongCode(), .sms, at: event).get()
        let consentAt = shop.server.clock.now().milliseconds
        _ = try await shop.attempt(shop.code(), .sms, at: event).get()
        let authorized = try await shop.consume(transfer, event: event).get()

        let evidence = try await shop.verifiedEvidence()
        #expect(evidence.status == .authorized)
        #expect(evidence.payload == challenge.payload)
        #expect(evidence.account == shop.account)
        let session = try await shop.session()
        #expect(evidence.session == session)
        #expect(evidence.steps.map(\.kind) == [.requested, .challenged, .verified, .authorized])
        #expect(evidence.step(.challenged)?.destination?.hasSuffix("78") == true)
        #expect(evidence.step(.challenged)?.destination?.contains("491511234") == false)
        #expect(evidence.step(.verified)?.at == consentAt)
        #expect(evidence.steps.allSatisfy { $0.circumstances?.address == "192.0.2.1" })
        #expect(evidence.attempts.map(\.isRight) == [false, true])
        #expect(evidence.attempts.allSatisfy { $0.circumstances?.address == "192.0.2.1" })
        #expect(evidence.factors.map(\.method) == ["pwd", "sms"])
        #expect(evidence.factors.map(\.category) == [.knowledge, .possession])
        #expect(evidence.factors.map(\.origin) == [.signIn, .event(.sms)])
        #expect(evidence.authorization?.code == authorized.authenticationCode)
        let code = try await shop.code()
        let text = String(decoding: evidence.json.bytes, as: UTF8.self)
        #expect(!text.contains(code) && !text.contains("+4915112345678"))
    }

    @Test("Each step in the audit log is named by the chain, number and link of its entry")
    func audited() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        let evidence = try await shop.verifiedEvidence()
        let kinds = ["operation.sca_required", nil, "operation.verified"]
        try #require(evidence.steps.count == kinds.count)
        for (step, kind) in zip(evidence.steps, kinds) {
            #expect((step.place == nil) == (kind == nil))
            guard let place = step.place, let partition = AuditPartition(rawValue: place.partition) else { continue }
            let record = try await shop.server.context.database.read {
                try AuditChains.page(of: partition, after: place.sequence - 1, limit: 1, on: $0).first
            }
            #expect(record?.entry.kind == kind)
            #expect(record?.link == place.link)
        }
    }

    @Test(
        "attack: evidence of a consent by PIN has the device's own signature, and nowhere the signature by the PIN's key",
        .threat("Consent to something other than what was shown")
    )
    func byPIN() async throws {
        let setting = try await TestPINShop.open()
        let event = try await setting.shop.required(TestShop.transfer())
        let challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        let assertion = try await setting.assertion("271828", over: challenge)
        _ = try await setting.shop.attempt(assertion, .devicePIN, at: event).get()
        let evidence = try await setting.shop.verifiedEvidence()
        let device = try #require(evidence.attempts.first?.device)
        #expect(device.id == setting.pin.id)
        let signatures = try GeneralJWS(Array(assertion.utf8)).signatures.map { Base64URL.encode($0.signature) }
        try #require(signatures.count == 2)
        #expect(device.signature.hasSuffix("." + signatures[0]))
        let text = String(decoding: evidence.json.bytes, as: UTF8.self)
        #expect(!text.contains(signatures[1]))
        #expect(evidence.attempts.map(\.methods) == [["swk", "pin"]])
        #expect(evidence.factors.filter { $0.origin != .signIn }.map(\.category) == [.possession, .knowledge])
    }

    @Test("Exempt, locked, withdrawn, expired and open operations have evidence as well, and it is valid")
    func everyEnd() async throws {
        let limits = try ExemptionSettings.LowValue(
            single: TestShop.euro(30_00), cumulative: TestShop.euro(100_00), count: 5)
        let shop = try await TestShop.open { $0.sca.policy.exemptions.lowValue = limits }
        let small = try TestShop.transfer(12_00)
        _ = try await shop.ask(small, id: "small").get()
        let exempt = try await shop.verifiedEvidence("small")
        #expect(exempt.status == .exempt)
        #expect(exempt.decision == .exempt(.lowValue))
        #expect(exempt.findings.first?.reason.hasPrefix("Low-value payment 1 of 5") == true)
        _ = try await shop.consume(small, event: nil, id: "small").get()
        let used = try await shop.verifiedEvidence("small")
        #expect(used.status == .authorized && used.authorization != nil)

        let locked = try await shop.required(TestShop.transfer(), id: "locked")
        _ = try await shop.challenge(.sms, of: locked, id: "locked").get()
        for _ in 0..<5 { _ = try await shop.attempt(shop.wrongCode(), .sms, at: locked, id: "locked") }
        let failed = try await shop.verifiedEvidence("locked")
        #expect(failed.status == .failed)
        #expect(failed.attempts.count == 5)
        #expect(failed.steps.last?.kind == .locked)

        _ = try await shop.required(TestShop.transfer(), id: "cancelled")
        try await shop.server.flows.consent.operations.cancel(WalletOperationID("cancelled"), call: shop.call()).get()
        let cancelled = try await shop.verifiedEvidence("cancelled")
        #expect(cancelled.status == .cancelled)

        _ = try await shop.required(TestShop.transfer(), id: "open")
        let open = try await shop.verifiedEvidence("open")
        #expect(open.status == .scaRequired)
        shop.server.clock.advance(by: SCALimits.eventLifetime)
        let expired = try await shop.verifiedEvidence("open")
        #expect(expired.status == .expired)
    }

    @Test(
        "A payment whose payee and reference have nothing to see, agreed to before that was refused, is found, proved and exported",
        arguments: [" ", "\u{2800}", "\u{1D159}"])
    func nothingToSee(text: String) async throws {
        let shop = try await TestShop.open()
        let transfer = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: TestShop.euro(90_00),
            payee: Payee(name: text, account: "DE02120300000000202051"), details: ["reference": text])
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        _ = try await shop.consume(transfer, event: event).get()
        let status = try await shop.status()
        #expect(status == .authorized)
        let evidence = try await shop.verifiedEvidence()
        let proved = try OperationPayload(parsing: evidence.payload).operation
        #expect(proved == transfer)
        let document = try await shop.server.administer(["account", "export", "ada"])
        let operation = document["walletOperations"]?.array?.first?.object?["operation"]?.object
        #expect(operation?["payee"]?.object?["name"]?.string == text)
    }

    @Test("An idle session's sign-in is named, and said not to have counted")
    func idle() async throws {
        let shop = try await TestShop.open(
            methods: ["pwd"], tokensLast: .minutes(30), consentReturnURLs: [TestConsentPage.returnURL])
        shop.server.clock.advance(by: .seconds(301))
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        _ = try await shop.attempt(shop.code(), .sms, at: event).get()
        let evidence = try await shop.verifiedEvidence()
        #expect(evidence.status == .scaRequired)
        #expect(evidence.factors.isEmpty)
        #expect(evidence.attempts.map(\.isRight) == [true])
    }

    @Test("The same facts make the same content, also by another audit key and in another process")
    func stable() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        _ = try await shop.consume(TestShop.transfer(), event: event).get()
        func content(_ shop: TestShop) async throws -> [UInt8] {
            try await CompactJWS(
                shop.evidence().rawValue, maximumBytes: OperationEvidence.maximumBytes
            ).unverifiedPayload
        }
        let first = try await content(shop)
        let second = try await content(shop)
        #expect(first == second)
        try await shop.server.administer(["keys", "rotate", "audit"])
        let third = try await content(shop)
        #expect(first == third)
        _ = try await shop.verifiedEvidence()
        let again = shop.at(try await shop.server.restarted())
        let fourth = try await content(again)
        #expect(first == fourth)
    }

    @Test("attack: another backend, a backend without the scope and a person get no proof of a person's payment")
    func whose() async throws {
        let shop = try await TestShop.open()
        _ = try await shop.required(TestShop.transfer())
        let id = try WalletOperationID("op-1")
        let path = Endpoints.walletOperationEvidence.path(id)
        let thief = try await shop.server.confidentialClient("thief")
        let stolen = try await shop.server.flows.consent.operations.evidence(
            of: id, call: shop.call(as: thief, .get, path))
        #expect(stolen.refusal == .operationNotFound)
        let weak = try await shop.server.confidentialClient("weak") { $0.scopes = ["wallet"] }
        await #expect(throws: OAuthRefusal.insufficientScope("wallet_operations")) {
            try await shop.call(as: weak, .get, path)
        }
        let person = try shop.device.presented(.get, path)
        await #expect(throws: OAuthRefusal.unusableToken(.ofPerson)) {
            try await shop.server.flows.callers.backend(person, scope: RequestedOperations.scope)
        }
    }

    @Test("attack: keys of another server verify nothing")
    func anotherServer() async throws {
        let shop = try await TestShop.open()
        _ = try await shop.required(TestShop.transfer())
        let evidence = try await shop.evidence()
        let name = try #require(try CompactJWS(evidence.rawValue, maximumBytes: 262_144).header.keyID)
        let number = try #require(name.split(separator: "-").dropFirst().first.flatMap { UInt32($0) })
        let other = try AuditCheckpointKey(
            DataKey(id: KeyID(number), label: KeyPurpose.audit.rawValue, key: SymmetricKey(size: .bits256)))
        #expect(throws: EvidenceFault.forged(.unknownKey)) {
            try evidence.verified(by: JWKSet([other.publicKey]))
        }
        // One that goes by the name of this server's key.
        let named = try JWK(other.publicKey.key, keyID: name)
        #expect(throws: EvidenceFault.forged(.invalidSignature)) { try evidence.verified(by: JWKSet([named])) }
    }

    @Test("Erasure leaves no trusted payee, no count and no address, and the proof of the payments stays")
    func erased() async throws {
        let shop = try await TestShop.open { $0.sca.policy.exemptions.trustedBeneficiaries = true }
        let trust = try WalletOperation(
            type: .trustPayee, payee: Payee(name: "Anna Verna", account: "DE02120300000000202051"))
        let event = try await shop.required(trust)
        try await shop.agree(to: event)
        _ = try await shop.consume(trust, event: event).get()
        for table in ["trusted_payees", "sca_history"] {
            let rows = try await shop.server.rows(of: table)
            #expect(rows == 1)
        }
        try await shop.server.administer(["account", "erase", "ada"])
        for table in ["trusted_payees", "sca_history"] {
            let rows = try await shop.server.rows(of: table)
            #expect(rows == 0)
        }
        let evidence = try await shop.verifiedEvidence()
        #expect(evidence.status == .authorized)
        #expect(evidence.account == shop.account)
        #expect(evidence.factors.map(\.method) == ["pwd", "sms"])
        let text = String(decoding: evidence.json.bytes, as: UTF8.self)
        #expect(!text.contains("192.0.2.1") && !text.contains("destination"))
    }

    @Test(
        "Erasure ends what the person could still approve or have carried out, with evidence, and leaves what expired")
    func erasedOpen() async throws {
        for isLate in [false, true] {
            let shop = try await TestShop.open()
            let transfer = try TestShop.transfer()
            let event = try await shop.required(transfer, id: "agreed")
            try await shop.agree(to: event, id: "agreed")
            _ = try await shop.required(transfer, id: "open")
            if isLate { shop.server.clock.advance(by: SCALimits.consentLifetime) }
            try await shop.server.administer(["account", "erase", "ada"])
            let open = try await shop.verifiedEvidence("open")
            #expect(open.status == .cancelled)
            #expect(open.steps.map { $0.kind } == [.requested, .voided])
            let agreed = try await shop.verifiedEvidence("agreed")
            #expect(agreed.status == (isLate ? .expired : .cancelled))
            #expect(agreed.steps.last?.kind == (isLate ? .verified : .voided))
            let consumed = try await shop.consume(transfer, event: event, id: "agreed")
            #expect(consumed.refusal == .over(isLate ? .expired : .cancelled))
        }
    }

    @Test(
        "After a restore, earlier consents cannot be used, nor open requests approved; what was used stays used",
        .threat("Consent to something other than what was shown")
    )
    func restored() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let agreed = try await shop.required(transfer, id: "agreed")
        try await shop.agree(to: agreed, id: "agreed")
        let used = try await shop.required(transfer, id: "used")
        try await shop.agree(to: used, id: "used")
        _ = try await shop.consume(transfer, event: used, id: "used").get()
        _ = try await shop.required(transfer, id: "open")

        let restored = shop.at(try await shop.server.restarted(epoch: 1))
        for id in ["agreed", "open"] {
            let evidence = try await restored.verifiedEvidence(id)
            #expect(evidence.status == .cancelled)
            #expect(evidence.steps.last?.kind == .voided)
        }
        let consumed = try await restored.consume(transfer, event: agreed, id: "agreed")
        #expect(consumed.refusal == .over(.cancelled))
        let kept = try await restored.verifiedEvidence("used")
        #expect(kept.status == .authorized)
        let again = shop.at(try await restored.server.restarted(epoch: 1))
        let same = try await again.verifiedEvidence("agreed")
        #expect(same.steps.filter { $0.kind == .voided }.count == 1)
    }

    @Test("Everything goes when the time for which evidence is kept is over, and nothing before")
    func retention() async throws {
        let shop = try await TestShop.open { $0.sca.evidenceRetention = .days(400) }
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        let database = shop.server.context.database
        shop.server.clock.advance(by: .days(400) - .seconds(60))
        _ = try await Sweep.run(database, now: shop.server.clock.now())
        _ = try await shop.verifiedEvidence()
        shop.server.clock.advance(by: .seconds(60))
        _ = try await Sweep.run(database, now: shop.server.clock.now())
        for table in ["wallet_operations", "sca_steps", "sca_attempts"] {
            let rows = try await shop.server.rows(of: table)
            #expect(rows == 0, "\(table)")
        }
    }
}

import FlowSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite("Payment consents of a former issuer", .covers("that evidence after a change of issuer or domain"))
struct FormerIssuerTests {
    @Test(
        "An operation that a device approved has the same evidence under another issuer: it names the former one, and is valid"
    )
    func device() async throws {
        let setting = try await TestPINShop.open()
        let shop = setting.shop
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        let challenge = try await shop.challenge(.devicePIN, of: event).get()
        let assertion = try await setting.assertion("271828", over: challenge)
        _ = try await shop.attempt(assertion, .devicePIN, at: event).get()
        _ = try await shop.consume(transfer, event: event).get()
        let before = try await shop.verifiedEvidence()

        let later = shop.at(try await shop.server.moved(to: "https://id.example.com"))
        let after = try await later.verifiedEvidence()
        #expect(after == before)
        #expect(after.issuer.rawValue == "https://auth.example.com")
        #expect(after.status == .authorized)
        #expect(after.attempts.first?.device != nil)
        #expect(after.authorization != nil)
    }

    @Test(
        "attack: what was asked for or agreed to under the former issuer is carried out under none, and has a proof that holds"
    )
    func underWay() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let agreed = try await shop.required(transfer, id: "agreed")
        try await shop.agree(to: agreed, id: "agreed")
        let challenged = try await shop.required(transfer, id: "challenged")
        shop.server.clock.advance(by: .seconds(30))
        _ = try await shop.challenge(.sms, of: challenged, id: "challenged").get()
        _ = try await shop.required(transfer, id: "open")

        let server = try await shop.server.moved(to: "https://id.example.com")
        let later = shop.at(server)
        for id in ["agreed", "challenged", "open"] {
            let evidence = try await later.verifiedEvidence(id)
            #expect(evidence.issuer.rawValue == "https://auth.example.com")
            #expect(evidence.status == .cancelled)
            #expect(evidence.steps.last?.kind == .voided)
        }
        let consumed = try await later.consume(transfer, event: agreed, id: "agreed")
        #expect(consumed.refusal == .over(.cancelled))

        // What begins under the next issuer does not count as former, not at its next start either.
        let app = TestClient(server: server, id: shop.device.app.client.id, secret: nil)
        let present = later.with(try await TestDevice.signedIn(shop.account, app, methods: ["pwd"]))
        _ = try await present.required(transfer, id: "new")
        let restarted = present.at(try await server.restarted())
        let evidence = try await restarted.verifiedEvidence("new")
        #expect(evidence.status == .scaRequired)
        #expect(evidence.issuer.rawValue == "https://id.example.com")
    }

    @Test(
        "A start under another issuer by mistake takes nothing back, nor does an issuer that was changed there and back"
    )
    func mistake() async throws {
        let shop = try await TestShop.open()
        _ = try await shop.required(TestShop.transfer())
        let own = shop.server.context.settings.issuer
        _ = try await PinnedIssuer.establish(own, in: shop.server.context.database)
        try await shop.server.administer(["database", "change-issuer", "https://id.example.com"])
        let third = try Issuer("https://other.example.com")
        let mistaken = try await shop.server.restarted { $0.issuer = third }
        let mistakenly = try await shop.at(mistaken).verifiedEvidence()
        #expect(mistakenly.status == .scaRequired)

        try await mistaken.administer(["database", "change-issuer", own.rawValue])
        let back = try await mistaken.restarted { $0.issuer = own }
        let again = try await shop.at(back).verifiedEvidence()
        #expect(again.status == .scaRequired)
    }
}

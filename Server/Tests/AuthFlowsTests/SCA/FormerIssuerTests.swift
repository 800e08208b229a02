import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthAdministration
@testable import AuthConsent
@testable import AuthFoundation

@Suite("Payment consents of a former issuer")
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
        try await shop.server.administer(.database(.changeIssuer(to: "https://id.example.com")))
        let third = try Issuer("https://other.example.com")
        let mistaken = try await shop.server.restarted { $0.issuer = third }
        let mistakenly = try await shop.at(mistaken).verifiedEvidence()
        #expect(mistakenly.status == .scaRequired)

        try await mistaken.administer(.database(.changeIssuer(to: own.rawValue)))
        let back = try await mistaken.restarted { $0.issuer = own }
        let again = try await shop.at(back).verifiedEvidence()
        #expect(again.status == .scaRequired)
    }

    @Test("What was asked for before the issuer was kept has proofs of the issuer that each of them was signed for")
    func notKept() async throws {
        let setting = try await TestPINShop.open()
        let shop = setting.shop
        let transfer = try TestShop.transfer()
        for id in ["used", "agreed"] {
            let event = try await shop.required(transfer, id: id)
            let challenge = try await shop.challenge(.devicePIN, of: event, id: id).get()
            let assertion = try await setting.assertion("271828", over: challenge)
            _ = try await shop.attempt(assertion, .devicePIN, at: event, id: id).get()
            if id == "used" { _ = try await shop.consume(transfer, event: event, id: id).get() }
        }
        _ = try await shop.required(transfer, id: "open")

        shop.server.clock.advance(by: .seconds(30))
        let server = try await shop.server.moved(to: "https://id.example.com")
        let app = TestClient(server: server, id: shop.device.app.client.id, secret: nil)
        let later = shop.at(server).with(try await TestDevice.signedIn(shop.account, app, methods: ["pwd"]))
        let event = try await later.required(transfer, id: "later")
        _ = try await later.challenge(.email, of: event, id: "later").get()
        let agreed = try await later.attempt(later.code(), .email, at: event, id: "later").get()
        #expect(agreed.status == .verified)
        _ = try await later.consume(transfer, event: event, id: "later").get()
        _ = try await later.required(transfer, id: "asked")
        try await server.forgetIssuersOfOperations()
        for id in ["used", "agreed"] {
            let evidence = try await later.verifiedEvidence(id)
            #expect(evidence.issuer.rawValue == "https://auth.example.com", "\(id)")
            #expect(evidence.attempts.first?.device != nil)
        }
        for id in ["later", "asked"] {
            let evidence = try await later.verifiedEvidence(id)
            #expect(evidence.issuer.rawValue == "https://id.example.com", "\(id)")
        }
        let unsigned = try await later.verifiedEvidence("open")
        #expect(unsigned.issuer.rawValue == "https://auth.example.com")
    }

    @Test(
        "attack: an issuer that an earlier version changed, in one go with the update, and what was agreed to before is carried out"
    )
    func changedByEarlierVersion() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        _ = try await PinnedIssuer.establish(shop.server.context.settings.issuer, in: shop.server.context.database)
        try await shop.server.administer(.database(.changeIssuer(to: "https://id.example.com")))
        try await shop.server.forgetIssuersOfOperations()
        let next = try Issuer("https://id.example.com")
        let server = try await shop.server.restarted { $0.issuer = next }
        let later = shop.at(server)
        let status = try await later.status()
        #expect(status == .cancelled)
        let consumed = try await later.consume(transfer, event: event)
        #expect(consumed.refusal == .over(.cancelled))

        // Once: what is asked for after that goes on at the next start.
        let app = TestClient(server: server, id: shop.device.app.client.id, secret: nil)
        let present = later.with(try await TestDevice.signedIn(shop.account, app, methods: ["pwd"]))
        _ = try await present.required(transfer, id: "new")
        let restarted = try await present.at(try await server.restarted()).status("new")
        #expect(restarted == .scaRequired)
    }
}

extension TestServer {
    /// Rows as a version left them that did not keep the issuer of an operation, nor the former one when it changed.
    func forgetIssuersOfOperations() async throws {
        try await context.database.write { connection in
            try connection.execute("UPDATE wallet_operations SET issuer = NULL", [])
            try connection.execute("DELETE FROM meta WHERE name = 'operations_issuer'", [])
        }
    }

    /// The next process of the server, under another issuer that its operator gave the database.
    func moved(to issuer: String) async throws -> TestServer {
        // As the first process did when it began to serve.
        _ = try await PinnedIssuer.establish(context.settings.issuer, in: context.database)
        try await administer(.database(.changeIssuer(to: issuer)))
        let next = try Issuer(issuer)
        return try await restarted { $0.issuer = next }
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// One consent and several requests: what a backend on the library pays, and what the server lets it.
@Suite("One consent, one payment", .threat("the amount changed after the consent"))
struct PaymentRaceTests {
    /// A person's app, signed in, with a payee.
    private struct App: Sendable {
        let world: PaymentWorld
        let wallet: Wallet

        init(_ world: PaymentWorld) async throws {
            self.world = world
            let phone = Device(
                ledger: world.server.ledger, person: world.person, redirectURI: world.client.redirectURI)
            wallet = try phone.wallet(
                issuer: await world.server.issuer, client: world.client,
                scopes: PaymentWorld.scopes.split(separator: " ").map(String.init))
            let asked = try await wallet.login(username: world.person.username, password: world.person.password)
                .secondFactor()
            _ = try await wallet.register(mfa: asked, answer: try await world.server.newestCode())
            let added = try await post(
                "payees", #"{"name":"\#(PaymentWorld.payee)","account":"\#(PaymentWorld.account)"}"#)
            #expect(added.status == 201, "\(added.text)")
        }

        struct Answer: Sendable {
            let status: Int
            let text: String
            var code: String? {
                let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                return object?["code"] as? String
            }
        }

        func post(_ path: String, _ body: String, key: String? = nil) async throws -> Answer {
            var request = URLRequest(url: world.backend.url.appending(path: path))
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
            let (data, response) = try await wallet.perform(request)
            return Answer(status: response.statusCode, text: String(decoding: data, as: UTF8.self))
        }

        func transfer(_ cents: Int, key: String, _ details: SCA.Details? = nil) async throws -> Answer {
            let consent = details.map {
                #","scaDetails":{"eventId":"\#($0.eventID)","walletOperationId":"\#($0.walletOperationID)"}"#
            }
            return try await post(
                "transfers",
                #"{"to":"\#(PaymentWorld.payee)","amount":{"value":"\#(cents)","currency":"EUR"}\#(consent ?? "")}"#,
                key: key)
        }

        /// Asks for a transfer and agrees to it, and does not send the request again.
        func agreed(to cents: Int, key: String) async throws -> SCA.Details {
            var request = URLRequest(url: world.backend.url.appending(path: "transfers"))
            request.httpMethod = "POST"
            request.httpBody = Data(
                #"{"to":"\#(PaymentWorld.payee)","amount":{"value":"\#(cents)","currency":"EUR"}}"#.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
            let (data, response) = try await wallet.perform(request)
            let required = try #require(SCA.Required(data: data, response: response))
            _ = try await wallet.authentication.sendSCAChallenge(
                eventID: required.eventID,
                request: SCA.ChallengeRequest(walletOperationID: required.walletOperationID, verification: .email))
            let code = try #require(try await world.codes().first)
            let attempt = try await wallet.authentication.submitSCAAttempt(
                eventID: required.eventID,
                request: SCA.AttemptRequest(
                    walletOperationID: required.walletOperationID, verification: .email, value: code))
            #expect(attempt.status == .verified)
            return SCA.Details(eventID: required.eventID, walletOperationID: required.walletOperationID)
        }

        func balance() async throws -> String {
            let (data, _) = try await wallet.perform(URLRequest(url: world.backend.url.appending(path: "balance")))
            return String(decoding: data, as: UTF8.self)
        }
    }

    @Test(
        "attack: the amount is changed after the person consented. 409, and the consent still pays what it was given for",
        .onceForAllEngines
    )
    func changed() async throws {
        try await PaymentWorld.use { world in
            let app = try await App(world)
            let details = try await app.agreed(to: 100_00, key: "party-of-saturday-1")
            let changed = try await app.transfer(900_00, key: "a-name-of-the-thiefs", details)
            #expect(changed.status == 409)
            #expect(changed.code == "operation_changed", "\(changed.text)")
            #expect(try await app.balance().contains(#""100000""#))
            let paid = try await app.transfer(100_00, key: "party-of-saturday-1", details)
            #expect(paid.status == 201, "\(paid.text)")
            #expect(try await app.balance().contains(#""90000""#))
        }
    }

    @Test("attack: one consent in eight requests at once, each under a key of its own. One is paid")
    func parallel() async throws {
        try await PaymentWorld.use { world in
            let app = try await App(world)
            let details = try await app.agreed(to: 100_00, key: "party-of-saturday-1")
            let answers = try await withThrowingTaskGroup(of: App.Answer.self) { group in
                for number in 0..<8 {
                    group.addTask { try await app.transfer(100_00, key: "parallel-request-\(number)", details) }
                }
                return try await group.reduce(into: [App.Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 1, "\(answers.map(\.status))")
            #expect(answers.count { $0.code == "sca_already_used" } == 7, "\(answers.map(\.text))")
            #expect(try await app.balance().contains(#""90000""#))
        }
    }

    @Test("The backend dies with a payment on its way: the same request afterwards pays it once")
    func crash() async throws {
        try await PaymentWorld.use { world in
            let app = try await App(world)
            let details = try await app.agreed(to: 100_00, key: "party-of-saturday-1")
            async let interrupted = app.transfer(100_00, key: "party-of-saturday-1", details)
            await world.backend.crash()
            _ = try? await interrupted
            try await world.backend.start()
            for _ in 0..<3 {
                let paid = try await app.transfer(100_00, key: "party-of-saturday-1", details)
                #expect(paid.status == 201, "\(paid.text)")
            }
            #expect(try await app.balance().contains(#""90000""#))
        }
    }
}

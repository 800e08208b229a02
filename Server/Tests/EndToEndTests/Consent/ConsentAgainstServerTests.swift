import Foundation
import Synchronization
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import WalletAuthWire

/// The SDK's consent against the running program, its backend by `WalletAuthVerifier`.
@Suite("A payment that the person agrees to", .covers("retry with scaDetails"))
struct ConsentAgainstServerTests {
    private static let pin = "804613972558"
    private static let wrong = "170395826641"

    /// What the person was asked.
    private final class Prompts: Sendable {
        private let seen = Mutex<[SCA.Prompt]>([])
        var all: [SCA.Prompt] { seen.withLock { $0 } }
        func note(_ prompt: SCA.Prompt) { seen.withLock { $0.append(prompt) } }
    }

    private static func transfer(_ cents: Int64) throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: cents, currency: .euro),
            payee: Payee(name: "Blumen Huber", account: "DE02120300000000202051"))
    }

    /// A linked phone with a PIN, and face or finger, past its cooling period; a shop at its end of the network.
    private func withShop(
        _ options: [String] = [], _ body: (LinkedPhone, Shopfront, Wallet) async throws -> Void
    ) async throws {
        try await LinkedPhone.use(options) { linked in
            for pin in [Self.pin, Self.wrong] { linked.server.ledger.enter(pin) }
            try await linked.wallet.pin.set(Self.pin)
            try await linked.wallet.biometrics.enable(pin: Self.pin)
            // A day passes.
            try await linked.server.write("UPDATE devices SET cooling_until = 0")
            let shop = try Shopfront(
                linked.phone.network, issuer: await linked.server.issuer,
                client: try await linked.server.makeConfidentialClient("shop"), selling: try Self.transfer(1250))
            let device = linked.phone.ports
            let wallet = try await linked.another(
                Wallet.Ports(
                    transport: shop, store: device.store, userAgent: device.userAgent, keys: device.keys,
                    presence: device.presence, time: device.time))
            try await wallet.setUp()
            try await body(linked, shop, wallet)
        }
    }

    @Test(
        "By a code, by the PIN and by face, each payment is carried out once, and what is signed is what was shown")
    func threeWays() async throws {
        try await withShop { linked, shop, wallet in
            let prompts = Prompts()
            let server = linked.server
            let network = linked.phone.network
            let handler: SCA.Handler = { prompt in
                prompts.note(prompt)
                // Whatever the way, the answer to the right value is lost once.
                if prompt.fault != nil || prompt.verification != .devicePIN {
                    network.loseAnswers(1, to: "/v1/sca/events/\(prompt.challenge.eventID)/attempts")
                }
                return switch prompt.verification {
                case .deviceBiometric: .biometrics(reason: "Pay \(prompt.operation.payee?.name ?? "")")
                case .devicePIN: .pin(prompt.fault == nil ? Self.wrong : Self.pin)
                default: .code(try await server.newestCode())
                }
            }
            for (cents, way) in [(1250, SCA.Verification.email), (99, .devicePIN), (500_000, .deviceBiometric)] {
                shop.sell(try Self.transfer(Int64(cents)))
                let (data, response) = try await wallet.perform(
                    Shopfront.payment(), onSCA: handler, choosing: { _ in way })
                #expect(response.statusCode == 201)
                #expect(String(decoding: data, as: UTF8.self).contains("PAID"))
                #expect(prompts.all.last?.operation.amount?.minorUnits == Int64(cents))
                #expect(shop.receipts.last?.operation == (try Self.transfer(Int64(cents))))
            }
            #expect(
                prompts.all.map(\.verification) == [.email, .devicePIN, .devicePIN, .deviceBiometric])
            #expect(prompts.all.map(\.fault) == [nil, nil, .wrongValue, nil])
            #expect(prompts.all.map(\.remainingAttempts) == [nil, nil, 4, nil])
            #expect(linked.phone.keys.presence.reasons == ["Pay Blumen Huber"])
            let proved = shop.receipts.map { claims -> Set<String> in
                guard case .verified(let consent) = claims.basis else { return [] }
                return Set(consent.methods)
            }
            #expect(proved.count == 3)
            for (methods, expected) in zip(proved, ["otp", "pin", "bio"]) { #expect(methods.contains(expected)) }
            let pending = try await wallet.pendingSCA
            #expect(pending.isEmpty)
        }
    }

    @Test("A person who did not start it ends it at the server, even if the answer is lost, and the code pays nothing")
    func disowned() async throws {
        try await withShop { linked, shop, wallet in
            let prompts = Prompts()
            let network = linked.phone.network
            let error = await #expect(throws: WalletError.self) {
                try await wallet.perform(
                    Shopfront.payment(),
                    onSCA: { prompt in
                        prompts.note(prompt)
                        network.loseAnswers(1, to: "/v1/sca/events/\(prompt.challenge.eventID)/refusal")
                        return .disown
                    }, choosing: { _ in .email })
            }
            #expect(error?.outcome == .cancelledByPerson)
            let challenge = try #require(prompts.all.first?.challenge)
            let code = try await linked.server.newestCode()
            let late = await #expect(throws: WalletError.self) {
                try await wallet.authentication.submitSCAAttempt(
                    eventID: challenge.eventID,
                    request: SCA.AttemptRequest(
                        walletOperationID: challenge.walletOperationID, verification: .email, value: code))
            }
            #expect(late?.code == .dataError)
            #expect(shop.receipts.isEmpty)
        }
    }

    @Test(
        "The app is killed between the consent and the payment: at its next start it is paid, once, without asking again"
    )
    func killed() async throws {
        try await withShop { linked, shop, _ in
            let device = linked.phone.ports
            let process = SimulatedProcess(
                Wallet.Ports(
                    transport: shop, store: device.store, userAgent: device.userAgent, keys: device.keys,
                    presence: device.presence, time: device.time))
            let first = try await linked.another(process.ports)
            try await first.setUp()
            await #expect(throws: (any Error).self) {
                try await first.perform(
                    Shopfront.payment(),
                    onSCA: { _ in
                        process.kill(at: .beforeSending(to: Shopfront.path))
                        return .pin(Self.pin)
                    }, choosing: { _ in .devicePIN })
            }
            #expect(shop.receipts.isEmpty)
            let second = try await linked.another(
                SimulatedProcess(
                    Wallet.Ports(
                        transport: shop, store: device.store, userAgent: device.userAgent, keys: device.keys,
                        presence: device.presence, time: device.time)
                ).ports)
            let pending = try #require(try await second.pendingSCA.first)
            #expect(pending.isAgreed)
            let (_, response) = try await second.resume(
                pending,
                onSCA: { _ in
                    Issue.record("the person was asked again")
                    return .refuse
                })
            #expect(response.statusCode == 201)
            #expect(shop.receipts.count == 1)
        }
    }

    @Test("By the password on the hosted page: closed it is asked for again, agreed to there it is paid")
    func onPage() async throws {
        let address = "com.example.wallet:/callback"
        try await withShop(["--consent-return-url", address]) { linked, shop, wallet in
            let browser = HeadlessBrowser(ledger: linked.server.ledger)
            let person = linked.person
            let visits = Mutex(0)
            linked.phone.browser.setBehavior { url in
                linked.server.ledger.enter(queryItems(of: url.absoluteString)["ticket"])
                let isFirst = visits.withLock { visits in
                    visits += 1
                    return visits == 1
                }
                guard !isFirst else { throw UserAgentFailure(.cancelledByPerson, reason: "the page was closed") }
                guard case .page(let shown, let page) = try await browser.open(url, until: address),
                    page.text.contains("€12.50"), page.text.contains("Blumen Huber"),
                    case .callback(let back) = try await browser.submit(
                        browser.form(on: page, at: shown), typing: ["password": person.password, "action": "agree"],
                        until: address)
                else { throw UserAgentFailure(.failed, reason: "the page led nowhere") }
                return .callback(back)
            }
            let asked = Prompts()
            let (_, response) = try await wallet.perform(
                Shopfront.payment(),
                onSCA: { prompt in
                    asked.note(prompt)
                    return .page
                }, choosing: { _ in .password })
            #expect(response.statusCode == 201)
            #expect(asked.all.map(\.verification) == [.password, .password])
            #expect(asked.all.map(\.fault) == [nil, .declined])
            #expect(shop.receipts.count == 1)
        }
    }

    @Test(
        "Refused on the hosted page, it ends in the app as if the person had refused it there, and nothing is paid",
        .onceForAllEngines)
    func refusedOnPage() async throws {
        let address = "com.example.wallet:/callback"
        try await withShop(["--consent-return-url", address]) { linked, shop, wallet in
            let browser = HeadlessBrowser(ledger: linked.server.ledger)
            linked.phone.browser.setBehavior { url in
                linked.server.ledger.enter(queryItems(of: url.absoluteString)["ticket"])
                guard case .page(let shown, let page) = try await browser.open(url, until: address),
                    case .page(_, let ended) = try await browser.submit(
                        browser.form(on: page, at: shown), typing: ["action": "refuse"], until: address),
                    ended.text.contains("Refused")
                else { throw UserAgentFailure(.failed, reason: "the page led nowhere") }
                throw UserAgentFailure(.cancelledByPerson, reason: "the page was closed")
            }
            let asked = Prompts()
            let error = await #expect(throws: WalletError.self) {
                try await wallet.perform(
                    Shopfront.payment(),
                    onSCA: { prompt in
                        asked.note(prompt)
                        return .page
                    }, choosing: { _ in .password })
            }
            #expect(error?.outcome == .cancelledByPerson)
            #expect(error?.isRefusedByPerson == true)
            #expect(asked.all.count == 1)
            let pending = try await wallet.pendingSCA
            #expect(pending.isEmpty)
            #expect(shop.receipts.isEmpty)
        }
    }

    @Test(
        "A payment's wrong PIN that is the PIN's fifth locks it, and the payment goes on in another way",
        .onceForAllEngines)
    func lockedByAnother() async throws {
        try await withShop { linked, shop, wallet in
            for _ in 1...4 { await #expect(throws: WalletError.self) { try await wallet.login(pin: Self.wrong) } }
            let server = linked.server
            let states = Mutex<[Wallet.DevicePIN.State]>([])
            let (_, response) = try await wallet.perform(
                Shopfront.payment(),
                onSCA: { prompt in
                    let state = try await wallet.pin.state()
                    states.withLock { $0.append(state) }
                    return prompt.verification == .devicePIN ? .pin(Self.wrong) : .code(try await server.newestCode())
                },
                choosing: { ways in
                    ways.contains { $0.verification == .devicePIN } ? .devicePIN : .email
                })
            #expect(response.statusCode == 201)
            #expect(states.withLock { $0 } == [.active, .locked])
            #expect(shop.receipts.count == 1)
        }
    }
}

import Core
import FlowSupport
import Outbound
import Store
import Testing
import Transactions
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Approvals of two brands on one server", .covers("PUSH_NOTIFICATION", "pushes about approvals"),
    .threat("Consent to something other than what was shown"))
struct BrandApprovalTests {
    /// Two people of one name, one password and one address: each is another brand's, and has a phone with that brand's app.
    private struct Setting: Sendable {
        let blue: TestPhones
        let acme: TestPhones
        private let transport = ScriptedTransport()

        var server: TestServer { blue.server }

        static func open() async throws -> Setting {
            let server = try await TestServer.start()
            try await server.administer(["brand", "create", "acme", "--name", "Acme"])
            for (language, text) in [("en", "Acme asks you"), ("de", "Acme fragt Sie")] {
                try await server.administer([
                    "brand", "text", "acme", "--language", language, "--key", "messages.approval_push.body", "--text",
                    text,
                ])
            }
            let blue = try await phone("default", on: server, 1)
            let acme = try await phone("acme", on: server, 2) { $0.profile.locale = "de" }
            server.clock.advance(by: server.context.settings.devices.coolingPeriod)
            return Setting(
                blue: try await phones("default", blue, on: server), acme: try await phones("acme", acme, on: server))
        }

        private init(blue: TestPhones, acme: TestPhones) {
            self.blue = blue
            self.acme = acme
        }

        private static func phone(
            _ brand: String, on server: TestServer, _ number: Int,
            _ adjust: (inout AccountRegistration) -> Void = { _ in }
        ) async throws -> TestPIN {
            let account = try await server.account {
                $0.brand = brand
                $0.email = "ada@example.com"
                $0.emailVerified = true
                adjust(&$0)
            }
            let client = try await server.publicClient("\(brand)-app") { $0.brand = brand }
            try await server.administer(["client", "update", "\(brand)-app", "--push-topic", "com.example.\(brand)"])
            let device = try await TestDevice.signedIn(account, client)
            let phone = try TestPIN(device, account, try await device.enrolled(account).id)
            _ = try await phone.setPIN(TestPhones.pin).get()
            try await server.register(phone, number)
            return phone
        }

        private static func phones(
            _ brand: String, _ phone: TestPIN, on server: TestServer
        ) async throws -> TestPhones {
            let phone = try await phone.signedInAgain()
            let shop = TestShop(
                server: server,
                client: try await server.confidentialClient("\(brand)-shop") {
                    $0.brand = brand
                    $0.scopes = ["wallet_operations", BackendTransactions.scope]
                }, account: phone.account,
                device: try await TestDevice.signedIn(phone.account, phone.device.app.client, methods: ["pwd"]))
            return TestPhones(shop: shop, phones: [phone])
        }

        /// The till of a brand's shop.
        func till(_ phones: TestPhones) -> TestTill {
            TestTill(
                server: server, flows: TransactionFlows(server.flows), client: phones.shop.client,
                account: phones.phone.account, phone: phones.phone, biometricKey: TestKey())
        }

        /// Sends what is due, and says what was sent so far: to whom, under which topic, in which words.
        func pushed() async throws -> [String] {
            let delivery = server.context.delivery(
                by: MessageTransports(push: transport, timeout: .seconds(10)))
            _ = try await delivery.deliverDue(.push)
            return transport.messages.map {
                "\($0.recipient.prefix(1)) \($0.push?.service.rawValue ?? "") \($0.push?.topic ?? "") \($0.text)"
            }
        }
    }

    private static let acmePush = "2 apns com.example.acme Acme fragt Sie"
    private static let bluePush = "1 apns com.example.default Something waits for your approval"

    @Test("attack: the other brand's person of the same name neither hears of a payment nor decides it")
    func payment() async throws {
        let setting = try await Setting.open()
        let (blue, acme) = (setting.blue, setting.acme)
        let (event, challenge) = try await acme.asked()
        #expect(try await setting.pushed() == [Self.acmePush])
        #expect(try await blue.pending(on: blue.phone).get().approvals.isEmpty)
        #expect(try await acme.pending(on: acme.phone).get().approvals.map(\.id.rawValue) == [event.rawValue])

        let own = try await acme.assertion(challenge, on: acme.phone)
        for assertion in [try await blue.assertion(challenge, on: blue.phone), own] {
            let approved = try await blue.approve(assertion, at: event, on: blue.phone)
            #expect(approved.refusal == .consent(.eventNotFound))
        }
        #expect(try await blue.refuse(event, on: blue.phone).refusal == .consent(.eventNotFound))
        #expect(try await acme.shop.status() == .scaRequired)
        #expect(try await acme.approve(own, at: event, on: acme.phone).get().status == .verified)
    }

    @Test("Payments of both brands under one id are pushed each under its own app's topic, in its brand's words")
    func both() async throws {
        let setting = try await Setting.open()
        let (blue, _) = try await setting.blue.asked()
        let (acme, challenge) = try await setting.acme.asked()
        #expect(try await setting.pushed().sorted() == [Self.bluePush, Self.acmePush])
        let own = try await setting.acme.assertion(challenge, on: setting.acme.phone)
        let crossed = try await setting.acme.approve(own, at: blue, on: setting.acme.phone)
        #expect(crossed.refusal == .consent(.eventNotFound))
        #expect(try await setting.acme.approve(own, at: acme, on: setting.acme.phone).get().status == .verified)
        #expect(try await setting.blue.outcome(of: blue).get().status == .failed)
    }

    @Test("attack: a transaction of one brand's backend is neither listed to nor claimed by the other brand's phone")
    func transaction() async throws {
        let setting = try await Setting.open()
        let (blue, acme) = (setting.blue, setting.acme)
        let created = try await setting.till(acme).created()
        #expect(try await setting.pushed() == [Self.acmePush])
        #expect(try await blue.pending(on: blue.phone).get().approvals.isEmpty)
        let claimed = try await setting.till(blue).claim(created.link)
        #expect(claimed.refusal == .refused(.notFound))
        #expect(try await setting.till(acme).report(created.transactionID).status == .created)
        let listed = try await acme.pending(on: acme.phone).get().approvals
        #expect(listed.map(\.id) == [created.transactionID])
    }

    @Test("attack: a backend of one brand can ask the other brand's people for nothing, and no push is sent")
    func otherBackend() async throws {
        let setting = try await Setting.open()
        let (blue, acme) = (setting.blue, setting.acme)
        let operation = try await acme.shop.ask(TestShop.transfer(), for: blue.phone.account)
        #expect(operation.refusal == .accountNotFound)
        let till = setting.till(acme)
        let transaction = try await till.ask(till.purchase(for: blue.phone.account))
        #expect(transaction.refusal == .accountNotFound)
        #expect(try await setting.pushed().isEmpty)
        #expect(try await blue.pending(on: blue.phone).get().approvals.isEmpty)
    }
}

import Foundation
import Synchronization
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import WalletAuthWire

/// Two apps of one person against the running program: one pays, and the other, on a linked phone, approves.
@Suite("A payment that is approved on another phone", .covers("PUSH_NOTIFICATION", "GET /v1/approvals"))
struct PhoneApprovalEndToEndTests {
    private static let pin = "804613972558"
    private static let wrong = "170395826641"

    private struct World {
        /// The phone that approves.
        let linked: LinkedPhone
        let shop: Shopfront
        /// The app that pays. Its device is not linked.
        let payer: Wallet

        var server: RunningServer { linked.server }
        var phone: Wallet { linked.wallet }

        /// The payment that waits on the phone. The payer's app has asked for it by now.
        func waiting() async throws -> PendingPayment {
            guard case .payment(let payment)? = try await phone.transactions.pending().first else {
                throw LinkedPhone.Unexpected(what: "nothing waits on the phone")
            }
            return payment
        }

        /// What the program says of the proof of what was paid.
        func evidence() async throws -> String {
            let file = server.folder.appending(path: "payment.jws")
            let id = try #require(shop.receipts.first?.operationID.rawValue)
            try Data(try await server.require(["audit", "evidence", "--", id]).utf8).write(to: file)
            return try await server.require(["audit", "verify-evidence", file.path])
        }
    }

    private static func use(_ body: (World) async throws -> Void) async throws {
        try await LinkedPhone.use { linked in
            for pin in [pin, wrong] { linked.server.ledger.enter(pin) }
            try await linked.wallet.pin.set(pin)
            let device = try #require(try await linked.wallet.devices.list().first { $0.isCurrent })
            let token = String(repeating: "5a", count: 32)
            linked.server.ledger.enter(token)
            try await linked.wallet.devices.setPushAddress(token: token, environment: .sandbox, for: device.id)
            // A day passes.
            try await linked.server.write("UPDATE devices SET cooling_until = 0")
            let computer = Device(
                ledger: linked.server.ledger, person: linked.person, redirectURI: linked.client.redirectURI)
            let shop = try Shopfront(
                computer.network, issuer: await linked.server.issuer,
                client: try await linked.server.makeConfidentialClient("shop"),
                selling: try WalletOperation(
                    type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
                    payee: Payee(name: "Blumen Huber", account: "DE02120300000000202051")))
            let ports = computer.ports
            let payer = try computer.wallet(
                issuer: await linked.server.issuer, client: linked.client,
                ports: Wallet.Ports(
                    transport: shop, store: ports.store, userAgent: ports.userAgent, keys: ports.keys,
                    presence: ports.presence, time: ports.time))
            let asked = try await payer.login(
                username: linked.person.username, password: linked.person.password
            ).secondFactor()
            _ = try await asked.answer(try await linked.server.newestCode())
            try await body(World(linked: linked, shop: shop, payer: payer))
        }
    }

    @Test("The phone sees amount and payee, a wrong PIN costs a try, the right one pays once; evidence names the phone")
    func approved() async throws {
        try await Self.use { world in
            let approvals = Mutex<[SCA.Attempt]>([])
            let (data, response) = try await world.payer.perform(
                Shopfront.payment(),
                onSCA: { _ in
                    let payment = try await world.waiting()
                    guard payment.operation.payee?.name == "Blumen Huber", payment.operation.amount?.minorUnits == 1250
                    else { throw LinkedPhone.Unexpected(what: "the phone shows another payment") }
                    for pin in [Self.wrong, Self.pin] {
                        let attempt = try await world.phone.transactions.approve(payment, with: .pin(pin))
                        approvals.withLock { $0.append(attempt) }
                    }
                    return .elsewhere
                }, choosing: { _ in .push })
            #expect(response.statusCode == 201)
            #expect(String(decoding: data, as: UTF8.self).contains("PAID"))
            #expect(approvals.withLock { $0.map(\.statusReason) } == [.invalidValue, .valid])
            #expect(approvals.withLock { $0.map(\.remainingAttempts) } == [4, 4])
            #expect(world.shop.receipts.count == 1)
            #expect(try await world.phone.transactions.pending().isEmpty)

            let told = try await world.evidence()
            let device = try #require(try await world.phone.devices.list().first { $0.isCurrent })
            #expect(
                told.contains("PUSH_NOTIFICATION/PUSH_NOTIFICATION right, signed by device \(device.id)"), "\(told)")
            #expect(told.contains("in session"), "\(told)")
        }
    }

    @Test("The phone approves by face or fingerprint, and the app pays; evidence names the phone and its key")
    func approvedByBiometrics() async throws {
        try await Self.use { world in
            try await world.phone.biometrics.enable(pin: Self.pin)
            let approvals = Mutex<[SCA.Attempt]>([])
            let (_, response) = try await world.payer.perform(
                Shopfront.payment(),
                onSCA: { _ in
                    let payment = try await world.waiting()
                    guard payment.availableVerifications == [.devicePIN, .deviceBiometric] else {
                        throw LinkedPhone.Unexpected(what: "the phone offers \(payment.availableVerifications)")
                    }
                    let attempt = try await world.phone.transactions.approve(
                        payment, with: .biometrics(reason: "Pay 12.50 EUR to Blumen Huber"))
                    approvals.withLock { $0.append(attempt) }
                    return .elsewhere
                }, choosing: { _ in .push })
            #expect(response.statusCode == 201)
            #expect(approvals.withLock { $0.map(\.status) } == [.verified])
            #expect(world.linked.phone.keys.presence.reasons.last == "Pay 12.50 EUR to Blumen Huber")
            #expect(world.shop.receipts.count == 1)

            let told = try await world.evidence()
            let device = try #require(try await world.phone.devices.list().first { $0.isCurrent })
            #expect(told.contains("right, signed by device \(device.id) with key "), "\(told)")
            #expect(told.contains("bio (inherence)"), "\(told)")
            #expect(!told.contains("pin (knowledge)"), "\(told)")
        }
    }

    @Test("attack: a phone that its person removed approves nothing, and the payment waits for another way")
    func removedPhone() async throws {
        try await Self.use { world in
            try await world.phone.biometrics.enable(pin: Self.pin)
            let device = try #require(try await world.phone.devices.list().first { $0.isCurrent })
            let refusals = Mutex<[WalletError?]>([])
            let error = await #expect(throws: WalletError.self) {
                try await world.payer.perform(
                    Shopfront.payment(),
                    onSCA: { _ in
                        let payment = try await world.waiting()
                        try await world.server.require(["device", "remove", "\(device.id)"])
                        for answer in [SCA.Answer.biometrics(reason: "Pay"), .pin(Self.pin)] {
                            do {
                                try await world.phone.transactions.approve(payment, with: answer)
                                refusals.withLock { $0.append(nil) }
                            } catch let error as WalletError { refusals.withLock { $0.append(error) } }
                        }
                        return .refuse
                    }, choosing: { _ in .push })
            }
            #expect(error?.code == .cancelledByPerson)
            #expect(refusals.withLock { $0.count } == 2)
            #expect(refusals.withLock { $0.allSatisfy { $0 != nil } })
            #expect(world.shop.receipts.isEmpty)
        }
    }

    @Test("A refusal on the phone ends the payment, and nothing is paid")
    func refused() async throws {
        try await Self.use { world in
            let error = await #expect(throws: WalletError.self) {
                try await world.payer.perform(
                    Shopfront.payment(),
                    onSCA: { _ in
                        try await world.phone.transactions.reject(world.waiting())
                        return .elsewhere
                    }, choosing: { _ in .push })
            }
            #expect(error?.code == .cancelledByPerson)
            #expect(world.shop.receipts.isEmpty)
            let pending = try await world.payer.pendingSCA
            #expect(pending.isEmpty)
        }
    }
}

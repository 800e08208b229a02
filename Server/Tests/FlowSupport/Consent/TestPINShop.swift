package import WalletAuthWire

@testable package import Kernel
@testable import SignIn
@testable import WalletAuthPIN

/// A shop whose Ada has an enrolled device with a PIN.
package struct TestPINShop: Sendable {
    package let shop: TestShop
    package let pin: TestPIN

    package init(shop: TestShop, pin: TestPIN) {
        self.shop = shop
        self.pin = pin
    }

    package static func open(
        pastCooling: Bool = true, _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestPINShop {
        let server = try await TestServer.start(adjust)
        let pin = try await TestPIN.set(on: server)
        if pastCooling { server.clock.advance(by: server.context.settings.devices.coolingPeriod) }
        // The session that enrolled the device, or after the cooling period a new one on it.
        let device =
            pastCooling
            ? TestDevice(
                app: pin.device.app,
                tokens: try await pin.device.app.redeem(pin.device.signIn(as: pin.id).code()).tokens(),
                deviceKey: pin.device.deviceKey) : pin.device
        let shop = TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: pin.account, device: device)
        return TestPINShop(shop: shop, pin: try pin.on(device))
    }

    /// What the device signs for a challenge.
    package func assertion(_ digits: String, over challenge: SCAChallengeResponse) async throws -> String {
        guard let id = challenge.eventID.transactionID else {
            throw NativeSignInOutcome.Unexpected(what: "\(challenge.eventID) is no UUID")
        }
        let act = DeviceAssertion.Act.sca(id, .operation(challenge.payload))
        return try await pin.assertion(of: act, digits).reveal()
    }
}

extension TestPIN {
    /// Evaluates for an act, and signs it.
    package func assertion(
        of act: DeviceAssertion.Act, _ digits: String, draft: TransactionDraft? = nil, age: Duration = .zero
    ) async throws -> SignedAssertion {
        let exchange = try exchange(digits)
        let answer = try await evaluate(use(exchange, act: act, draft: draft)).get()
        guard let present = answer.present else {
            throw NativeSignInOutcome.Unexpected(what: "no evaluation of the present PIN: \(answer)")
        }
        let pinned = PinnedKey(
            enrollment: id, epoch: present.epoch, publicKey: try await evaluationKey().publicKey)
        return try await assertion(
            act, answer, epoch: present.epoch, by: [try exchange.key(present, pinned: pinned)], age: age)
    }
}

import Core
import Transactions
package import WalletAuthWire

@testable package import Consent
@testable package import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

/// Ada pays at a computer, where her app has no device, and approves on her phones, which have a PIN and a push address.
package struct TestPhones: Sendable {
    package static let pin = "271828"

    /// Its device is the app at the computer.
    package let shop: TestShop
    package let phones: [TestPIN]

    package init(shop: TestShop, phones: [TestPIN]) {
        self.shop = shop
        self.phones = phones
    }

    package var server: TestServer { shop.server }
    package var phone: TestPIN { phones[0] }

    /// - Parameters:
    ///   - number: how many phones Ada has.
    ///   - pastCooling: whether they have been hers for long enough to approve.
    ///   - isReachable: whether they have a push address.
    package static func open(
        _ number: Int = 1, pastCooling: Bool = true, isReachable: Bool = true,
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestPhones {
        let server = try await TestServer.start(adjust)
        var phones = [try await TestPIN.set(pin, on: server)]
        let (account, client) = (phones[0].account, phones[0].device.app.client)
        while phones.count < number {
            let device = try await TestDevice.signedIn(account, client)
            let phone = try TestPIN(device, account, try await device.enrolled(account, name: "Ada's tablet").id)
            _ = try await phone.setPIN(pin).get()
            phones.append(phone)
        }
        if isReachable {
            for (number, phone) in phones.enumerated() { try await server.register(phone, number) }
        }
        if pastCooling {
            server.clock.advance(by: server.context.settings.devices.coolingPeriod)
            for (number, phone) in phones.enumerated() { phones[number] = try await phone.signedInAgain() }
        }
        let shop = TestShop(
            server: server,
            client: try await server.confidentialClient("shop") {
                $0.scopes = ["wallet_operations", BackendTransactions.scope]
            }, account: account, device: try await TestDevice.signedIn(account, client, methods: ["pwd"]))
        return TestPhones(shop: shop, phones: phones)
    }

    /// A transfer whose approval is asked for by push.
    package func asked(_ id: String = "op-1") async throws -> (event: SCAEventID, challenge: SCAChallengeResponse) {
        let event = try await shop.required(TestShop.transfer(), id: id)
        return (event, try await shop.challenge(.push, of: event, id: id).get())
    }

    /// What waits on a phone.
    package func pending(on phone: TestPIN, after cursor: String? = nil) async throws -> Result<
        ApprovalPage, ApprovalRefusal
    > {
        try await TransactionFlows(server.flows).approvals.page(
            after: cursor.map { try TransactionCursor($0) },
            call: phone.device.call(.get, Endpoints.approvals.path))
    }

    /// What a phone signs for an operation.
    package func assertion(_ challenge: SCAChallengeResponse, on phone: TestPIN, _ digits: String = pin) async throws
        -> SignedAssertion
    {
        try await phone.assertion(of: Self.act(challenge.eventID, challenge.payload), digits)
    }

    package static func act(_ event: SCAEventID, _ payload: [UInt8]) throws -> DeviceAssertion.Act {
        guard let id = event.transactionID else {
            throw NativeSignInOutcome.Unexpected(what: "\(event) is no UUID")
        }
        return .sca(id, .operation(payload))
    }

    /// Sends an assertion from a phone.
    package func approve(
        _ assertion: SignedAssertion, at event: SCAEventID, id: String = "op-1", on phone: TestPIN
    ) async throws -> Result<SCAAttemptResponse, ApprovalRefusal> {
        try await server.flows.consent.approvals.approve(
            ApprovalAttempt(operationID: WalletOperationID(id), assertion: assertion), of: event,
            by: phone.device.call(.post, Endpoints.approvalAttempts.path(event)))
    }

    /// Says on a phone that Ada did not start it.
    package func refuse(
        _ event: SCAEventID, id: String = "op-1", on phone: TestPIN
    ) async throws -> Result<Void, ApprovalRefusal> {
        try await server.flows.consent.approvals.refuse(
            SCARefusalRequest(operationID: WalletOperationID(id)), of: event,
            by: phone.device.call(.post, Endpoints.approvalRefusal.path(event)))
    }

    /// What the computer learns.
    package func outcome(of event: SCAEventID, id: String = "op-1") async throws -> Result<
        SCAAttemptResponse, ConsentRefusal
    > {
        try await shop.attempt(nil, .push, at: event, id: id)
    }
}

extension TestServer {
    /// Registers a phone's push token.
    package func register(_ phone: TestPIN, _ number: Int = 0) async throws {
        let digit = String(number % 10)
        let address = PushAddress(token: try PushToken(String(repeating: digit, count: 64)), environment: .sandbox)
        try await flows.signIn.devices.setPushAddress(
            address, of: phone.id, call: phone.device.call(.put, Endpoints.devicePush.path(phone.id))
        ).get()
    }
}

extension TestPIN {
    /// The same phone in a new session.
    package func signedInAgain() async throws -> TestPIN {
        let tokens = try await device.app.redeem(device.signIn(as: id).code()).tokens()
        return try on(TestDevice(app: device.app, tokens: tokens, deviceKey: device.deviceKey))
    }
}

extension Result where Failure == ApprovalRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: ApprovalRefusal? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

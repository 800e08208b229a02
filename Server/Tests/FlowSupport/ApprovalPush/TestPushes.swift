import Core
package import Outbound
package import Store
package import WalletAuthWire

@testable package import Kernel
@testable import Operations
@testable package import SignIn
@testable import Transactions

/// A till whose customer's phone is reached by push.
package struct TestPushes: Sendable {
    package let till: TestTill
    package let transport: ScriptedTransport
    package let delivery: MessageDelivery
    package let account: UniqueID
    package let phone: UniqueID

    package static let token = String(repeating: "aa", count: 32)
    package static let otherToken = String(repeating: "bb", count: 32)

    package var server: TestServer { till.server }

    /// - Parameters:
    ///   - outcomes: of the attempts to send a push.
    ///   - token: of Ada's phone; `nil` leaves it without an address.
    package static func open(
        _ outcomes: [DeliveryOutcome] = [], token: String? = token,
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestPushes {
        let pushes = try await TestPushes(till: .open(pastCooling: false, adjust), ScriptedTransport(outcomes))
        try await pushes.register(token)
        return pushes
    }

    package init(till: TestTill, _ transport: ScriptedTransport) throws {
        self.till = till
        self.transport = transport
        delivery = till.server.context.delivery(by: MessageTransports(push: transport, timeout: .seconds(10)))
        account = try Self.id(till.account.bytes)
        guard let phone = UniqueID(uuid: till.phone.id.rawValue) else { throw InvariantViolation() }
        self.phone = phone
    }

    private static func id(_ bytes: [UInt8]) throws -> UniqueID {
        guard let id = UniqueID(bytes: bytes) else { throw InvariantViolation() }
        return id
    }

    /// The same at another process.
    package func restarted() async throws -> TestPushes { try await TestPushes(till: till.restarted(), transport) }

    /// Gives a device of Ada's an address, as its app does.
    /// - Parameter device: by default her phone.
    package func register(
        _ token: String?, _ service: PushAddress.Service = .apns, environment: PushAddress.Environment = .production,
        on device: UniqueID? = nil
    ) async throws {
        let (device, now) = (device ?? phone, server.clock.now())
        let vault = DeviceVault(server.context.sealing)
        let sealed = try token.map {
            let address = PushAddress(token: try PushToken($0), environment: environment, service: service)
            return try vault.seal(RegisteredPushAddress(address, at: now).text, .pushAddress, of: device)
        }
        try await server.context.database.write { [account] connection in
            _ = try Devices.setPushAddress(of: device, of: account, to: sealed, on: connection)
        }
    }

    /// Another device of Ada's.
    package func linkedDevice(of client: TestClient) async throws -> UniqueID {
        let device = try await TestDevice.signedIn(till.account, client)
        let id = try await device.enrolled(till.account).id
        guard let row = UniqueID(uuid: id.rawValue) else { throw InvariantViolation() }
        return row
    }

    /// The token that Ada's phone has now.
    package func registered() async throws -> String? {
        let (sealing, phone) = (server.context.sealing, phone)
        return try await server.context.database.read { connection in
            try Devices.find(phone, on: connection).flatMap { RegisteredPushAddress(of: $0, sealing) }?
                .address.token.reveal()
        }
    }

    /// Posts as a feature does.
    @discardableResult
    package func post(
        asked: Bool = false, brand: String = "default", by client: String = "shop"
    ) async throws -> ApprovalPushOutcome {
        let now = server.clock.now()
        let subject = ApprovalSubject(
            kind: .operation, id: try server.context.random.timeOrderedID(now), expiresAt: now + .minutes(5))
        return try await server.context.database.write { [account, pushes = server.flows.signIn.approvalPushes] in
            try pushes.post(subject, to: account, brand: brand, by: client, asked: asked, now: now, on: $0)
        }
    }

    /// Posts without regard to the places of Ada's account.
    /// - Parameter device: by default her phone.
    package func post(uncounted number: Int, to device: UniqueID? = nil) async throws {
        let (now, auditLog, random) = (server.clock.now(), server.context.auditLog, server.context.random)
        try await server.context.database.write { [account, device = device ?? phone] connection in
            for _ in 0..<number {
                let subject = ApprovalSubject(
                    kind: .operation, id: try random.timeOrderedID(now), expiresAt: now + .minutes(5))
                let message = ApprovalMessage.push(to: device, about: subject, lifetime: .minutes(5))
                try auditLog.entry(message, account: account, email: nil, now: now).write(on: connection)
            }
        }
    }

    /// Sends what is due.
    @discardableResult
    package func deliver() async throws -> Int { try await delivery.deliverDue(.push) }

    /// The rows of the channel, newest first.
    package func rows() async throws -> [OutboxRecord] {
        try await server.context.database.read { try Outbox.recent(limit: 100, on: $0) }.filter { $0.channel == .push }
    }

    /// How often the holder was told that pushes are held back, and how often the audit log says so.
    package func heldBack() async throws -> (messages: Int, events: Int) {
        let account = account
        let events = try await server.context.database.read {
            try SecurityEvents.list(of: account, limit: 1000, on: $0)
        }
        return (
            try await server.messages().count { $0.kind == "approvals_held_back" },
            events.count { $0.kind == "push.held_back" }
        )
    }
}

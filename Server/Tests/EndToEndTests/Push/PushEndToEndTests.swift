import Crypto
import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// Pushes leave the running program, to a stand-in for Apple's service.
@Suite("Pushes to phones", .covers("pushes about approvals"))
struct PushEndToEndTests {
    private static let token = String(repeating: "a1", count: 32)
    private static let goneToken = String(repeating: "b2", count: 32)

    private struct Shown: Decodable {
        var accountId: String
    }

    /// A till whose customer's phone has registered a token.
    private struct World {
        let till: TillWorld
        let service: PeerProcess
        let account: AccountID

        func create() async throws -> TransactionCreated {
            try await till.create(
                TransactionRequest(
                    account: account, type: WalletOperationType("PURCHASE"),
                    amount: Money(minorUnits: 1250, currency: .euro),
                    payee: Payee(name: "Café Zürich", account: "CH9300762011623852957"),
                    requiredSecondFactor: .any, expiresIn: TransactionRequest.lifetimes.upperBound))
        }

        /// Whether the phone has an address at the server.
        func isRegistered() async throws -> Bool {
            try await till.wallet.devices.list().contains { $0.isCurrent && $0.hasPushAddress }
        }
    }

    private func use(
        token: String = token, _ environment: [String: String] = [:], _ body: (World) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let service = try await PeerProcess.start("push_service.py", environment, in: folder.url)
        defer { service.stop() }
        let key = folder.url.appending(path: "AuthKey_KEY1234567.p8")
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let settings = [
            "--push-apns-team", "TEAM123456", "--push-apns-key-id", "KEY1234567", "--push-apns-key-file", key.path,
            "--push-apns-topic", "com.example.wallet", "--push-apns-url", service.address,
        ]
        try await TillWorld.use(serving: settings) { till in
            till.server.ledger.enter(token)
            let device = try #require(try await till.wallet.devices.list().first { $0.isCurrent })
            try await till.wallet.devices.setPushAddress(token: token, environment: .production, for: device.id)
            let output = try await till.server.require(
                ["account", "show", till.linked.person.username, "--json"])
            let account = try JSONDecoder().decode(Shown.self, from: Data(output.utf8)).accountId
            try await body(World(till: till, service: service, account: AccountID(account)))
        }
    }

    @Test("A transaction reaches the phone as a hint, without the amount and the payee, and ends with it")
    func hint() async throws {
        try await use { world in
            let created = try await world.create()
            let push = try #require(try await world.service.messages(1).first)
            #expect(push["token"] == Self.token)
            #expect(push["apns-topic"] == "com.example.wallet")
            #expect(push["apns-push-type"] == "alert")
            #expect(push["apns-collapse-id"] == created.transactionID.rawValue)
            #expect(push["apns-expiration"] == String(created.expiresAt.secondsSince1970))
            let body = try #require(push["body"])
            #expect(body.contains(created.transactionID.rawValue))
            #expect(body.contains("Something waits for your approval"))
            #expect(!body.contains("Café") && !body.contains("EUR"))
        }
    }

    @Test("A server that is killed between send and record sends again under the same ids: none is lost, by count")
    func killed() async throws {
        try await use(["PUSH_HOLD": "3"]) { world in
            for _ in 0..<3 { _ = try await world.create() }
            let held = try await world.service.messages(3)
            await world.till.server.crash()
            // As a minute later: the killed server's hold on the messages is over.
            try await world.till.server.write(
                "UPDATE outbox SET due_at = 0 WHERE channel = 'push' AND delivered_at IS NULL")
            try await world.till.server.start()
            _ = try await world.create()
            let pushes = try await world.service.messages(7)
            #expect(Set(pushes.suffix(4).map { $0["apns-id"] }).count == 4)
            #expect(Set(held.map { $0["apns-id"] }).isSubset(of: Set(pushes.suffix(4).map { $0["apns-id"] })))
            #expect(Set(pushes.map { $0["apns-collapse-id"] }).count == 4)
        }
    }

    @Test("A token that Apple has given up is taken away, and an app that registers again is reached again")
    func gone() async throws {
        try await use(token: Self.goneToken, ["PUSH_GONE": Self.goneToken]) { world in
            _ = try await world.create()
            _ = try await world.service.messages(1)
            try await eventually("the address to be taken away") { try await !world.isRegistered() }
            let device = try #require(try await world.till.wallet.devices.list().first { $0.isCurrent })
            try await world.till.wallet.devices.setPushAddress(
                token: Self.token, environment: .production, for: device.id)
            _ = try await world.create()
            #expect(try await world.service.messages(2).last?["token"] == Self.token)
        }
    }
}

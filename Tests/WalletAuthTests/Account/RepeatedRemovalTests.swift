import Foundation
import Synchronization
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Removals that are sent again", .covers("a removal that worked fails"))
struct RepeatedRemovalTests {
    /// Something of an account that can be removed, and what a server says once it is gone.
    struct Removal: Sendable, CustomTestStringConvertible {
        let path: String
        let code: String
        let remove: @Sendable (Wallet) async throws -> Void

        var testDescription: String { code }
    }

    private static let identity = Base64URL.encode([UInt8](repeating: 7, count: 32))

    static let removals = [
        Removal(path: "/v1/account/totp", code: "factor_not_found") { try await $0.factors.removeAuthenticator() },
        Removal(path: "/v1/account/federated-identities/\(Self.identity)", code: "identity_not_found") {
            try await $0.identities.remove(JoinedIdentityID(Self.identity))
        },
        Removal(path: "/v1/devices/device-9", code: "device_not_found") {
            try await $0.devices.remove(DeviceID("device-9"))
        },
    ]

    /// A world in which the subject of alice is an account's, so that she can enroll this device.
    private func worldOfAccount() -> World {
        let world = World()
        world.server.addPerson("alice", password: "correct horse", subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        return world
    }

    /// The server's answer once nothing is left to remove.
    private func answerGone(_ removal: Removal, in world: World, status: Int = 404) {
        let problem = Problem(status: status, code: removal.code, title: "Gone")
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: status, headers: ["Content-Type": Problem.contentType], body: Data(problem.json.bytes))),
            at: removal.path)
    }

    @Test("After a lost response, a removal that finds nothing left has succeeded", arguments: removals)
    func lostAnswer(_ removal: Removal) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.loseAnswer, at: removal.path)
        answerGone(removal, in: world)
        let error = await repeating(in: world) { try await removal.remove(wallet) }
        #expect(error == nil)
        #expect(world.server.requests.count { $0.path == removal.path } == 2)
        #expect(wallet.isLoggedIn)
    }

    @Test("So it has after a 503, behind which the removal may have been carried out", arguments: removals)
    func unavailable(_ removal: Removal) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.unavailable(503), at: removal.path)
        answerGone(removal, in: world)
        let error = await repeating(in: world) { try await removal.remove(wallet) }
        #expect(error == nil)
    }

    @Test(
        "Anything that was missing at the first attempt is an error, even if other attempts did not reach the server",
        arguments: removals)
    func neverThere(_ removal: Removal) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        answerGone(removal, in: world)
        let once = await failure { try await removal.remove(wallet) }
        #expect(once?.code.rawValue == removal.code)
        world.server.network = .unreachable
        answerGone(removal, in: world)
        let twice = await repeating(in: world, meanwhile: { world.server.network = .up }) {
            try await removal.remove(wallet)
        }
        #expect(twice?.code.rawValue == removal.code)
    }

    @Test("After a lost answer, a removal that is refused for another reason is refused", arguments: removals)
    func otherRefusal(_ removal: Removal) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.loseAnswer, at: removal.path)
        let cooling = Removal(path: removal.path, code: "recovery_cooling", remove: removal.remove)
        answerGone(cooling, in: world, status: 403)
        let error = await repeating(in: world) { try await removal.remove(wallet) }
        #expect(error?.code == .recoveryCooling)
    }

    @Test("A long-lived session whose end got no answer is expired, here too")
    func deviceToken() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        try await wallet.devices.enroll(name: "Phone")
        let token = DeviceTokenResponse(token: try DeviceAuthenticationToken("a-long-lived-token"), expiresIn: 86_400)
        world.server.inject(
            .answer(HTTPResponse(status: 201, body: Data(token.json.bytes))),
            at: Endpoints.deviceAuthenticationTokens.path)
        try await wallet.generateDeviceAuthenticationToken(username: "alice", password: "correct horse")
        let current = Removal(path: Endpoints.currentDeviceAuthenticationToken.path, code: "token_already_expired") {
            try await $0.expireDeviceAuthenticationToken()
        }
        world.server.inject(.loseAnswer, at: current.path)
        answerGone(current, in: world, status: 403)
        let error = await repeating(in: world) { try await current.remove(wallet) }
        #expect(error == nil)
        let state = try await wallet.deviceAuthenticationToken
        #expect(state == .expired)
    }

    @Test("A session that has ended does not confirm that this device was removed: it stays until the server says so")
    func thisDevice() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        let device = try await wallet.devices.enroll(name: "Phone")
        let path = Endpoints.device.path(device.id)
        world.server.inject(.loseAnswer, at: path)
        let error = await repeating(in: world) { try await wallet.devices.remove(device.id) }
        #expect(error?.outcome == .signedOut(.sessionEnded))
        #expect(world.server.requests.filter { $0.path == path }.map { $0.status } == [204, 401])
        let accounts = try await wallet.accounts
        #expect(accounts.map { $0.deviceID } == [device.id])
        try await wallet.login(username: "alice", password: "correct horse").signedIn()
        try await wallet.devices.remove(device.id)
        let left = try await wallet.accounts
        #expect(left.isEmpty)
    }

    @Test("This device stays enrolled if the session had ended before its removal was sent")
    func endedBefore() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        let device = try await wallet.devices.enroll(name: "Phone")
        world.server.endSessions(of: "alice")
        let error = await failure { try await wallet.devices.remove(device.id) }
        #expect(error?.outcome == .signedOut(.sessionEnded))
        let accounts = try await wallet.accounts
        #expect(accounts.map { $0.deviceID } == [device.id])
    }

    @Test("A session that ends while another device is removed says nothing about that device")
    func anotherDevice() async throws {
        let world = worldOfAccount()
        let wallet = try await world.signedIn()
        let device = try await wallet.devices.enroll(name: "Phone")
        let other = try DeviceID("device-9")
        world.server.inject(.loseAnswer, at: Endpoints.device.path(other))
        let error = await repeating(in: world, meanwhile: { world.server.endSessions(of: "alice") }) {
            try await wallet.devices.remove(other)
        }
        #expect(error?.outcome == .signedOut(.sessionEnded))
        let accounts = try await wallet.accounts
        #expect(accounts.map { $0.deviceID } == [device.id])
    }

    @Test("A removal goes out in the session that it began in: the next person's server does not know the device")
    func nextPerson() async throws {
        let world = worldOfAccount()
        let store = InterruptedStore(base: world.store)
        var ports = world.ports
        ports.store = store
        let wallet = try await world.signedIn(ports: ports)
        let device = try await wallet.devices.enroll(name: "Phone")
        store.interrupt(atKeyWith: "enrollments") {
            _ = try await wallet.logout()
            try await wallet.login(username: "bob", password: "battery staple").signedIn()
        }
        let error = await failure { try await wallet.devices.remove(device.id) }
        #expect(store.wasInterrupted)
        #expect(error?.outcome == .signedOut(.replacedByAnotherSignIn))
        #expect(!world.server.requests.contains { $0.path == Endpoints.device.path(device.id) })
        let accounts = try await wallet.accounts
        #expect(accounts.map { $0.deviceID } == [device.id])
        #expect(wallet.isLoggedIn)
    }

    @Test("The scripted server ends the sessions on a device with it, also one that it signed in to later")
    func sessionsOnDevice() async throws {
        let world = World()
        world.server.addPerson(
            "carol", password: "correct horse",
            state: .secondFactors([ScriptedServer.Factor(method: "totp", answer: "333333")]),
            subject: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")
        let wallet = try world.wallet()
        let challenge = try await wallet.login(username: "carol", password: "correct horse").secondFactor()
        let device = try await wallet.register(mfa: challenge, answer: "333333").link.linked()
        _ = try await wallet.logout()
        try await wallet.login(username: "carol", password: "correct horse").signedIn()
        try await wallet.devices.remove(device.id)
        #expect(world.server.sessions.map { $0.endedBecause } == [.revoked, .deviceRemoved])
        #expect(!wallet.isLoggedIn)
        try await wallet.login(username: "carol", password: "correct horse").secondFactor()
        let again = await failure { try await wallet.devices.remove(device.id) }
        #expect(again?.outcome == .signedOut(.loggedOut))
    }
}

/// A store in which something happens once before a value is read.
private final class InterruptedStore: SecureStore {
    private struct Interruption {
        let part: String
        let body: @Sendable () async throws -> Void
    }

    private let base: InMemoryStore
    private let interruption = Mutex<Interruption?>(nil)

    init(base: InMemoryStore) {
        self.base = base
    }

    var wasInterrupted: Bool { interruption.withLock { $0 == nil } }

    func interrupt(atKeyWith part: String, _ body: @escaping @Sendable () async throws -> Void) {
        interruption.withLock { $0 = Interruption(part: part, body: body) }
    }

    func get(_ key: SecureStoreKey) async throws -> Data? {
        let due = interruption.withLock { next -> Interruption? in
            guard let due = next, key.name.contains(due.part) else { return nil }
            next = nil
            return due
        }
        try await due?.body()
        return try await base.get(key)
    }

    func put(_ value: Data, for key: SecureStoreKey) async throws { try await base.put(value, for: key) }

    func remove(_ key: SecureStoreKey) async throws { try await base.remove(key) }

    func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T { try await base.withExclusiveLock(lock, body) }
}

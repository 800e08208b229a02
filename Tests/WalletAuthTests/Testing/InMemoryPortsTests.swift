import Crypto
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport

@Suite("The ports in memory")
struct InMemoryPortsTests {
    let store = InMemoryStore()
    let key = SecureStoreKey("session")

    @Test("a locked store answers nothing, and not with nil; a full one still reads and removes")
    func conditions() async throws {
        try await store.put(Data("a".utf8), for: key)
        store.condition = .locked
        await #expect { try await store.get(key) } throws: { ($0 as? SecureStoreFailure)?.kind == .locked }
        await #expect {
            try await store.withExclusiveLock(SecureStoreLock("x")) {}
        } throws: {
            ($0 as? SecureStoreFailure)?.kind == .locked
        }
        store.condition = .full
        await #expect {
            try await store.put(Data("b".utf8), for: key)
        } throws: {
            ($0 as? SecureStoreFailure)?.kind == .full
        }
        #expect(try await store.get(key) == Data("a".utf8))
        try await store.remove(key)
        #expect(store.items.isEmpty)
    }

    @Test("an operation fails as often as was arranged, and no more")
    func arrangedFailures() async throws {
        store.failNext(.put, with: .busy)
        store.failNext(.put, with: .failed)
        for kind in [SecureStoreFailure.Kind.busy, .failed] {
            await #expect {
                try await store.put(Data(), for: key)
            } throws: {
                ($0 as? SecureStoreFailure)?.kind == kind
            }
        }
        try await store.put(Data(), for: key)
        #expect(store.writes == [key])
    }

    @Test("a damaged item stays damaged until it is replaced")
    func damage() async throws {
        try await store.put(Data("a".utf8), for: key)
        store.damage(key)
        await #expect { try await store.get(key) } throws: { ($0 as? SecureStoreFailure)?.kind == .damaged }
        try await store.put(Data("b".utf8), for: key)
        #expect(try await store.get(key) == Data("b".utf8))
    }

    @Test("a lock lets one in at a time, and a cancelled task out")
    func locks() async throws {
        let lock = SecureStoreLock("refresh")
        try await store.withExclusiveLock(lock) {
            let waiter = Task { try await store.withExclusiveLock(lock) {} }
            await Task.yield()
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        let holders = LockedValue(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try await store.withExclusiveLock(lock) {
                        let count = holders.withLock { holders in
                            holders += 1
                            return holders
                        }
                        #expect(count == 1)
                        await Task.yield()
                        holders.withLock { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("keys sign, and are gone after a restore onto another device")
    func keys() async throws {
        let keys = InMemoryDeviceKeys()
        let id = DeviceKeyID("dpop")
        let made = try await keys.createKey(id)
        let signature = try await made.sign(Data("m".utf8))
        let publicKey = try P256.Signing.PublicKey(x963Representation: made.publicKey)
        #expect(publicKey.isValidSignature(try .init(rawRepresentation: signature), for: Data("m".utf8)))
        keys.failure = .locked
        await #expect { try await made.sign(Data()) } throws: { ($0 as? DeviceKeyFailure)?.kind == .locked }
        keys.failure = nil
        keys.loseAll()
        #expect(try await keys.key(id) == nil)
    }

    @Test("a process that was killed reaches neither store nor server any more; what it had stored is there")
    func killedProcess() async throws {
        let clock = ManualClock()
        let server = ScriptedServer(clock: clock)
        let device = Wallet.Ports(
            transport: server, store: store, userAgent: ScriptedUserAgent.closingThePage(), keys: InMemoryDeviceKeys(),
            presence: ScriptedUserPresence(), time: clock)
        let process = SimulatedProcess(device)
        let ports = process.ports
        try await ports.store.put(Data("before".utf8), for: key)
        process.kill(at: .afterSending(to: "/.well-known/jwks.json"))
        let url = try #require(URL(string: "https://auth.example.com/.well-known/jwks.json"))
        await #expect(throws: ProcessKilled()) { try await ports.transport.send(HTTPRequest(method: "GET", url: url)) }
        #expect(server.requests.count == 1 && !process.isAlive)
        await #expect(throws: ProcessKilled()) { try await ports.store.put(Data("after".utf8), for: key) }
        await #expect(throws: ProcessKilled()) { try await ports.transport.send(HTTPRequest(method: "GET", url: url)) }
        #expect(server.requests.count == 1)
        #expect(try await SimulatedProcess(device).ports.store.get(key) == Data("before".utf8))
    }

    @Test("a process that was killed asks for no factor and signs nothing, with what it got before either")
    func killedProcessWithKeys() async throws {
        let (agent, presence, apple) = (
            ScriptedUserAgent.closingThePage(), ScriptedUserPresence(), ScriptedAppleCredentials()
        )
        let clock = ManualClock()
        let process = SimulatedProcess(
            Wallet.Ports(
                transport: ScriptedServer(clock: clock), store: store, userAgent: agent,
                keys: InMemoryDeviceKeys(presence: presence), presence: presence, time: clock, appleCredentials: apple))
        let ports = process.ports
        let page = try #require(URL(string: "https://auth.example.com/oauth2/authorize"))
        let session = try await ports.userAgent.begin(redirectURI: page)
        let key = try await ports.keys.createKey(DeviceKeyID("device"))
        let presenceKey = try await ports.keys.createPresenceKey(DeviceKeyID("presence"))
        _ = try await key.sign(Data())
        process.kill()
        await #expect(throws: ProcessKilled()) { try await session.present(page) }
        await #expect(throws: ProcessKilled()) { try await key.sign(Data()) }
        await #expect(throws: ProcessKilled()) { try await presenceKey.sign(Data(), reason: "Pay") }
        await #expect(throws: ProcessKilled()) { try await ports.presence.confirm(reason: "Pay") }
        await #expect(throws: ProcessKilled()) { try await ports.appleCredentials?.state(ofUser: "001.a") }
        #expect(agent.presented.isEmpty && presence.reasons.isEmpty && apple.asked.isEmpty)
    }
}

import Core
import FlowSupport
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// One account's sign-ins must not stand in the way of all others.
@Suite("A flood of sign-ins")
struct SignInFloodTests {
    /// What the flood and the test tell each other.
    private final class Flood: Sendable {
        private let isOver = Mutex(false)
        let (refusals, refused) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

        func end() { isOver.withLock { $0 = true } }

        /// Signs in with the right password, over and over.
        func run(_ client: TestClient, from address: String) async {
            while !isOver.withLock({ $0 }) {
                var app = TestApp(client: client)
                app.address = address
                let outcome = try? await app.signIn()
                if outcome?.refusal?.status == 503 { refused.yield() }
                // A refusal may suspend nothing; the others run on the same threads.
                await Task.yield()
            }
        }
    }

    @Test(
        "attack: one account's right password, sent without a pause from two addresses, does not affect twelve other accounts"
    )
    func oneAccount() async throws {
        let server = try await TestServer.start {
            // Slow enough for a queue; and what slows wrong passwords is out of the way.
            $0.passwordHashing = PasswordHashing(concurrency: 1, queueLimit: 31)
            $0.lockout.unknownDeviceFailures = 10_000
            $0.lockout.network.failures = 10_000
        }
        _ = try await server.account()
        for number in 0..<12 { _ = try await server.account("other\(number)") }
        let client = try await server.publicClient()
        let flood = Flood()
        let admitted = await withTaskGroup(of: Void.self) { flooders in
            for number in 0..<64 {
                flooders.addTask { await flood.run(client, from: "198.51.100.\(number % 2)") }
            }
            // It has all the slots that it gets.
            for await _ in flood.refusals { break }
            let admitted = await withTaskGroup(of: Bool.self) { others in
                for number in 0..<12 {
                    others.addTask {
                        var app = TestApp(client: client)
                        app.address = "203.0.113.\(number)"
                        return (try? await app.signIn("other\(number)").code()) != nil
                    }
                }
                return await others.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            flood.end()
            return admitted
        }
        #expect(admitted == 12)
    }

    @Test(
        "attack: a stolen password that has expired takes the places that are kept for known devices",
        .threat("Password guessing"))
    func expiredPassword() async throws {
        let server = try await TestServer.start {
            // Untrusted devices together have six of eight.
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, concurrency: 1, queueLimit: 7)
        }
        _ = try await server.account()
        try await server.administer(["account", "expire-password", "ada"])
        let thief = TestApp(client: try await server.publicClient())
        let session = try #require(try await thief.signIn().refusal?.session)
        var taken = (0..<6).compactMap { number in
            let origin = RequestOrigin(address: "203.0.113.\(number)")
            return server.context.passwords.slot(for: .untrusted(name: "name\(number)", networks: origin.networks))
        }
        #expect(taken.count == 6)
        let password = Continuation.newPassword(try Password("a fresh phrase 7"))
        #expect(try await thief.proceed(session, password).refusal?.status == 503)
        // It was no try: with a free slot the sign-in goes on.
        taken.removeLast()
        _ = try await thief.proceed(session, password).code()
        withExtendedLifetime(taken) {}
    }

    @Test("attack: a network that is refused anyway holds the places of a name")
    func refusedNetwork() async throws {
        let server = try await TestServer.start {
            // An eighth of eight: the name has one slot.
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, concurrency: 1, queueLimit: 7)
            $0.lockout.network.failures = 2
        }
        _ = try await server.account()
        var thief = TestApp(client: try await server.publicClient())
        thief.address = "198.51.100.1"
        for _ in 0..<2 { #expect(try await thief.signIn(password: "a wrong one").errorCode == "invalid_credentials") }
        let taken = server.context.passwords.slot(
            for: .untrusted(name: "default ada", networks: RequestOrigin(address: "203.0.113.1").networks))
        let holder = try #require(taken)
        // Told to wait before it asks for a slot: with one it would have been 503 here.
        #expect(try await thief.signIn(password: "a wrong one").refusal?.status == 429)
        withExtendedLifetime(holder) {}
    }
}

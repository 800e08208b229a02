import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

/// What counts where a password was reserved and its outcome never written.
@Suite("Sign-ins whose outcome is lost", .threat("Password guessing"))
struct LostOutcomeTests {
    /// The process ends before the outcome of a sign-in is written.
    private struct Ended: Error {}

    /// Signs in up to the comparison, and loses what came of it.
    private func lose(_ signIn: () async throws -> NativeSignInOutcome, at server: TestServer) async throws {
        server.beforeNextWrite { server.beforeNextWrite { throw Ended() } }
        await #expect(throws: Ended.self) { _ = try await signIn() }
    }

    @Test("Five right passwords in flight when the server dies deactivate nothing: the next one signs in")
    func crash() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<5 { try await lose({ try await holder.signIn() }, at: server) }

        let next = try await server.restarted()
        let again = TestApp(client: TestClient(server: next, id: holder.client.id, secret: nil), key: holder.key)
        _ = try await again.signIn().code()
        #expect(try await next.record(of: account)?.state == .active)
        // And the count began again with it.
        for _ in 0..<4 {
            #expect(try await again.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        _ = try await again.signIn().code()
    }

    @Test("Five right passwords on an enrolled phone, in flight when the server dies, do not close the phone")
    func crashOfADevice() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        for _ in 0..<5 { try await lose({ try await device.signIn(as: enrolled.id) }, at: server) }
        server.clock.advance(by: .seconds(61))
        _ = try await device.signIn(as: enrolled.id).code()
        let id = try #require(UniqueID(uuid: enrolled.id.rawValue))
        let record = try await server.context.database.read { try Devices.find(id, on: $0) }
        #expect(record?.state == .active)
    }

    @Test("While five passwords are compared on a device a sixth waits, and is neither wrong nor the last straw")
    func sixth() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<5 { try await lose({ try await holder.signIn() }, at: server) }
        let refusal = try #require(try await holder.signIn().refusal)
        #expect(refusal.status == 429)
        #expect(refusal.retryAfter == 1)
        #expect(try await server.record(of: account)?.state == .active)
        // No comparison takes a minute: by then no one waits for those five.
        server.clock.advance(by: .seconds(61))
        _ = try await holder.signIn().code()
    }

    @Test(
        "A person who disconnects in the middle of a right sign-in, again and again, is not locked out",
        .threat("Locking the holder out"))
    func hangingUp() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<20 {
            let call = Task { try await holder.signIn() }
            call.cancel()
            _ = await call.result
        }
        #expect(try await server.record(of: account)?.state == .active)
        #expect(try await server.attempts().allSatisfy { $0.failures == 0 })
        _ = try await holder.signIn().code()
    }

    @Test(
        "Race: of five passwords at once on a known device, five wrong ones deactivate it, and four with a right one do not"
    )
    func atOnce() async throws {
        for (wrong, state) in [(5, AccountState.deactivated), (4, .active)] {
            let server = try await TestServer.start()
            let account = try await server.account()
            let holder = TestApp(client: try await server.publicClient())
            try await holder.becomeKnown()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        _ = try? await holder.signIn(
                            password: number < wrong ? "a wrong one" : "correct horse battery")
                    }
                }
            }
            #expect(try await server.record(of: account)?.state == state)
        }
    }

    @Test("attack: a server that is killed during each guess compares five, and then one after each wait")
    func crashLoop() async throws {
        var server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let known = TestApp(client: client)
        try await known.becomeKnown()
        // Of another kind: the account's new password, and the sign-in that made the device known.
        var compared = -server.context.passwords.hashesComputed
        for _ in 0..<12 {
            let before = server
            let guess = TestApp(
                client: TestClient(server: before, id: client.id, secret: nil), key: known.key)
            before.beforeNextWrite { before.beforeNextWrite { throw Ended() } }
            _ = try? await guess.signIn(password: "a wrong one")
            compared += before.context.passwords.hashesComputed
            server = try await before.restarted()
        }
        #expect(compared == 6)
        #expect(try await server.record(of: account)?.state == .active)
        server.clock.advance(by: .seconds(31))
        let holder = TestApp(client: TestClient(server: server, id: client.id, secret: nil), key: known.key)
        _ = try await holder.signIn().code()
    }
}

import Core
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Attacks on recovery")
struct RecoveryAttackTests {
    private func setUp() async throws -> (server: TestServer, app: TestApp, account: AccountID) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        return (server, TestApp(client: try await server.publicClient()), account)
    }

    @Test(
        "attack: enumeration by text and by work: asking for known, unknown, erased, closed or unreachable names",
        .threat("Account enumeration"))
    func enumeration() async throws {
        let (server, app, _) = try await setUp()
        for name in ["erased", "closed"] { _ = try await server.reachableAccount(name) }
        _ = try await server.account("without")
        _ = try await server.account("unconfirmed") { $0.email = "unconfirmed@example.com" }
        try await server.administer(["account", "erase", "erased"])
        try await server.administer(["account", "deactivate", "closed"])
        var seen: Set<String> = []
        for name in ["ada", "nobody", "erased", "closed", "without", "unconfirmed"] {
            let (recoveries, messages) = (try await server.rows(of: "recoveries"), try await server.rows(of: "outbox"))
            let refusal = try #require(try await app.beginRecovery(name).refusal)
            let length = try #require(refusal.session).reveal().utf8.count
            let prompt = try #require(refusal.recovery)
            seen.insert("\(refusal.error) \(refusal.errorCode) \(refusal.status) \(length) \(prompt)")
            // The same is written for every name: a row, and a message that goes nowhere if there is no account.
            let (after, posted) = (try await server.rows(of: "recoveries"), try await server.rows(of: "outbox"))
            #expect(after - recoveries == 1, "\(name)")
            #expect(posted - messages == 1, "\(name)")
            let asked = AskedRecovery(session: try #require(refusal.session), prompt: prompt)
            var told: [String] = []
            for _ in 0..<6 {
                let wrong = try #require(try await app.answerRecovery("00000000", to: asked).refusal)
                told.append("\(wrong.error) \(wrong.errorCode) \(wrong.status) \(wrong.session == nil)")
            }
            seen.insert(told.joined(separator: ","))
        }
        #expect(seen.count == 2, "\(seen)")
        let events = try await server.rows(of: "security_events WHERE kind = 'account.recovery_failed'")
        #expect(events == 2)
    }

    @Test(
        "attack: a mailbox is not flooded, from one network or from a hundred, and the holder's phone still gets its code"
    )
    func flood() async throws {
        let (server, app, _) = try await setUp()
        let holder = TestApp(client: app.client)
        _ = try await holder.redeem(holder.signInWithCode().code()).tokens()
        for _ in 0..<20 { _ = try await app.beginRecovery().recovery() }
        #expect(try await server.recoveryCodesSent() == 3)
        let refused = try await app.beginRecovery()
        #expect(refused.refusal?.status == 429)
        for number in 0..<100 {
            var stranger = TestApp(client: app.client)
            stranger.address = "198.51.100.\(number)"
            _ = try await stranger.beginRecovery().recovery()
        }
        let sent = try await server.recoveryCodesSent()
        #expect(sent == 10)
        // Whatever was not sent cannot be guessed either.
        let now = server.clock.now().milliseconds
        let live = try await server.rows(of: "recoveries WHERE code_expires_at > \(now)")
        #expect(live == 10)
        // The holder's phone has a count of its own, and its own code.
        server.clock.advance(by: .seconds(1))
        let asked = try await holder.beginRecovery().recovery()
        #expect(try await server.recoveryCodesSent() == sent + 1)
        let code = try await server.recoveryCode()
        for number in 0..<20 {
            var stranger = TestApp(client: app.client)
            stranger.address = "203.0.113.\(number)"
            let theirs = try await stranger.beginRecovery().recovery()
            for _ in 0..<5 { _ = try await stranger.answerRecovery("00000000", to: theirs) }
        }
        _ = try await holder.answerRecovery(code, to: asked).passwordSession()
    }

    @Test("attack: while strangers have used up a mailbox's messages, asking in vain costs the holder none later")
    func askingInVain() async throws {
        let (server, app, _) = try await setUp()
        for number in 0..<4 {
            var stranger = TestApp(client: app.client)
            stranger.address = "198.51.100.\(number)"
            for _ in 0..<3 { _ = try await stranger.beginRecovery().recovery() }
        }
        let sent = try await server.recoveryCodesSent()
        #expect(sent == 10)
        // The next message may be sent five minutes after the tenth.
        for pause in [0, 0, 0, 60, 120] {
            server.clock.advance(by: .seconds(pause))
            _ = try await app.beginRecovery().recovery()
        }
        let sentMeanwhile = try await server.recoveryCodesSent()
        #expect(sentMeanwhile == 10)
        server.clock.advance(by: .seconds(120))
        _ = try await app.beginRecovery().recovery()
        let sentAfterwards = try await server.recoveryCodesSent()
        #expect(sentAfterwards == 11)
    }

    @Test(
        "attack: one customer's /48 sends a mailbox three messages, and begins no more recoveries than four networks",
        .threat("A forgotten password and a stolen mailbox"))
    func floodFromSite() async throws {
        let (server, app, _) = try await setUp()
        for subnet in 0..<80 { _ = try await app.client.app(inSubnet: subnet).beginRecovery().recovery() }
        let refused = try await app.client.app(inSubnet: 80).beginRecovery().refusal
        let sent = try await server.recoveryCodesSent()
        #expect(refused?.status == 429)
        #expect(sent == 3)
        _ = try await app.beginRecovery().recovery()
        let sentElsewhere = try await server.recoveryCodesSent()
        #expect(sentElsewhere == 4)
    }

    @Test(
        "attack: a home that begins all recoveries of its /48 leaves one an hour to each other /56, and known devices keep theirs"
    )
    func neighbors() async throws {
        let (_, app, _) = try await setUp()
        let client = app.client
        var holder = client.app(inSubnet: 0)
        _ = try await holder.redeem(holder.signInWithCode().code()).tokens()
        for subnet in 0..<80 { _ = try await client.app(inSubnet: subnet).beginRecovery("nobody").recovery() }
        _ = try await client.app(inSubnet: 0x100).beginRecovery().recovery()
        let second = try await client.app(inSubnet: 0x101).beginRecovery().refusal
        #expect(second?.status == 429)
        _ = try await holder.beginRecovery().recovery()
        holder.address = "2001:db8:1:101::1"
        _ = try await holder.beginRecovery().recovery()
    }

    @Test(
        "A recovery that is refused because of others in the /48 does not count, however often it is requested",
        .threat("Locking the holder out"))
    func refusedForOthers() async throws {
        let (server, app, _) = try await setUp()
        for subnet in 0..<80 { _ = try await app.client.app(inSubnet: subnet).beginRecovery("nobody").recovery() }
        for _ in 0..<60 {
            let refused = try await app.client.app(inSubnet: 80).beginRecovery().refusal
            #expect(refused?.status == 429)
            server.clock.advance(by: .minutes(1))
        }
        for _ in 0..<20 { _ = try await app.client.app(inSubnet: 80).beginRecovery().recovery() }
    }

    @Test(
        "attack: a device that the account knows begins no recoveries without end, and leaves no unsent code to guess")
    func floodFromKnownDevice() async throws {
        let (server, app, _) = try await setUp()
        _ = try await app.redeem(app.signInWithCode().code()).tokens()
        for _ in 0..<20 { _ = try await app.beginRecovery().recovery() }
        let refused = try await app.beginRecovery()
        #expect(refused.refusal?.status == 429)
        let sent = try await server.recoveryCodesSent()
        #expect(sent == 3)
        let now = server.clock.now().milliseconds
        let live = try await server.rows(of: "recoveries WHERE code_expires_at > \(now)")
        #expect(live == 3)
    }

    @Test("A code is sent again after half a minute, three times in all, and the one before is void")
    func resends() async throws {
        let (server, app, _) = try await setUp()
        let asked = try await app.beginRecovery().recovery()
        let first = try await server.recoveryCode()
        let early = try await app.proceed(asked.session, .resendRecovery).recovery()
        #expect(asked.prompt.sent == true)
        #expect(early.prompt.resendAfter == 30)
        #expect(early.prompt.sent == false)
        #expect(try await server.recoveryCodesSent() == 1)
        server.clock.advance(by: .seconds(31))
        #expect(try await app.proceed(asked.session, .resendRecovery).recovery().prompt.sent == true)
        #expect(try await server.recoveryCodesSent() == 2)
        server.clock.advance(by: .seconds(31))
        let last = try await app.proceed(asked.session, .resendRecovery).recovery()
        #expect(last.prompt.resendAfter == nil)
        server.clock.advance(by: .seconds(31))
        #expect(try await app.proceed(asked.session, .resendRecovery).recovery().prompt.sent == false)
        #expect(try await server.recoveryCodesSent() == 3)
        #expect(try await app.answerRecovery(first, to: asked).errorCode == "invalid_credentials")
        _ = try await app.answerRecovery(try await server.recoveryCode(), to: asked).passwordSession()
    }

    @Test("What can be no code costs no try, and does not keep a recovery open that is over")
    func impossibleCode() async throws {
        let (server, app, _) = try await setUp()
        let asked = try await app.beginRecovery().recovery()
        for _ in 0..<6 {
            #expect(try await app.answerRecovery("12ab", to: asked).errorCode == "invalid_credentials")
        }
        _ = try await app.answerRecovery(try await server.recoveryCode(), to: asked).passwordSession()
        #expect(try await app.answerRecovery("12ab", to: asked).isOver)
    }

    @Test("attack: of a thousand parallel guesses five are compared, and the right code comes too late after them")
    func parallelGuesses() async throws {
        let (server, app, _) = try await setUp()
        let asked = try await app.beginRecovery().recovery()
        let code = try await server.recoveryCode()
        let compared = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await app.answerRecovery("00000000", to: asked).isOver == false }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(compared == 5)
        #expect(try await app.answerRecovery(code, to: asked).isOver)
    }

    @Test("attack: of a hundred right codes at once, one goes on; and a code is valid once (replay)")
    func replay() async throws {
        let (server, app, _) = try await setUp()
        let asked = try await app.beginRecovery().recovery()
        let code = try await server.recoveryCode()
        let won = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await app.answerRecovery(code, to: asked).errorCode == "password_change_required"
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 1)
        #expect(try await app.answerRecovery(code, to: asked).isOver)
    }

    @Test(
        "attack: a code for another account, or another recovery of the same one, is wrong; one that is too old as well"
    )
    func foreignCode() async throws {
        let (server, app, _) = try await setUp()
        _ = try await server.reachableAccount("mallory")
        let asked = try await app.beginRecovery().recovery()
        let own = try await server.recoveryCode()
        server.clock.advance(by: .seconds(1))
        _ = try await app.beginRecovery("mallory").recovery()
        let mallory = try await server.recoveryCode()
        let wrong = try await app.answerRecovery(mallory, to: asked)
        #expect(wrong.errorCode == "invalid_credentials")
        let second = try await app.beginRecovery().recovery()
        #expect(try await app.answerRecovery(own, to: second).errorCode == "invalid_credentials")
        server.clock.advance(by: .minutes(10))
        #expect(try await app.answerRecovery(own, to: asked).errorCode == "invalid_credentials")
    }

    @Test("attack: a recovery's session is of use with its own key alone, and no other step passes with it")
    func swappedSession() async throws {
        let (server, app, _) = try await setUp()
        let asked = try await app.beginRecovery().recovery()
        let code = try await server.recoveryCode()
        let thief = TestApp(client: app.client)
        #expect(try await thief.answerRecovery(code, to: asked).isOver)
        let other = TestApp(client: try await server.publicClient("other"))
        #expect(try await other.answerRecovery(code, to: asked).isOver)
        // Not past the code: the session is of another kind than one whose first factor was right.
        #expect(try await app.proceed(asked.session, .newPassword(Password("another phrase 8"))).isOver)
        #expect(try await app.proceed(asked.session, .resendFactor).isOver)
        // And one whose first factor was right is none of a recovery.
        let waiting = try await app.signIn().asked()
        #expect(try await app.proceed(waiting.session, .recoveryAnswer(OneTimeCode(code))).isOver)
        _ = try await app.answerRecovery(code, to: asked).passwordSession()
    }

    @Test(
        "attack: a recovery and a change of the password at once: the one that comes second changes nothing",
        .threat("Locking the holder out"))
    func race() async throws {
        let (server, app, account) = try await setUp()
        // The code was sent, and then the holder changed the password.
        let asked = try await app.beginRecovery().recovery()
        let code = try await server.recoveryCode()
        try await server.administer(AdminRequest(["account", "set-password", "ada"], input: "holder phrase 9"))
        #expect(try await app.answerRecovery(code, to: asked).isOver)
        // The code was right, and then the holder changed the password.
        server.clock.advance(by: .hours(2))
        let session = try await app.recoverByCode().passwordSession()
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "holder phrase 10"))
        let before = try await server.record(of: account)
        #expect(try await app.choose("thief phrase 11", in: session).isOver)
        let after = try await server.record(of: account)
        #expect(before?.password == after?.password)
        // The new password waits for its write, and then the holder changed the password.
        server.clock.advance(by: .hours(2))
        let waiting = try await app.recoverByCode().passwordSession()
        server.beforeNextWrite {
            try await server.administer(
                AdminRequest(["account", "set-password", "ada"], input: "holder phrase 12"))
        }
        #expect(try await app.choose("thief phrase 13", in: waiting).isOver)
        #expect(try await app.signIn(password: "holder phrase 12").errorCode == "mfa_required")
        // Two new passwords of one recovery at once: one is set.
        server.clock.advance(by: .hours(2))
        let last = try await app.recoverByCode().passwordSession()
        let set = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let outcome = try await app.choose("another phrase \(number)", in: last)
                    if case .authorized = outcome { return true }
                    return false
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(set == 1)
    }
}

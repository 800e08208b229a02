import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("Attacks on sign-in on the phone for a client", .threat("A client that asks people to approve sign-ins"))
struct BackchannelAttackTests {
    @Test(
        "attack: a replayed auth_req_id, another client's and an invented one are invalid_grant",
        .conformance("fapi-ciba-id1-ensure-wrong-auth-req-id-in-token-endpoint-request"))
    func foreignRequests() async throws {
        let desk = try await TestDesk.open()
        let other = try await TestDesk.register("other", at: desk.server)
        let answer = try await desk.ask().get()
        #expect(try await desk.poll(answer, as: other).refusal == .invalidGrant)
        try await desk.approve()
        #expect(try await desk.poll(answer, as: other).refusal == .invalidGrant)
        _ = try await desk.wait(answer).get()
        #expect(try await desk.wait(answer).refusal == .invalidGrant)
        let invented = try AuthenticationRequestID("war_" + String(repeating: "A", count: 43))
        #expect(try await desk.client.token(.backchannel(invented)).refusal == .invalidGrant)
        // Nor is it a device's code.
        try await desk.server.administer(["client", "update", "desk", "--device-grant"])
        let code = try DeviceCode(answer.requestID.reveal())
        #expect(try await desk.client.token(.deviceCode(code)).refusal == .invalidGrant)
        #expect(try await desk.sessions() == 1)
    }

    @Test("attack: of two polls at once, one opens the session")
    func race() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        try await desk.approve()
        desk.server.beforeNextWrite { _ = try await desk.poll(answer).get() }
        #expect(try await desk.poll(answer).refusal == .invalidGrant)
        #expect(try await desk.sessions() == 1)
    }

    @Test("A public client, and one for which it is off, can neither ask nor poll")
    func otherClients() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        let off = try await TestDesk.register("off", nil, at: desk.server)
        let app = try await desk.server.bearerClient("bearer") { $0.scopes = ["openid", "profile"] }
        for client in [off, app] {
            #expect(try await desk.ask(as: client).refusal == .unauthorizedClient)
            #expect(try await desk.poll(answer, as: client).refusal == .unauthorizedClient)
        }
    }

    @Test(
        "After the time is over, the signature is refused and the poll is expired_token",
        .conformance("fapi-ciba-id1-auth-req-id-expired"))
    func expired() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask(expiry: 30).get()
        let transaction = try await desk.till.confirm(desk.claimed()).get()
        desk.server.clock.advance(by: .seconds(30))
        let late = try await desk.till.sign(transaction, desk.till.byBiometrics(transaction))
        #expect(late.refusal == .refused(.over(.expired)))
        #expect(try await desk.poll(answer).refusal == .expiredToken)
        #expect(try await desk.sessions() == 0)
    }

    @Test("Of a signature and the expiry, the one that is written first wins for the phone and for the client")
    func expiryRace() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask(expiry: 30).get()
        let transaction = try await desk.till.confirm(desk.claimed()).get()
        let assertion = try await desk.till.byBiometrics(transaction)
        desk.server.beforeNextWrite { desk.server.clock.advance(by: .seconds(30)) }
        #expect(try await desk.till.sign(transaction, assertion).refusal == .refused(.over(.expired)))
        #expect(try await desk.poll(answer).refusal == .expiredToken)
        // And the other way round: what was signed in time is fetched in time, or never.
        let next = try await desk.ask(expiry: 30).get()
        try await desk.approve()
        desk.server.clock.advance(by: .seconds(30))
        #expect(try await desk.poll(next).refusal == .expiredToken)
        #expect(try await desk.sessions() == 0)
    }

    @Test("An account that does not exist, is locked or has no phone looks the same to the client")
    func unknownPeople() async throws {
        let desk = try await TestDesk.open()
        _ = try await desk.server.account("grace")
        for name in ["nobody", "grace", "", "a\u{202E}b"] {
            #expect(try await desk.ask(.login(name)).refusal == .unknownUserID, "\(name)")
        }
        try await desk.server.administer(["account", "deactivate", "ada"])
        #expect(try await desk.ask().refusal == .unknownUserID)
        #expect(try await desk.server.rows(of: "device_grants") == 0)
    }

    @Test("attack: a client that tries names is held after a hundred, for right ones as well")
    func enumeration() async throws {
        let desk = try await TestDesk.open()
        for number in 0..<BackchannelLimits.unknownOfClient {
            #expect(try await desk.ask(.login("nobody\(number)")).refusal == .unknownUserID)
        }
        #expect(try await desk.ask(.login("nobody")).isHeld)
        #expect(try await desk.ask().isHeld)
        desk.server.clock.advance(by: BackchannelLimits.window)
        _ = try await desk.ask().get()
    }

    @Test(
        "attack: a client asks one person five times in ten minutes, and not for an hour after one they did not expect")
    func fatigue() async throws {
        let desk = try await TestDesk.open()
        for _ in 0..<BackchannelLimits.requestsForPerson { _ = try await desk.ask().get() }
        #expect(try await desk.ask().isHeld)
        desk.server.clock.advance(by: BackchannelLimits.window)
        _ = try await desk.ask().get()
        try await desk.refuse(because: .unexpected)
        desk.server.clock.advance(by: .minutes(59))
        #expect(try await desk.ask().isHeld)
        let other = try await TestDesk.register("other", at: desk.server)
        _ = try await desk.ask(as: other).get()
        desk.server.clock.advance(by: .minutes(1))
        _ = try await desk.ask().get()
    }

    @Test("A person who is locked after the approval opens no session, nor does one whose phone was taken away")
    func lockedPerson() async throws {
        for words in [["account", "deactivate", "ada"], ["device", "remove"]] {
            let desk = try await TestDesk.open()
            let answer = try await desk.ask().get()
            try await desk.approve()
            let target = words.count == 2 ? [desk.till.phone.id.rawValue] : []
            try await desk.server.administer(AdminRequest(words + target))
            #expect(try await desk.wait(answer).refusal == .accessDenied, "\(words)")
            #expect(try await desk.sessions() == 0)
        }
    }

    @Test("Nothing is left of what waits for a person who is erased", arguments: [false, true])
    func erasedPerson(isApproved: Bool) async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        if isApproved { try await desk.approve() }
        try await desk.server.administer(["account", "erase", "ada", "--yes"])
        #expect(try await desk.server.rows(of: "device_grants") == 0)
        #expect(try await desk.wait(answer).refusal == .invalidGrant)
        #expect(try await desk.sessions() == 0)
    }

    @Test("The request belongs to the key that was proved for it")
    func boundToKey() async throws {
        let desk = try await TestDesk.open()
        let (key, other) = (TestKey(), TestKey())
        let answer = try await desk.ask(key: key).get()
        try await desk.approve()
        #expect(try await desk.poll(answer).refusal == .invalidGrant)
        #expect(try await desk.poll(answer, key: other).refusal == .invalidGrant)
        #expect(try await desk.poll(answer, key: key).get().tokenType == .dpop)
    }

    @Test("Scopes beyond the client's, and those that administer the server, are invalid_scope")
    func scopes() async throws {
        let desk = try await TestDesk.open()
        #expect(try await desk.ask(scope: "openid email").refusal == .invalidScope(["email"]))
        #expect(try await desk.ask(scope: "openid admin").refusal == .invalidScope(["admin"]))
    }

    @Test("Another company's client reaches those who gave it access on a page, and learns of no one else")
    func otherCompany() async throws {
        let desk = try await TestDesk.open { $0.firstParty = false }
        #expect(try await desk.ask().refusal == .unknownUserID)
        try await desk.client.allow("openid", by: desk.till.account)
        #expect(try await desk.ask().refusal == .unknownUserID, "the scope is wider")
        let answer = try await desk.ask(scope: "openid").get()
        try await desk.approve()
        try await desk.server.administer(["account", "consents", "ada", "--withdraw", "desk"])
        #expect(try await desk.wait(answer).refusal == .accessDenied)
        try await desk.client.allow("openid", by: desk.till.account)
        let next = try await desk.ask(scope: "openid").get()
        try await desk.approve()
        _ = try await desk.wait(next).get()
    }

    @Test("After --ciba is taken away, what was asked for before ends")
    func turnedOff() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        try await desk.server.administer(["client", "update", "desk", "--ciba", ""])
        #expect(try await desk.poll(answer).refusal == .unauthorizedClient)
    }

    @Test("attack: a restored copy, which may not know of a redemption, redeems nothing")
    func restored() async throws {
        let desk = try await TestDesk.open()
        let answer = try await desk.ask().get()
        try await desk.approve()
        let server = try await desk.server.restarted(epoch: 1)
        #expect(try await desk.client.at(server).token(.backchannel(answer.requestID)).refusal == .invalidGrant)
    }
}

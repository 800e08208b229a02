import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// What support reads when a person cannot sign in, and that the command it names helps.
@Suite("Why a person cannot sign in", .covers("why a person cannot sign in"))
struct SignInExplanationTests {
    private static let wrong = "a wrong one"
    private static let new = "another phrase 8"

    private func explain(_ server: TestServer, _ words: [String] = ["ada"]) async throws -> Explained {
        let answer = await server.flows.administration.execute(AdminRequest(["account", "explain"] + words))
        guard answer.status == .done else { throw TestServer.Refused(line: answer.lines.joined(separator: " ")) }
        return Explained(lines: answer.lines, json: try answer.document())
    }

    /// An answer.
    private struct Explained {
        let lines: [String]
        let json: JSONObject

        var verdict: String { lines.first ?? "" }
        var access: String? { json["canSignIn"]?.string }
        var codes: [String] { json["hindrances"]?.array?.compactMap { $0.object?["code"]?.string } ?? [] }
        var refusals: [JSONObject] { json["refusals"]?.array?.compactMap(\.object) ?? [] }

        /// The words of the worst hindrance's command.
        var command: [String]? {
            json["hindrances"]?.array?.first?.object?["command"]?.string?
                .split(separator: " ").dropFirst().map(String.init)
        }
    }

    /// Runs the command that an explanation names.
    private func mend(_ server: TestServer, _ explained: Explained, input: String? = nil) async throws {
        let words = try #require(explained.command, "\(explained.lines)")
        try await server.administer(AdminRequest(words, input: input))
    }

    private func scene(
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> (server: TestServer, app: TestApp) {
        let server = try await TestServer.start(adjust)
        _ = try await server.account()
        return (server, TestApp(client: try await server.publicClient()))
    }

    @Test("Nothing is wrong, and the person has never signed in")
    func neverSignedIn() async throws {
        let (server, app) = try await scene()
        let explained = try await explain(server)
        #expect(
            explained.verdict
                == "Nothing keeps ada from signing in for the first time, and the audit log has no refusal.")
        #expect(explained.access == "full")
        _ = try await app.signIn().code()
    }

    @Test("Nothing is wrong, a wrong password was typed, and the account is also found by its id")
    func nothing() async throws {
        let (server, app) = try await scene()
        try await app.becomeKnown()
        let another = TestApp(client: app.client)
        _ = try await another.signIn(password: Self.wrong)
        let explained = try await explain(server)
        #expect(
            explained.verdict
                == "Nothing keeps ada from signing in; one wrong password was typed on unknown devices since the last right one."
        )
        let id = try #require(explained.json["accountId"]?.string)
        #expect(try await explain(server, ["--account", id]).verdict == explained.verdict)
    }

    @Test(
        "Wrong passwords on unknown devices: who never signed in waits until the count is reset; on either engine",
        arguments: Deployment.allCases)
    func wrongPasswords(_ deployment: Deployment) async throws {
        try await deployment.run { server, other in
            _ = try await server.account()
            let app = TestApp(client: try await server.publicClient())
            for _ in 0..<6 { _ = try await app.signIn(password: Self.wrong) }
            #expect(try await app.signIn().errorCode != nil)
            let explained = try await explain(other)
            let until = try #require(explained.json["hindrances"]?.array?.first?.object?["until"]?.string)
            #expect(
                explained.verdict == """
                    ada cannot sign in until \(until): 5 wrong passwords; `walletauth account reactivate ada` ends it sooner.
                    """)
            #expect(explained.access == "none")
            #expect(explained.refusals.first?["method"]?.string == "password")
            #expect(explained.refusals.first?["reason"]?.string == "4 wrong passwords in a row on unknown devices")
            let request = try await explain(other, ["--request", TestServer.origin.traceID])
            #expect(request.verdict.hasSuffix("4 wrong passwords in a row on unknown devices."))
            try await mend(other, explained)
            _ = try await app.signIn().code()
        }
    }

    @Test("Wrong passwords on unknown devices: a known device signs in meanwhile, and the verdict says so")
    func wrongPasswordsElsewhere() async throws {
        let (server, app) = try await scene()
        try await app.becomeKnown()
        let stranger = TestApp(client: app.client, address: "198.51.100.7")
        for _ in 0..<6 { _ = try await stranger.signIn(password: Self.wrong) }
        let explained = try await explain(server)
        #expect(
            explained.verdict.hasPrefix(
                "ada cannot sign in on devices and browsers that the account does not know until "))
        #expect(explained.access == "limited")
        _ = try await app.signIn().code()
    }

    @Test("Wrong passwords on a known device deactivate the account, and `account reactivate` opens it")
    func deactivatedByFailures() async throws {
        let (server, app) = try await scene()
        try await app.becomeKnown()
        for _ in 0..<5 { _ = try await app.signIn(password: Self.wrong) }
        let explained = try await explain(server)
        #expect(
            explained.verdict == """
                ada cannot sign in until you run `walletauth account reactivate ada`: too many wrong passwords on \
                devices that it knows deactivated the account.
                """)
        #expect(explained.codes == ["deactivated_by_failures"])
        #expect(explained.refusals.contains { $0["kind"]?.string == "account.deactivated" })
        try await mend(server, explained)
        _ = try await app.signIn().code()
    }

    @Test("An operator deactivated the account, which is no refused sign-in, and `account reactivate` opens it")
    func deactivated() async throws {
        let (server, app) = try await scene()
        try await server.administer(["account", "deactivate", "ada"])
        let explained = try await explain(server)
        #expect(explained.verdict.hasSuffix(": an operator deactivated the account."))
        #expect(explained.refusals.isEmpty)
        try await mend(server, explained)
        _ = try await app.signIn().code()
    }

    @Test("A deactivated account without a password: the verdict names both commands, in order")
    func deactivatedWithoutPassword() async throws {
        let server = try await TestServer.start()
        try await server.administer(["account", "create", "otto"])
        try await server.administer(["account", "deactivate", "otto"])
        let explained = try await explain(server, ["otto"])
        #expect(
            explained.verdict == """
                otto cannot sign in until you run `walletauth account reactivate otto` and then `walletauth account \
                set-password otto`: an operator deactivated the account.
                """)
        #expect(explained.codes == ["deactivated", "no_password"])
    }

    @Test(
        "A device that an operator closed is named with the command that opens it",
        arguments: ["suspend", "deactivate"])
    func closedDevice(verb: String) async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let device = try await TestDevice.signedIn(account, try await server.publicClient())
        let id = try await device.enrolled(account).id
        try await server.administer(["device", verb, id.rawValue])
        let explained = try await explain(server)
        #expect(explained.verdict.contains("cannot sign in on device \(id.rawValue) until you run `walletauth device "))
        #expect(try await device.signIn(as: id).errorCode != nil)
        try await mend(server, explained)
        _ = try await device.signIn(as: id).code()
        #expect(try await explain(server).codes.isEmpty)
    }

    @Test("Wrong passwords on an enrolled device close it alone, and its command opens it")
    func deviceClosedByFailures() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let device = try await TestDevice.signedIn(account, try await server.publicClient())
        let id = try await device.enrolled(account).id
        for _ in 0..<5 { _ = try await device.signIn(as: id, password: Self.wrong) }
        let explained = try await explain(server)
        #expect(explained.verdict.hasSuffix(": too many wrong passwords on it deactivated it."))
        #expect(explained.refusals.contains { $0["deviceId"]?.string == id.rawValue })
        try await mend(server, explained)
        _ = try await device.signIn(as: id).code()
    }

    @Test("A locked device PIN is named with its device, and no command unlocks it")
    func devicePIN() async throws {
        let till = try await TestTill.open()
        for _ in 0..<5 { _ = try await till.phone.signIn("314159") }
        let explained = try await explain(till.server)
        #expect(
            explained.verdict.contains(
                "cannot sign in with the PIN of device \(till.phone.id.rawValue): it is locked after too many wrong PINs"
            ))
        #expect(explained.codes == ["device_pin_locked"])
        #expect(explained.refusals.contains { $0["method"]?.string == "device PIN" })
    }

    @Test("A new device needs a code that nothing delivers: the verdict names the settings")
    func undeliverable() async throws {
        let server = try await TestServer.start { $0.undeliverableFactors = [.email, .sms] }
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.signIn()
        let explained = try await explain(server)
        #expect(
            explained.verdict.hasPrefix(
                "ada cannot sign in: a code by e-mail is necessary, which this server cannot send")
        )
        #expect(explained.verdict.contains("email.smtp.host"))
        #expect(explained.json["undeliverableFactors"]?.strings == ["email"])
        #expect(explained.refusals.first?["clientId"]?.string == "app")
    }

    @Test("An account with a password alone signs in, and the answer says what it does not reach on a new device")
    func noSecondFactor() async throws {
        let (server, _) = try await scene()
        let explained = try await explain(server)
        #expect(explained.json["twoFactorsOnNewDevices"] == .bool(false))
        #expect(explained.lines.contains { $0.hasPrefix("second factors") && $0.contains("none. On a new device") })
        let other = try await TestServer.start()
        _ = try await other.reachableAccount()
        #expect(try await explain(other).json["twoFactorsOnNewDevices"] == .bool(true))
    }

    @Test("An unconfirmed address: the sign-in asks for its code, and `account verify-email` spares that")
    func unconfirmed() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let app = TestApp(client: try await server.publicClient())
        #expect(try await app.signIn().errorCode != nil)
        let explained = try await explain(server)
        #expect(explained.verdict.hasPrefix("ada can sign in, but the code that is sent to the e-mail address"))
        #expect(explained.command == ["account", "verify-email", "ada"])
        try await mend(server, explained)
        #expect(try await explain(server).codes.isEmpty)
    }

    @Test("An unconfirmed address without mail shuts the person out until mail is configured")
    func unconfirmedWithoutMail() async throws {
        let server = try await TestServer.start { $0.undeliverableFactors = [.email] }
        _ = try await server.account { $0.email = "ada@example.com" }
        let explained = try await explain(server)
        #expect(explained.verdict.hasPrefix("ada cannot sign in: the e-mail address is not confirmed"))
        #expect(explained.command == nil)
    }

    @Test("A brand that takes no account PINs is named with the command that changes it, after which the PIN opens")
    func brandWithoutPINs() async throws {
        let (server, client, _) = try await TestServer.withPIN()
        try await server.offerPINs(false)
        let explained = try await explain(server)
        #expect(
            explained.verdict == """
                ada cannot sign in with the account PIN until you run `walletauth brand update default --account-pin \
                on`: the brand accepts no account PINs.
                """)
        try await mend(server, explained)
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
    }

    @Test("After a recovery the person signs in, and changes nothing until the cooling period ends")
    func cooling() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.redeem(app.choose(Self.new, in: app.recoverByCode().passwordSession()).code())
        let explained = try await explain(server)
        #expect(
            explained.verdict.hasPrefix(
                "ada can sign in, but cannot change password, factors and devices until 2027-01-16T08:00"))
        server.clock.advance(by: .hours(24))
        #expect(try await explain(server).codes.isEmpty)
    }

    @Test("An expired password: the person signs in and chooses another, or an operator sets one")
    func expired() async throws {
        let (server, app) = try await scene()
        try await server.administer(["account", "expire-password", "ada"])
        #expect(
            try await explain(server).verdict
                == "ada can sign in, but a new password has to be chosen at the next sign-in, because the password has expired."
        )
        try await server.administer(AdminRequest(["account", "set-password", "ada"], input: Self.new))
        #expect(try await explain(server).codes.isEmpty)
        _ = try await app.signIn(password: Self.new).code()
    }

    @Test(
        "An expired password and no factor but a device: only that device chooses another, and the command says what helps"
    )
    func expiredElsewhere() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let device = try await TestDevice.signedIn(account, try await server.publicClient())
        _ = try await device.enrolled(account)
        try await server.administer(["account", "expire-password", "ada"])
        let stranger = TestApp(client: device.app.client)
        #expect(try await stranger.signIn().errorCode != nil)
        let explained = try await explain(server)
        #expect(explained.codes.contains("no_second_factor"))
        try await mend(server, explained, input: Self.new)
        _ = try await stranger.signIn(password: Self.new).code()
    }

    @Test("A network that has to wait is found by the last refusal there, and its address is not shown")
    func network() async throws {
        let (server, app) = try await scene { $0.lockout.network.failures = 5 }
        try await TestApp(client: app.client, address: "203.0.113.9").becomeKnown()
        for _ in 0..<5 { _ = try await app.signIn(password: Self.wrong) }
        try await server.administer(AdminRequest(["account", "set-password", "ada"], input: Self.new))
        let explained = try await explain(server)
        #expect(explained.codes == ["network_held"])
        #expect(explained.verdict.contains("in the network of the last refusal until "))
        #expect(!explained.lines.joined().contains(app.address))
        #expect(try await app.signIn(password: Self.new).errorCode != nil)
        _ = try await TestApp(client: app.client, address: "198.51.100.7").signIn(password: Self.new).code()
    }

    @Test("Wrong answers to a second factor: the verdict says until when none is accepted")
    func secondFactor() async throws {
        let server = try await TestServer.start()
        let id = try #require(UniqueID(bytes: try await server.reachableAccount().bytes))
        let now = server.clock.now()
        let counter = FactorAttempts.counter(of: id, .totp, key: try server.context.keyRing.active(.attempts))
        try await server.context.database.write { connection in
            for _ in 0..<OpenFactors.mostTries {
                _ = try Attempts.reserve(counter, under: FactorAttempts.policy, now: now, on: connection)
                try Attempts.fail(counter, on: connection)
            }
        }
        let explained = try await explain(server)
        #expect(explained.verdict.hasPrefix("ada cannot complete a second factor until "))
        #expect(
            explained.verdict.hasSuffix(": too many wrong codes; `walletauth account reactivate ada` ends it sooner."))
        try await mend(server, explained)
        #expect(try await explain(server).codes.isEmpty)
    }

    @Test("An erased account is found by its id, and no command helps")
    func erased() async throws {
        let (server, _) = try await scene()
        let id = try #require(try await explain(server).json["accountId"]?.string)
        try await server.administer(["account", "erase", "ada"])
        let explained = try await explain(server, ["--account", id])
        #expect(explained.verdict == "The account \(id) cannot sign in: the account was erased, which is permanent.")
    }

    @Test("An unknown name is refused as by account show")
    func unknown() async throws {
        let (server, _) = try await scene()
        let shown = await server.flows.administration.execute(["account", "show", "eve"])
        let explained = await server.flows.administration.execute(["account", "explain", "eve"])
        #expect(explained.refusal?.code == "not_found")
        #expect(explained.lines == shown.lines)
        for words in [[], ["ada", "--request", TestServer.origin.traceID], ["--brand", "default"]] {
            let refused = await server.flows.administration.execute(AdminRequest(["account", "explain"] + words))
            #expect(refused.refusal?.code == "malformed", "\(words)")
        }
    }

    @Test("A request is explained by the reference that its answer had; another one is refused with where to look")
    func request() async throws {
        let (server, app) = try await scene()
        for _ in 0..<4 { _ = try await app.signIn(password: Self.wrong) }
        let id = TestServer.origin.traceID
        let explained = try await explain(server, ["--request", id])
        #expect(explained.verdict.hasPrefix("The request was refused at "))
        #expect(explained.verdict.hasSuffix("4 wrong passwords in a row on unknown devices."))
        #expect(explained.lines.dropFirst().first?.hasPrefix("Nothing keeps ada from signing in") == true)
        #expect(explained.json["request"]?.object?["traceId"]?.string == id)
        for (other, code) in [(String(repeating: "f", count: 32), "not_found"), ("42", "malformed")] {
            let refused = await server.flows.administration.execute(["account", "explain", "--request", other])
            #expect(refused.refusal?.code == code)
        }
    }

    @Test("Reading changes nothing, and shows neither address nor number")
    func reading() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: "+359888123456")
        let app = TestApp(client: try await server.publicClient())
        for _ in 0..<6 { _ = try await app.signIn(password: Self.wrong) }
        let (writes, held) = (server.writes, try await explain(server))
        #expect(server.writes == writes)
        #expect(try await explain(server).verdict == held.verdict)
        let text = held.lines.joined() + JSONValue.object(held.json).text
        #expect(!text.contains("ada@example.com") && !text.contains("888123456") && !text.contains(app.address))
    }
}

import FlowSupport
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import SignIn

@Suite(
    "How many codes are sent as a second factor",
    .threat("A forgotten password and a stolen mailbox", "Cost and flooding by paid messages"))
struct SentCodeFloodTests {
    @Test("Signing in again and again does not flood the holder's mailbox")
    func flood() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        for _ in 0..<20 { _ = try await TestApp(client: app.client).signIn().asked() }
        #expect(try await server.codesSent() == 5)
    }

    @Test("In the sandbox, someone who tries out signing in and recovering again and again always gets a code")
    func sandbox() async throws {
        let server = try await TestServer.start { $0.codes = .sandbox }
        _ = try await server.reachableAccount()
        let client = try await server.publicClient()
        for _ in 0..<20 {
            let asked = try await TestApp(client: client).signIn().asked()
            #expect(asked.prompt.isCodeSent)
        }
        #expect(try await server.codesSent() == 20)
        for _ in 0..<25 { _ = try await TestApp(client: client).beginRecovery().recovery() }
        #expect(try await server.recoveryCodesSent() == 25)
        let id = try await server.account("maria") { $0.email = "maria@example.com" }
        let record = try #require(try await server.record(of: id))
        let codes = EmailCodes(
            database: server.context.database, keyRing: server.context.keyRing,
            vault: AccountVault(server.context.sealing), auditLog: server.context.auditLog,
            limits: server.context.settings.codes)
        for _ in 0..<20 {
            // A form that is posted twice still sends one.
            server.clock.advance(by: .seconds(31))
            guard case .sent = try await codes.send(to: record, now: server.clock.now()) else {
                Issue.record("a code that confirms the address was held back")
                return
            }
        }
    }

    @Test("attack: a right answer buys no more messages: an account's owner gets five, and then one at a time")
    func paidMessages() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        for _ in 0..<5 {
            server.clock.advance(by: .seconds(1))
            _ = try await TestApp(client: app.client).signInWithCode().code()
        }
        server.clock.advance(by: .seconds(1))
        let asked = try await TestApp(client: app.client).signIn().asked()
        #expect(asked.prompt.resendAfter != nil)
        // What was not sent is not said to be on its way.
        #expect(!asked.prompt.isCodeSent)
        #expect(try await server.codesSent() == 5)
    }

    @Test(
        "attack: an attacker with the password who requests codes endlessly does not hold up the holder's own device")
    func heldBack() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        let phone = try await TestDevice.signedIn(account, app.client)
        let id = try await phone.enrolled(account).id
        for _ in 0..<8 { _ = try await TestApp(client: app.client).signIn().asked() }
        let thief = try await TestApp(client: app.client).signIn().asked()
        #expect(!thief.prompt.isCodeSent)
        let sent = try await server.codesSent()
        #expect(sent == 5)
        let two = [AuthenticationStrength.twoFactors]
        let asked = try await phone.signIn(as: id, acrValues: two).asked()
        #expect(asked.prompt.isCodeSent)
        #expect(try await server.codesSent() == sent + 1)
        // Its own count is one as well.
        for _ in 0..<8 { _ = try await phone.signIn(as: id, acrValues: two).asked() }
        #expect(try await server.codesSent() == sent + 5)
    }

    @Test("attack: new linked devices one after another bring no more than fifteen codes, and then one after each wait")
    func newLinkedDevices() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        let two = [AuthenticationStrength.twoFactors]
        for number in 1...4 {
            let phone = try await TestDevice.signedIn(account, app.client)
            let id = try await phone.enrolled(account, name: "Phone \(number)").id
            for _ in 1...5 {
                let asked = try await phone.signIn(as: id, acrValues: two).asked()
                #expect(asked.prompt.isCodeSent == (number < 4))
                #expect(asked.prompt.resendAfter != nil)
            }
        }
        #expect(try await server.codesSent() == 15)
    }
}

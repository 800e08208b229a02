import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Administration of devices")
struct DeviceAdministrationTests {
    private func setUp() async throws -> (server: TestServer, device: TestDevice, id: DeviceID) {
        let server = try await TestServer.start()
        let account = try await server.account()
        let device = try await TestDevice.signedIn(account, try await server.publicClient())
        return (server, device, try await device.enrolled(account).id)
    }

    private func refusal(_ server: TestServer, _ command: AdminRequest) async throws -> String? {
        let answer = await server.flows.administration.execute(command)
        return answer.refusal?.code
    }

    @Test("A suspended device gets the number that wallets switch on, until it is resumed")
    func suspension() async throws {
        let (server, device, id) = try await setUp()
        try await server.administer(["device", "suspend", id.rawValue])
        let refused = try #require(try await device.signIn(as: id).refusal)
        #expect(refused.errorCode == "device_suspended")
        #expect(refused.statusCode == 503)
        #expect(refused.status == 403)
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await device.list() }
        try await server.administer(["device", "resume", id.rawValue])
        _ = try await device.signIn(as: id).code()
    }

    @Test("Reactivating a device forgets the failures that closed it")
    func reactivation() async throws {
        let (server, device, id) = try await setUp()
        for _ in 0..<5 { _ = try await device.signIn(as: id, password: "a wrong one") }
        let closed = try await device.signIn(as: id)
        #expect(closed.errorCode == "device_deactivated")
        try await server.administer(["device", "reactivate", id.rawValue])
        let wrong = try await device.signIn(as: id, password: "a wrong one")
        #expect(wrong.errorCode == "invalid_credentials")
        _ = try await device.signIn(as: id).code()
    }

    @Test("An operator's deactivation overrides an earlier one by failures; the list says who deactivated a device")
    func deactivation() async throws {
        let (server, device, id) = try await setUp()
        func listed() async throws -> JSONObject? {
            try await server.administer(["device", "list", "ada"])["devices"]?.array?.first?.object
        }
        for _ in 0..<5 { _ = try await device.signIn(as: id, password: "a wrong one") }
        #expect(try await listed()?.string("closedBy") == "failures")
        let shown = try await server.administer(["account", "show", "ada"])
        #expect(
            shown["hindrances"]?.strings == [
                "Its device \(id.rawValue) is deactivated: no one can sign in on it until you run `walletauth device reactivate "
                    + "\(id.rawValue)`."
            ])
        try await server.administer(["device", "deactivate", id.rawValue])
        #expect(try await listed()?.string("closedBy") == "operator")
        let again = try await refusal(server, ["device", "deactivate", id.rawValue])
        #expect(again == "no_change")
        try await server.administer(["device", "reactivate", id.rawValue])
        let open = try await listed()
        #expect(open?["closedBy"] == nil)
        #expect(try open?.string("state") == "active")
    }

    @Test("An installation that awaits its code is shown as that, and confirmed by an operator it signs in")
    func installation() async throws {
        let server = try await TestServer.start()
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let client = try await server.publicClient { $0.verifiesAppInstallation = true }
        let device = try await TestDevice.signedIn(account, client)
        let id = try await device.enrolled(account).id
        let list = await server.flows.administration.execute(["device", "list", "ada"])
        #expect(list.lines.contains { $0.contains("waiting for its code") }, "\(list.lines)")
        func hindrances() async throws -> [String]? {
            try await server.administer(["account", "show", "ada"])["hindrances"]?.strings
        }
        let told = try #require(try await hindrances()?.first)
        #expect(told.contains("waiting for the code") && told.contains("device confirm \(id.rawValue)"), "\(told)")
        #expect(try await device.signIn(as: id).errorCode == "app_instance_unverified")
        try await server.administer(["device", "confirm", id.rawValue])
        _ = try await device.signIn(as: id).code()
        #expect(try await hindrances() == nil)
        #expect(try await refusal(server, ["device", "confirm", id.rawValue]) == "no_change")
    }

    @Test(
        "A transition that does not fit the device's state is refused and changes nothing; a removed device is not found"
    )
    func refusals() async throws {
        let (server, _, id) = try await setUp()
        let resume = try await refusal(server, ["device", "resume", id.rawValue])
        #expect(resume == "no_change")
        try await server.administer(["device", "remove", id.rawValue])
        for transition in DeviceState.Transition.allCases {
            let refused = try await refusal(server, ["device", transition.rawValue, id.rawValue])
            #expect(refused == "not_found")
        }
        let malformed = try await refusal(server, ["device", "remove", "no id"])
        #expect(malformed == "not_found")
    }

    @Test("device list and account show tell until when a device cools, in text and as JSON, and that it has no PIN")
    func cooling() async throws {
        let (server, _, id) = try await setUp()
        let account = AccountReference.username("ada", brand: nil)
        let commands = [
            AdminRequest(["device", "list"] + account.words), AdminRequest(["account", "show"] + account.words),
        ]
        let end = (server.clock.now() + server.context.settings.devices.coolingPeriod).text
        for command in commands {
            let answer = await server.flows.administration.execute(command)
            #expect(
                answer.lines.contains { $0.contains(id.rawValue) && $0.contains("until \(end)") }, "\(answer.lines)")
            let device = try #require(try await server.administer(command)["devices"]?.array?.first?.object)
            #expect(device["coolingUntil"]?.string == end)
            #expect(device["pin"]?.string == "unset")
        }
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        for command in commands {
            let lines = await server.flows.administration.execute(command).lines
            #expect(!lines.contains { $0.contains("cooling until") || $0.contains("sign transactions") }, "\(lines)")
        }
    }

    @Test("The list shows an account's devices, and the export brings them along")
    func listed() async throws {
        let (server, _, id) = try await setUp()
        let account = AccountReference.username("ada", brand: nil)
        let list = try await server.administer(AdminRequest(["device", "list"] + account.words))
        #expect(try list["devices"]?.array?.map { try $0.object?.string("deviceId") } == [id.rawValue])
        let export = try await server.administer(AdminRequest(["account", "export"] + account.words))
        #expect(try export["devices"]?.array?.map { try $0.object?.string("name") } == ["Ada's phone"])
    }
}

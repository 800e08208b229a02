import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Recovery on a device that wrong passwords closed")
struct DeviceRecoveryTests {
    private static let new = "another phrase 8"

    private struct Setting {
        let server: TestServer
        let account: AccountID
        let phone: TestDevice
        let id: DeviceID

        func device() async throws -> DeviceRecord {
            let id = try #require(UniqueID(uuid: id.rawValue))
            let found = try await server.context.database.read { try Devices.find(id, on: $0) }
            return try #require(found)
        }

        /// Closes the phone as its holder does who has forgotten the password.
        func close() async throws {
            for _ in 0..<5 { _ = try await phone.signIn(as: id, password: "a wrong one") }
            let closed = try await device()
            #expect(closed.state == .deactivated)
            #expect(closed.deactivatedBy == .failures)
        }

        /// Begins a recovery on the phone, up to what is asked for after the right code.
        func recover() async throws -> NativeSignInOutcome {
            // Of two codes of one moment none is the newer.
            server.clock.advance(by: .seconds(1))
            let asked = try await phone.recover(as: id).recovery()
            return try await phone.app.answerRecovery(try await server.recoveryCode(), to: asked)
        }

        func apply(_ transition: DeviceState.Transition) async throws {
            try await server.administer(["device", transition.rawValue, id.rawValue])
        }
    }

    /// A person with a confirmed address, and a phone that was enrolled longer than a day ago.
    private func setUp() async throws -> Setting {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let phone = try await TestDevice.signedIn(account, try await server.publicClient())
        let id = try await phone.enrolled(account).id
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        return Setting(server: server, account: account, phone: phone, id: id)
    }

    @Test("It opens with the new password and not before, notifies the holder, is recorded, and resets the count")
    func reopens() async throws {
        let setting = try await setUp()
        try await setting.close()
        let shown = try await setting.server.administer(["account", "show", "ada"])
        let way = "or until the person recovers the password on it, after its cooling period."
        #expect(shown["hindrances"]?.strings?.first?.hasSuffix(way) == true)
        #expect(try await setting.phone.signIn(as: setting.id).errorCode == "device_deactivated")
        let session = try await setting.recover().passwordSession()
        let between = try await setting.device()
        #expect(between.state == .deactivated)
        let code = try await setting.phone.app.choose(Self.new, in: session).code()
        _ = try await setting.phone.app.redeem(code).tokens()
        let opened = try await setting.device()
        #expect(opened.state == .active)
        #expect(opened.deactivatedBy == nil)

        let messages = try await setting.server.messages()
        let closing = messages.filter { $0.kind == "device_closed" }
        #expect(closing.map { $0.content["device"]?.string } == ["Ada's phone"])
        let notices = messages.filter { $0.kind == "password_recovered_device_opened" }
        #expect(notices.map { $0.content["device"]?.string } == ["Ada's phone"])
        let account = try #require(UniqueID(bytes: setting.account.bytes))
        let record = try await setting.server.context.database.read {
            try AuditChains.recent(account: account, kind: "device.reactivated", limit: 9, on: $0)
        }
        let details = try record.map { try JSONValue.object(parsing: Array($0.details.utf8)) }
        #expect(details.map { $0["device"]?.string } == [setting.id.rawValue])
        #expect(details.map { $0["reason"]?.string } == ["recovery"])

        // The failures that closed it are forgotten, and the phone is linked as before.
        for _ in 0..<4 {
            let wrong = try await setting.phone.signIn(as: setting.id, password: "a wrong one")
            #expect(wrong.errorCode == "invalid_credentials")
        }
        _ = try await setting.phone.signIn(as: setting.id, password: Self.new).code()
    }

    @Test("Without a confirmed address, neither the message nor account show suggests to unlock by one")
    func withoutAddress() async throws {
        let setting = try await setUp()
        _ = try await setting.server.context.database.write {
            try $0.execute("UPDATE accounts SET email_state = 'unverified'", [])
        }
        try await setting.close()
        let kinds = try await setting.server.messages().map(\.kind)
        #expect(kinds.contains("device_deactivated") && !kinds.contains("device_closed"))
        let shown = try await setting.server.administer(["account", "show", "ada"])
        #expect(shown["hindrances"]?.strings?.first?.contains("recover") == false)
    }

    @Test("attack: what an operator suspended or deactivated is opened by no recovery, also after failures closed it")
    func operators() async throws {
        let setting = try await setUp()
        let before = try await setting.server.record(of: setting.account)
        try await setting.apply(.suspend)
        #expect(try await setting.recover().errorCode == "device_suspended")
        try await setting.apply(.deactivate)
        #expect(try await setting.recover().errorCode == "device_deactivated")
        try await setting.apply(.reactivate)
        try await setting.close()
        try await setting.apply(.deactivate)
        #expect(try await setting.device().deactivatedBy == .operator)
        #expect(try await setting.recover().errorCode == "device_deactivated")
        let after = try await setting.server.record(of: setting.account)
        #expect(after?.password == before?.password)
    }

    @Test("An operator suspends a phone that failures closed; one that an operator deactivated stays so")
    func suspension() async throws {
        let setting = try await setUp()
        try await setting.close()
        try await setting.apply(.suspend)
        let suspended = try await setting.device()
        #expect(suspended.state == .suspended)
        #expect(suspended.deactivatedBy == nil)
        #expect(try await setting.recover().errorCode == "device_suspended")
        try await setting.apply(.resume)
        #expect(try await setting.device().state == .active)
        try await setting.apply(.deactivate)
        await #expect(throws: TestServer.Refused.self) { try await setting.apply(.suspend) }
        #expect(try await setting.device().state == .deactivated)
        #expect(try await setting.device().deactivatedBy == .operator)
    }

    @Test("attack: a stolen phone that its operator closes while a recovery on it is under way sets no password")
    func operatorMeanwhile() async throws {
        for (isClosed, transition) in [
            (true, DeviceState.Transition.deactivate), (true, .suspend), (false, .deactivate), (false, .suspend),
        ] {
            let setting = try await setUp()
            if isClosed { try await setting.close() }
            let before = try await setting.server.record(of: setting.account)
            let session = try await setting.recover().passwordSession()
            try await setting.apply(transition)
            #expect(try await setting.phone.app.choose(Self.new, in: session).isOver)
            let after = try await setting.server.record(of: setting.account)
            #expect(after?.password == before?.password)
            #expect(try await setting.device().state != .active)
        }
    }

    @Test(
        "Race: if a recovery ends while an operator deactivates, the operator's decision holds",
        .threat("Locking the holder out"))
    func race() async throws {
        for _ in 0..<12 {
            let setting = try await setUp()
            try await setting.close()
            let session = try await setting.recover().passwordSession()
            async let chosen = setting.phone.app.choose(Self.new, in: session)
            async let ordered: Void = setting.apply(.deactivate)
            let outcome = try await chosen
            try await ordered
            let device = try await setting.device()
            #expect(device.state == .deactivated)
            #expect(device.deactivatedBy == .operator)
            if case .authorized(let answer) = outcome {
                // It came first: what it opened ended with the device.
                #expect(try await setting.phone.app.redeem(answer.authorizationCode).refusal == .invalidGrant)
            }
        }
    }

    @Test("attack: a recovery from elsewhere, or by the app's key without the device's, does not open the phone")
    func elsewhere() async throws {
        let setting = try await setUp()
        let setup = try await TestDevice.signedIn(setting.account, setting.phone.app.client).authenticator()
        setting.server.clock.advance(by: .minutes(1))
        try await setting.close()
        // The app on the phone, its enrollment left out.
        #expect(try await setting.phone.app.recoverByCode().errorCode == "device_deactivated")
        setting.server.clock.advance(by: .seconds(1))
        let other = TestApp(client: setting.phone.app.client)
        let asked = try await other.recoverByCode().asked()
        let session = try await other.answer(setting.phone.code(of: setup), to: asked).passwordSession()
        _ = try await other.choose(Self.new, in: session).code()
        #expect(try await setting.device().deactivatedBy == .failures)
        #expect(try await setting.phone.signIn(as: setting.id, password: Self.new).errorCode == "device_deactivated")
        // Its holder opens it there, by the same two things and its key.
        setting.server.clock.advance(by: .minutes(1))
        let again = try await setting.recover().asked()
        let last = try await setting.phone.app.answer(setting.phone.code(of: setup), to: again).passwordSession()
        _ = try await setting.phone.app.choose("a third phrase 9", in: last).code()
        #expect(try await setting.device().state == .active)
    }

    @Test("Wallet and phone, both closed by failures, are opened together")
    func both() async throws {
        let setting = try await setUp()
        let tablet = try await TestDevice.signedIn(setting.account, setting.phone.app.client)
        let tabletID = try await tablet.enrolled(setting.account, name: "Ada's tablet").id
        try await setting.close()
        for _ in 0..<5 { _ = try await tablet.signIn(as: tabletID, password: "a wrong one") }
        #expect(try await setting.server.record(of: setting.account)?.deactivatedBy == .failures)
        let session = try await setting.recover().passwordSession()
        _ = try await setting.phone.app.choose(Self.new, in: session).code()
        #expect(try await setting.server.record(of: setting.account)?.state == .active)
        #expect(try await setting.device().state == .active)
    }

    @Test("A device that was closed before it was kept by whom, or is in its cooling period, is not opened")
    func unknownCloser() async throws {
        let setting = try await setUp()
        try await setting.close()
        try await setting.server.context.database.write {
            _ = try $0.execute("UPDATE devices SET deactivated_by = NULL", [])
        }
        #expect(try await setting.recover().errorCode == "device_deactivated")

        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let phone = try await TestDevice.signedIn(account, try await server.publicClient())
        let young = Setting(server: server, account: account, phone: phone, id: try await phone.enrolled(account).id)
        try await young.close()
        #expect(try await young.recover().errorCode == "recovery_unavailable")
        #expect(try await young.device().state == .deactivated)
    }

    @Test(
        "attack: a phone in its cooling period is not opened by an authenticator either, closed before or meanwhile",
        arguments: [false, true])
    func coolingWithAuthenticator(isClosedMeanwhile: Bool) async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let phone = try await TestDevice.signedIn(account, try await server.publicClient())
        let young = Setting(server: server, account: account, phone: phone, id: try await phone.enrolled(account).id)
        let setup = try await TestDevice.signedIn(account, phone.app.client).authenticator()
        // Of one step of the authenticator one code is taken.
        server.clock.advance(by: .minutes(1))
        if isClosedMeanwhile {
            let asked = try await young.recover().asked()
            let session = try await phone.app.answer(phone.code(of: setup), to: asked).passwordSession()
            try await young.close()
            _ = try await phone.app.choose(Self.new, in: session)
        } else {
            try await young.close()
            #expect(try await young.recover().errorCode == "recovery_unavailable")
        }
        #expect(try await young.device().state == .deactivated)
        #expect(try await young.device().deactivatedBy == .failures)
    }
}

import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// What every write that changes a device looks at again, in the write itself.
@Suite("The last look before a device is changed")
struct DeviceChangeTests {
    /// A change of the tablet, by a call of the phone.
    private struct Change: Sendable {
        let name: String
        let path: @Sendable (DeviceID) -> String
        let method: Endpoint.Method
        let make: @Sendable (TestServer, DeviceID, AppCaller) async throws -> DeviceRefusal?
    }

    private static let changes = [
        Change(name: "renamed", path: { Endpoints.device.path($0) }, method: .patch) { server, id, call in
            try await server.flows.signIn.devices.rename(id, to: DeviceName("Mallory's"), call: call).refusal
        },
        Change(name: "removed", path: { Endpoints.device.path($0) }, method: .delete) { server, id, call in
            try await server.flows.signIn.devices.remove(id, call: call).refusal
        },
        Change(name: "without its key", path: { Endpoints.deviceBiometricKey.path($0) }, method: .delete) {
            try await $0.flows.signIn.biometrics.remove(from: $1, call: $2).refusal
        },
        Change(name: "without its PIN", path: { Endpoints.devicePIN.path($0) }, method: .delete) {
            try await $0.flows.signIn.pins.forget(on: $1, call: $2).refusal
        },
    ]

    private struct Setting {
        let server: TestServer
        let account: AccountID
        let phone: TestDevice
        /// With a PIN and a biometric key.
        let tablet: TestPIN

        /// What of the tablet could be changed.
        func state(on server: TestServer? = nil) async throws -> String {
            let id = try #require(UniqueID(uuid: tablet.id.rawValue))
            return try await (server ?? self.server).context.database.read { connection in
                let device = try Devices.find(id, on: connection)
                let pin = try PINs.find(id, on: connection)
                return
                    "\(device?.state as Any) \(device?.name as Any) \(device?.biometricKey as Any) \(pin.state)"
            }
        }
    }

    private func setUp() async throws -> Setting {
        let server = try await TestServer.start()
        let tablet = try await TestPIN.set(on: server)
        let id = try #require(UniqueID(uuid: tablet.id.rawValue))
        let account = try #require(UniqueID(bytes: tablet.account.bytes))
        let key = BiometricKeyRecord(
            publicKey: Array(repeating: 1, count: 64), storage: .software, voucher: nil,
            setAt: server.clock.now())
        _ = try await server.context.database.write {
            try Devices.setBiometricKey(of: id, of: account, to: key, on: $0)
        }
        let phone = try await TestDevice.signedIn(tablet.account, tablet.device.app.client)
        return Setting(server: server, account: tablet.account, phone: phone, tablet: tablet)
    }

    @Test(
        "attack: a session that ends after its call was let in renames and removes nothing (stolen and just ended)",
        .threat("A device enrolled by a thief"))
    func endedMeanwhile() async throws {
        for change in Self.changes {
            let setting = try await setUp()
            let before = try await setting.state()
            let id = try #require(UniqueID(bytes: setting.account.bytes))
            let now = setting.server.clock.now()
            setting.server.beforeNextWrite { [server = setting.server] in
                try await server.context.database.write { connection in
                    _ = try Sessions.endAll(of: id, because: .accountClosed, now: now, on: connection)
                }
            }
            let call = try await setting.phone.call(change.method, change.path(setting.tablet.id))
            let refusal = try await change.make(setting.server, setting.tablet.id, call)
            #expect(refusal == .accountChanged, "\(change.name)")
            #expect(try await setting.state() == before, "\(change.name)")
        }
    }

    @Test("attack: a recorded call makes its change once, also at a process that never saw its proof (replay)")
    func replayed() async throws {
        // A removal is left out: the same removal again is harmless, and answered so.
        for change in Self.changes where change.name != "removed" {
            let setting = try await setUp()
            let presented = try setting.phone.presented(change.method, change.path(setting.tablet.id))
            let call = try await setting.server.flows.callers.app(presented)
            #expect(try await change.make(setting.server, setting.tablet.id, call) == nil)
            let before = try await setting.state()
            let again = try await setting.server.restarted()
            let refusal = try await change.make(again, setting.tablet.id, again.flows.callers.app(presented))
            guard case .unauthorized(.invalidDPoPProof)? = refusal else {
                Issue.record("\(change.name): \(String(describing: refusal))")
                continue
            }
            #expect(try await setting.state(on: again) == before)
        }
    }

    @Test("A device sets its push address, and a session that has ended meanwhile sets none")
    func push() async throws {
        let setting = try await setUp()
        let phone = try await setting.phone.enrolled(setting.account)
        let path = Endpoints.devicePush.path(phone.id)
        let address = PushAddress(token: try PushToken(String(repeating: "ab", count: 32)), environment: .production)
        let devices = setting.server.flows.signIn.devices
        let set = try await devices.setPushAddress(address, of: phone.id, call: setting.phone.call(.put, path))
        #expect(set.refusal == nil)
        let (account, now) = (try #require(UniqueID(bytes: setting.account.bytes)), setting.server.clock.now())
        let ended = try await setting.phone.call(.put, path)
        try await setting.server.context.database.write { connection in
            _ = try Sessions.endAll(of: account, because: .accountClosed, now: now, on: connection)
        }
        let late = try await devices.setPushAddress(address, of: phone.id, call: ended)
        #expect(late.refusal == .accountChanged)
    }

    @Test("Setting, replacing or removing a push address is recorded without the token; the same one again is not")
    func recordedPush() async throws {
        let setting = try await setUp()
        let phone = try await setting.phone.enrolled(setting.account)
        let path = Endpoints.devicePush.path(phone.id)
        let tokens = ["ab", "cd"].map { String(repeating: $0, count: 32) }
        for token in [tokens[0], tokens[0], tokens[1], nil, nil] {
            let address = try token.map { PushAddress(token: try PushToken($0), environment: .production) }
            let method: Endpoint.Method = address == nil ? .delete : .put
            setting.server.clock.advance(by: .seconds(1))
            try await setting.server.flows.signIn.devices.setPushAddress(
                address, of: phone.id, call: setting.phone.call(method, path)
            ).get()
        }
        let id = try #require(UniqueID(bytes: setting.account.bytes))
        let events = try await setting.server.context.database.read { connection in
            try ["device.push_set", "device.push_removed"].map {
                try AuditChains.recent(account: id, kind: $0, limit: 9, on: connection)
            }
        }
        #expect(events.map(\.count) == [2, 1])
        for event in events.joined() {
            #expect(event.details.contains(phone.id.rawValue))
            #expect(!tokens.contains { event.details.contains($0) })
        }
    }

    @Test("attack: two push addresses in turn fill neither the audit log nor the budget for changes of factors")
    func alternatingPush() async throws {
        let setting = try await setUp()
        let phone = try await setting.phone.enrolled(setting.account)
        let path = Endpoints.devicePush.path(phone.id)
        let devices = setting.server.flows.signIn.devices
        func set(_ digits: String) async throws -> DeviceRefusal? {
            let token = try PushToken(String(repeating: digits, count: 32))
            return try await devices.setPushAddress(
                PushAddress(token: token, environment: .production), of: phone.id,
                call: setting.phone.call(.put, path)
            ).refusal
        }
        let refusals = try await [set("01"), set("02"), set("01"), set("02"), set("01"), set("02"), set("01")]
        #expect(refusals == [nil, nil, nil, nil, nil, .tooManyAttempts(retryAfter: 60), nil])
        #expect(try await setting.server.rows(of: "security_events WHERE kind = 'device.push_set'") == 5)
        let budget = try FactorChangeBudget(
            await setting.phone.call(.put, path), keyRing: setting.server.context.keyRing)
        let isHeldUp = try await setting.server.context.database.write { try budget.charge(on: $0) != nil }
        #expect(!isHeldUp)
        setting.server.clock.advance(by: .minutes(1))
        #expect(try await set("02") == nil)
    }

    @Test("attack: a recorded call brings no earlier push address back, also at a process that never saw its proof")
    func replayedPush() async throws {
        let setting = try await setUp()
        let phone = try await setting.phone.enrolled(setting.account)
        let path = Endpoints.devicePush.path(phone.id)
        let presented = try setting.phone.presented(.put, path)
        let first = PushAddress(token: try PushToken(String(repeating: "01", count: 32)), environment: .production)
        #expect(
            try await setting.server.flows.signIn.devices.setPushAddress(
                first, of: phone.id, call: setting.server.flows.callers.app(presented)
            ).refusal == nil)
        let again = try await setting.server.restarted()
        let replayed = try await again.flows.signIn.devices.setPushAddress(
            first, of: phone.id, call: again.flows.callers.app(presented)
        ).refusal
        guard case .unauthorized(.invalidDPoPProof)? = replayed else {
            Issue.record("the recorded call was answered \(String(describing: replayed))")
            return
        }
    }

    @Test("A device's new name is in the record: which device and by which session's app, and neither name")
    func renaming() async throws {
        let setting = try await setUp()
        let path = Endpoints.device.path(setting.tablet.id)
        _ = try await setting.server.flows.signIn.devices.rename(
            setting.tablet.id, to: DeviceName("Ada's kitchen"), call: setting.phone.call(.patch, path)
        ).get()
        let id = try #require(UniqueID(bytes: setting.account.bytes))
        let events = try await setting.server.context.database.read {
            try AuditChains.recent(account: id, kind: "device.renamed", limit: 9, on: $0)
        }
        let event = try #require(events.first)
        #expect(events.count == 1)
        #expect(event.entry.client == "app")
        #expect(
            try JSONValue.object(parsing: Array(event.details.utf8))["device"]?.string == setting.tablet.id.rawValue)
        #expect(!event.details.contains("kitchen"))
    }
}

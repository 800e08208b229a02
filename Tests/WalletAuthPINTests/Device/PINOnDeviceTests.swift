import Crypto
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport

@testable import WalletAuthPIN

/// What the device decides by itself: nothing here reaches a server.
@Suite("A PIN, before anything is sent")
struct PINOnDeviceTests {
    /// Counts, and never answers.
    private final class Silence: HTTPTransport {
        let sent = LockedValue(0)

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            sent.withLock { $0 += 1 }
            throw TransportFailure(.offline, reason: "the test has no network")
        }
    }

    private let silence = Silence()
    private let store = InMemoryStore()
    private let keys = InMemoryDeviceKeys()

    private func wallet() throws -> Wallet {
        let ports = Wallet.Ports(
            transport: silence, store: store, userAgent: ScriptedUserAgent { _ in .opened }, keys: keys,
            presence: ScriptedUserPresence(), time: ManualClock())
        let issuer = try #require(URL(string: "https://auth.example.com"))
        return try Wallet(
            configuration: .init(
                environment: .production(issuer: issuer), clientID: "com.example.wallet",
                signIn: .partial(codeResponse: nil), ports: ports))
    }

    @Test(
        "A PIN that the rules refuse is refused here, by its reason",
        arguments: [
            ("", WalletError.Code.pinTooShort), ("12345", .pinTooShort), ("4938", .pinTooShort),
            ("1234567890123", .pinTooLong), ("49381a", .pinMalformed),
            ("\u{664}\u{669}\u{663}\u{668}\u{661}\u{667}", .pinMalformed),
            ("123456", .pinTooCommon), ("271828", .pinTooCommon), ("121212", .pinTooCommon),
        ])
    func rules(pin: String, code: WalletError.Code) async throws {
        let wallet = try wallet()
        let set = await #expect(throws: WalletError.self) { try await wallet.pin.set(pin) }
        #expect(set?.code == code)
        #expect(set?.operation == .setPIN)
        let change = await #expect(throws: WalletError.self) { try await wallet.pin.change(from: "493817", to: pin) }
        #expect(change?.code == code)
        #expect(silence.sent.withLock { $0 } == 0)
    }

    @Test("Four digits are enough where the app says so, and the message names what the app asks for")
    func minimum() async throws {
        let wallet = try wallet()
        let four = await #expect(throws: WalletError.self) {
            try await wallet.pin.set("4938", rules: PINRules(minimumLength: 4))
        }
        #expect(four?.code == .signedOut)
        let three = await #expect(throws: WalletError.self) { try await wallet.pin.set("493") }
        #expect(three?.reason == "a PIN needs at least 6 digits")
    }

    @Test("Without enrollment signing in says so, and there is no PIN")
    func notEnrolled() async throws {
        let wallet = try wallet()
        let error = await #expect(throws: WalletError.self) { _ = try await wallet.login(pin: "493817") }
        #expect(error?.code == .deviceNotEnrolled)
        let state = try await wallet.pin.state()
        #expect(state == .none)
        let accounts = try await wallet.accounts
        #expect(accounts.isEmpty)
        #expect(silence.sent.withLock { $0 } == 0)
    }

    @Test("A store that cannot be read is no missing PIN")
    func lockedStore() async throws {
        let wallet = try wallet()
        store.failNext(.get, with: .locked)
        let error = await #expect(throws: WalletError.self) { _ = try await wallet.pin.state() }
        #expect(error?.outcome == .storeUnavailable(.locked))
    }

    @Test(
        "Key agreement finds the same secret with software keys and with those of tests, and refuses what is no point")
    func agreement() async throws {
        let all: [any DeviceKeys] = [SoftwareDeviceKeys(store: store), keys]
        for keys in all {
            let id = DeviceKeyID("agreement")
            let none = try await keys.agreementKey(id)
            #expect(none == nil)
            let made = try await keys.createAgreementKey(id)
            let share = DeviceShare()
            let first = try await made.sharedSecret(with: share.peer.x963Representation)
            let found = try #require(try await keys.agreementKey(id))
            let second = try await found.sharedSecret(with: share.peer.x963Representation)
            #expect(first == second)
            #expect(first.count == 32)
            await #expect(throws: DeviceKeyFailure.self) {
                _ = try await found.sharedSecret(with: Data(repeating: 4, count: 65))
            }
            try await keys.removeKey(id)
            let removed = try await keys.agreementKey(id)
            #expect(removed == nil)
        }
    }
}

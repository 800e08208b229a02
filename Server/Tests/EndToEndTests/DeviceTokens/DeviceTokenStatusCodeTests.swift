import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// The numbers of the three calls about a device authentication token: each row of the older kits' tables, by the SDK
/// against the running program.
@Suite("Every number of the tables of device authentication tokens", .onceForAllEngines)
struct DeviceTokenStatusCodeTests {
    private static let pin = "804613972558"
    private static let tokens = "/v1/device-authentication-tokens"

    private func withPhone(
        _ options: [String] = ["--device-tokens"], _ body: (LinkedPhone) async throws -> Void
    ) async throws {
        try await LinkedPhone.use(options) { phone in
            phone.server.ledger.enter(Self.pin)
            try await phone.wallet.pin.set(Self.pin)
            try await body(phone)
        }
    }

    private func generate(_ phone: LinkedPhone) async throws {
        try await phone.wallet.generateDeviceAuthenticationToken(
            username: phone.person.username, password: phone.person.password)
    }

    private func signIn(_ phone: LinkedPhone) async throws {
        _ = try await phone.wallet.loginWithDeviceAuthenticationToken(pin: Self.pin)
    }

    /// The number that a call ends with; 200 where it did what it was asked for.
    private func number(
        _ operation: WalletError.Operation, reachesServer: Bool = true, _ call: () async throws -> Void
    ) async throws -> Int? {
        do {
            try await call()
            return 200
        } catch let error as WalletError {
            #expect(error.operation == operation)
            #expect(error.reachedServer == reachesServer)
            return error.statusCode
        }
    }

    @Test("Generating: 419 for wrong credentials, 400 for what is malformed, 500 for a fault, and then a token")
    func generating() async throws {
        try await withPhone { phone in
            let wrong = try await number(.generateDeviceToken) {
                try await phone.wallet.generateDeviceAuthenticationToken(
                    username: phone.person.username, password: "not the password")
            }
            #expect(wrong == 419)
            try await phone.server.write("ALTER TABLE device_tokens RENAME TO device_tokens_lost")
            let failed = try await number(.generateDeviceToken) { try await generate(phone) }
            #expect(failed == 500)
            try await phone.server.write("ALTER TABLE device_tokens_lost RENAME TO device_tokens")
            let done = try await number(.generateDeviceToken) { try await generate(phone) }
            #expect(done == 200)
            phone.phone.network.spoil(Self.tokens)
            let malformed = try await number(.generateDeviceToken) { try await generate(phone) }
            #expect(malformed == 400)
        }
    }

    @Test("Generating: 432 for an app that may not")
    func unsupported() async throws {
        try await withPhone([]) { phone in
            let told = try await number(.generateDeviceToken) { try await generate(phone) }
            #expect(told == 432)
        }
    }

    @Test("Signing in: 1003 without a token; 503 and 423 by the device, 412 by the wallet, 401 for one that is over")
    func signingIn() async throws {
        try await withPhone { phone in
            let none = try await number(.loginWithDeviceToken, reachesServer: false) { try await signIn(phone) }
            #expect(none == 1003)
            try await generate(phone)
            let device = try #require(try await phone.wallet.devices.list().first).id.rawValue
            for (close, open, expected) in [
                (["device", "suspend", device], ["device", "resume", device], 503),
                (["device", "deactivate", device], ["device", "reactivate", device], 423),
            ] {
                try await phone.server.require(close)
                let told = try await number(.loginWithDeviceToken) { try await signIn(phone) }
                #expect(told == expected, "\(close)")
                try await phone.server.require(open)
            }
            try await phone.server.write("ALTER TABLE device_tokens RENAME TO device_tokens_lost")
            let failed = try await number(.loginWithDeviceToken) { try await signIn(phone) }
            #expect(failed == 500)
            try await phone.server.write("ALTER TABLE device_tokens_lost RENAME TO device_tokens")
            let done = try await number(.loginWithDeviceToken) { try await signIn(phone) }
            #expect(done == 200)
            try await phone.server.require(["account", "deactivate", phone.person.username])
            let closed = try await number(.loginWithDeviceToken) { try await signIn(phone) }
            #expect(closed == 412)
            try await phone.server.require(["account", "reactivate", phone.person.username])
            let over = try await number(.loginWithDeviceToken) { try await signIn(phone) }
            #expect(over == 401)
        }
    }

    @Test("Signing in: 418 holds a long-lived session up like any other sign-in")
    func mended() async throws {
        try await withPhone { phone in
            try await generate(phone)
            try await phone.server.write("UPDATE accounts SET email_state = 'unverified'")
            let outcome = try await phone.wallet.loginWithDeviceAuthenticationToken(pin: Self.pin)
            #expect(outcome.statusCode == 418)
        }
    }

    @Test("Expiring: 1003 where there never was one, 400 for what is malformed, 500 for a fault, 403 the second time")
    func expiring() async throws {
        try await withPhone { phone in
            let none = try await number(.expireDeviceToken, reachesServer: false) {
                try await phone.wallet.expireDeviceAuthenticationToken()
            }
            #expect(none == 1003)
            try await generate(phone)
            try await phone.server.write("ALTER TABLE device_tokens RENAME TO device_tokens_lost")
            let failed = try await number(.expireDeviceToken) {
                try await phone.wallet.expireDeviceAuthenticationToken()
            }
            #expect(failed == 500)
            try await phone.server.write("ALTER TABLE device_tokens_lost RENAME TO device_tokens")
            for expected in [200, 403] {
                let told = try await number(.expireDeviceToken) {
                    try await phone.wallet.expireDeviceAuthenticationToken()
                }
                #expect(told == expected)
            }
            try await generate(phone)
            phone.phone.network.spoil(Self.tokens + "/current")
            let malformed = try await number(.expireDeviceToken) {
                try await phone.wallet.expireDeviceAuthenticationToken()
            }
            #expect(malformed == 400)
        }
    }

    @Test("Expiring without a signed-in person: 1003 where there is none, 403 where it is over, otherwise signed out")
    func expiringSignedOut() async throws {
        try await withPhone { phone in
            func expire() async -> WalletError? {
                await #expect(throws: WalletError.self) { try await phone.wallet.expireDeviceAuthenticationToken() }
            }
            try await phone.wallet.logout()
            #expect(await expire()?.statusCode == 1003)
            _ = try await phone.wallet.login(pin: Self.pin)
            try await generate(phone)
            try await phone.wallet.logout()
            #expect(await expire()?.outcome == .signedOut(.loggedOut))
            try await signIn(phone)
            try await phone.wallet.expireDeviceAuthenticationToken()
            try await phone.wallet.logout()
            let over = await expire()
            #expect(over?.statusCode == 403)
            #expect(over?.code == .tokenAlreadyExpired)
        }
    }
}

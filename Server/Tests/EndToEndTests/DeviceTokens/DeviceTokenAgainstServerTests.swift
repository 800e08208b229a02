import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// The SDK's long-lived session against the running program.
@Suite("The long-lived session of a device", .covers("device authentication token"))
struct DeviceTokenAgainstServerTests {
    private static let pin = "804613972558"
    private static let wrong = "170395826641"

    private func withPhone(
        _ options: [String] = ["--device-tokens"], _ body: (LinkedPhone) async throws -> Void
    ) async throws {
        try await LinkedPhone.use(options) { phone in
            for pin in [Self.pin, Self.wrong] { phone.server.ledger.enter(pin) }
            try await phone.wallet.pin.set(Self.pin)
            try await body(phone)
        }
    }

    private func generate(_ phone: LinkedPhone) async throws {
        try await phone.wallet.generateDeviceAuthenticationToken(
            username: phone.person.username, password: phone.person.password)
    }

    private func code(_ body: () async throws -> Void) async -> (WalletError.Code?, Int?) {
        let error = await #expect(throws: WalletError.self) { try await body() }
        return (error?.code, error?.statusCode)
    }

    private func isActive(_ wallet: Wallet) async throws -> Bool {
        if case .active = try await wallet.deviceAuthenticationToken { true } else { false }
    }

    @Test("Whether one can be started is known before the password is typed", .onceForAllEngines)
    func checked() async throws {
        try await withPhone { try await $0.wallet.checkDeviceAuthenticationToken() }
        try await withPhone([]) { phone in
            let (code, number) = await code { try await phone.wallet.checkDeviceAuthenticationToken() }
            #expect(code == .deviceAuthenticationUnsupported && number == 432)
        }
    }

    @Test("Generated once, it signs in with the PIN after a sign-out and in an app started again, until it is expired")
    func journey() async throws {
        try await withPhone { phone in
            let before = try await phone.wallet.deviceAuthenticationToken
            #expect(before == .none)
            let (none, number) = await code {
                _ = try await phone.wallet.loginWithDeviceAuthenticationToken(pin: Self.pin)
            }
            #expect(none == .noDeviceToken && number == 1003)
            try await generate(phone)
            #expect(try await isActive(phone.wallet))

            _ = try await phone.wallet.logout()
            #expect(try await isActive(phone.wallet), "signing out keeps it")
            let signedOut = await #expect(throws: WalletError.self) {
                try await phone.wallet.expireDeviceAuthenticationToken()
            }
            #expect(signedOut?.outcome == .signedOut(.loggedOut))
            _ = try await phone.wallet.loginWithDeviceAuthenticationToken(pin: Self.pin)
            let again = try await phone.another()
            _ = try await again.loginWithDeviceAuthenticationToken(pin: Self.pin)
            #expect(again.isLoggedIn)
            let (wrong, _) = await code { _ = try await again.loginWithDeviceAuthenticationToken(pin: Self.wrong) }
            #expect(wrong == .invalidCredentials)
            try await again.biometrics.enable(pin: Self.pin)
            _ = try await again.loginWithDeviceAuthenticationToken(biometrics: "Sign in to Example Wallet")

            try await again.expireDeviceAuthenticationToken()
            let expired = try await again.deviceAuthenticationToken
            #expect(expired == .expired)
            let (twice, status) = await code { try await again.expireDeviceAuthenticationToken() }
            #expect(twice == .tokenAlreadyExpired && status == 403)
            let (gone, _) = await code { _ = try await again.loginWithDeviceAuthenticationToken(pin: Self.pin) }
            #expect(gone == .noDeviceToken)
        }
    }

    @Test(
        "A wrong password is 419, an app that may not is 432, and a refusal is kept here and at the server",
        .onceForAllEngines)
    func refusals() async throws {
        try await withPhone { phone in
            let (code, number) = await code {
                try await phone.wallet.generateDeviceAuthenticationToken(
                    username: phone.person.username, password: "not the password")
            }
            #expect(code == .invalidCredentials && number == 419)
            try await phone.wallet.declineDeviceAuthenticationToken()
            let declined = try await phone.wallet.deviceAuthenticationToken
            #expect(declined == .declined)
            let tail = try await phone.server.require(["audit", "tail", "--kind", "device_token.declined"])
            #expect(tail.contains("device_token.declined"))
        }
        try await withPhone([]) { phone in
            let (code, number) = await code { try await generate(phone) }
            #expect(code == .deviceAuthenticationUnsupported && number == 432)
        }
    }

    @Test("A new password ends it, a deactivated wallet is 412")
    func ends() async throws {
        try await withPhone { phone in
            try await generate(phone)
            try await phone.server.require(["account", "deactivate", phone.person.username])
            let (closed, number) = await code {
                _ = try await phone.wallet.loginWithDeviceAuthenticationToken(pin: Self.pin)
            }
            #expect(closed == .walletDeactivated && number == 412)
            try await phone.server.require(["account", "reactivate", phone.person.username])
            let (over, status) = await code {
                _ = try await phone.wallet.loginWithDeviceAuthenticationToken(pin: Self.pin)
            }
            #expect(over == .deviceTokenExpired && status == 401)
            let state = try await phone.wallet.deviceAuthenticationToken
            #expect(state == .expired)
        }
    }
}

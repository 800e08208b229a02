import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import WalletAuthWire

/// The SDK's key behind the holder's presence against the running program, with a person that the tests lead.
@Suite(
    "Face or finger on a device", .threat("Someone else's use of a finger or an unlocked phone"),
    .covers("a key that the platform releases only for its holder's face or finger"))
struct BiometricsAgainstServerTests {
    private static let pin = "804613972558"
    private static let wrong = "170395826641"

    private func withBiometrics(_ body: (LinkedPhone) async throws -> Void) async throws {
        try await LinkedPhone.use { phone in
            for pin in [Self.pin, Self.wrong] { phone.server.ledger.enter(pin) }
            try await phone.wallet.pin.set(Self.pin)
            try await phone.wallet.biometrics.enable(pin: Self.pin)
            try await body(phone)
        }
    }

    private func error(_ body: () async throws -> Void) async -> WalletError? {
        await #expect(throws: WalletError.self) { try await body() }
    }

    @Test("Turned on with the PIN, it signs in after one prompt, even if responses are lost, until it is turned off")
    func signsIn() async throws {
        try await withBiometrics { phone in
            let enabled = try await phone.wallet.biometrics.state()
            #expect(enabled == .enabled)
            let shown = try await phone.wallet.devices.list()
            #expect(shown.map(\.hasBiometricKey) == [true])
            _ = try await phone.wallet.logout()
            phone.phone.network.loseAnswers(1, to: "/oauth2/authorize-challenge")
            try await phone.wallet.login(biometrics: "Sign in to Example Wallet").signedIn()
            #expect(phone.phone.keys.presence.reasons == ["Sign in to Example Wallet"])

            try await phone.wallet.biometrics.disable()
            let off = try await phone.wallet.biometrics.state()
            #expect(off == .none)
            let left = try await phone.wallet.devices.list()
            #expect(left.map(\.hasBiometricKey) == [false])
            let refused = await error { _ = try await phone.wallet.login(biometrics: "Sign in") }
            #expect(refused?.code == .biometricsNotEnabled)
            try await phone.wallet.login(pin: Self.pin).signedIn()
        }
    }

    @Test("Under the app's policy the PIN is required after each use of a face; a wrong one does not reset it")
    func policy() async throws {
        try await withBiometrics { phone in
            var configuration = Wallet.Configuration(
                environment: .sandbox(issuer: await phone.server.issuer), clientID: phone.client.id,
                signIn: .full(redirectURI: try #require(URL(string: phone.client.redirectURI))),
                ports: phone.phone.ports)
            configuration.biometricPolicy = .init(approvals: 1)
            let wallet = try Wallet(configuration: configuration)
            for _ in 0..<2 {
                let wrong = await error { _ = try await wallet.login(pin: Self.wrong) }
                #expect(wrong?.code == .invalidCredentials)
                let due = await error { _ = try await wallet.login(biometrics: "Sign in") }
                #expect(due?.code == .pinRequired)
                try await wallet.login(pin: Self.pin).signedIn()
                try await wallet.login(biometrics: "Sign in").signedIn()
            }
            let required = try await wallet.biometrics.requiresPIN()
            #expect(required)
            try await phone.wallet.login(biometrics: "Sign in").signedIn()
        }
    }

    @Test("A person who declines and a locked sensor are different errors, and the PIN still opens", .onceForAllEngines)
    func refused() async throws {
        try await withBiometrics { phone in
            phone.phone.keys.presence.failure = .refused
            let no = await error { _ = try await phone.wallet.login(biometrics: "Sign in") }
            #expect(no?.outcome == .cancelledByPerson)
            phone.phone.keys.presence.failure = .lockedOut
            let locked = await error { _ = try await phone.wallet.login(biometrics: "Sign in") }
            #expect(locked?.code == .biometricsLockedOut)
            try await phone.wallet.login(pin: Self.pin).signedIn()
            phone.phone.keys.presence.failure = nil
            try await phone.wallet.login(biometrics: "Sign in").signedIn()
        }
    }

    @Test(
        "A finger that is added makes the key useless: the error says to turn it on again, which the PIN does",
        .onceForAllEngines)
    func changed() async throws {
        try await withBiometrics { phone in
            phone.phone.keys.changeBiometrics()
            let state = try await phone.wallet.biometrics.state()
            #expect(state == .changed)
            let lost = await error { _ = try await phone.wallet.login(biometrics: "Sign in") }
            #expect(lost?.outcome == .keyLost(recovery: .enableBiometricsAgain))
            try await phone.wallet.login(pin: Self.pin).signedIn()
            try await phone.wallet.biometrics.enable(pin: Self.pin)
            try await phone.wallet.login(biometrics: "Sign in").signedIn()
        }
    }

    @Test(
        "Turning it on again with a wrong PIN leaves what is in use; where the device has no sensor nothing is sent",
        .onceForAllEngines)
    func guarded() async throws {
        try await withBiometrics { phone in
            let before = phone.phone.keys.names
            let wrong = await error { try await phone.wallet.biometrics.enable(pin: Self.wrong) }
            #expect(wrong?.code == .invalidCredentials)
            #expect(phone.phone.keys.names == before)
            try await phone.wallet.login(biometrics: "Sign in").signedIn()
            let without = InMemoryDeviceKeys(presence: ScriptedUserPresence(capability: .none))
            await #expect(throws: DeviceKeyFailure.self) { _ = try await without.createPresenceKey(DeviceKeyID("p")) }
        }
    }
}

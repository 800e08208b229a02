import Foundation
import PaydiantCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@MainActor
@Suite("Paydiant's long-running session", .covers("error tables"))
struct PaydiantDeviceTokenTests {
    private static let path = Endpoints.deviceAuthenticationTokens.path
    private static let current = Endpoints.currentDeviceAuthenticationToken.path

    /// The result of each call with blocks: 200, or the error's number.
    @MainActor
    private final class Results {
        var numbers: [Int] = []
        var errors: [PDPaydiantError] = []
        func done() {
            MainActor.assertIsolated()
            numbers.append(200)
        }
        func failed(_ error: PDPaydiantError) {
            numbers.append(error.code)
            errors.append(error)
        }
    }

    private func generate(_ world: PaydiantWorld, _ results: Results) async {
        world.coordinator.generateDeviceAuthenticationToken(
            forUsername: PaydiantWorld.generation,
            completion: { results.done() }, failure: { results.failed($0) })
        await world.service.waitForAll()
    }

    private func grant(_ world: PaydiantWorld) throws {
        let token = try DeviceAuthenticationToken(Base64URL.encode([UInt8](repeating: 7, count: 32)))
        world.answer(Self.path, 201, DeviceTokenResponse(token: token, expiresIn: 86_400).json)
    }

    @Test("Generating has the numbers 400, 419, 432 and 500, and a failure leaves no session")
    func generating() async throws {
        let world = try PaydiantWorld()
        try await world.link()
        let results = Results()
        for (status, code, number) in [
            (401, "invalid_credentials", 419), (400, "device_authentication_unsupported", 432),
            (400, "bad_request", 400), (500, "server_error", 500),
        ] {
            world.answer(
                Self.path, Problem(status: status, code: code, title: "Refused", statusCode: number))
            await generate(world, results)
        }
        #expect(results.numbers == [419, 432, 400, 500])
        #expect(Set(results.errors.map(\.domain)) == [kUserErrorGenerateDeviceAuthenticationTokenDomain])
        #expect(!world.coordinator.isAuthroizationTokenExist())
        #expect(world.delegate.events.isEmpty)
    }

    @Test("A session exists from the completion block on, survives a sign-out and ends by expiring it; then it is 403")
    func journey() async throws {
        let world = try PaydiantWorld()
        try await world.link()
        let results = Results()
        try grant(world)
        world.coordinator.generateDeviceAuthenticationToken(
            forUsername: PaydiantWorld.generation,
            completion: { [coordinator = world.coordinator] in
                #expect(coordinator.isAuthroizationTokenExist() && coordinator.isAuthorizationTokenExist())
                results.done()
            }, failure: { results.failed($0) })
        await world.service.waitForAll()
        world.coordinator.logout()
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        await world.service.waitForAll()
        #expect(world.coordinator.isAuthroizationTokenExist())
        for _ in 0..<2 {
            world.coordinator.expireDeviceAuthenticationToken(
                completion: { results.done() }, failure: { results.failed($0) })
            await world.service.waitForAll()
            world.answer(
                Self.current,
                Problem(status: 403, code: "token_already_expired", title: "Forbidden", statusCode: 403))
        }
        #expect(results.numbers == [200, 200, 403])
        #expect(results.errors.first?.domain == kUserErrorExpireDeviceAuthenticationTokenDomain)
        #expect(!world.coordinator.isAuthroizationTokenExist())
    }

    @Test("Without a session it is 1003; with one and without a biometric key, the error names the call with the PIN")
    func neverByTheTokenAlone() async throws {
        let world = try PaydiantWorld()
        try await world.link()
        let results = Results()
        func signIn() async {
            world.coordinator.loginWithDeviceAuthenticationToken(
                completion: { results.done() }, failure: { results.failed($0) })
            await world.service.waitForAll()
        }
        await signIn()
        try grant(world)
        await generate(world, results)
        let sent = world.server.requests.count
        await signIn()
        #expect(results.numbers == [1003, 200, 0])
        #expect(results.errors.last?.reason.contains("loginWithDeviceAuthenticationToken(pin:)") == true)
        #expect(results.errors.last?.walletError.code == .biometricsNotEnabled)
        #expect(world.server.requests.count == sent)
    }

    @Test("Without blocks, the delegate gets the failure")
    func withoutBlocks() async throws {
        let world = try PaydiantWorld()
        world.coordinator.generateDeviceAuthenticationToken(forUsername: PDGenerateDeviceAuthenticationRequest())
        world.coordinator.loginWithDeviceAuthenticationToken()
        world.coordinator.loginWithDeviceAuthenticationToken(pin: "135792")
        world.coordinator.expireDeviceAuthenticationToken()
        await world.service.waitForAll()
        #expect(world.delegate.events == ["failed 419", "failed 1003", "failed 1003", "failed 1003"])
    }

    @Test("A device that is linked to no account knows so without the server")
    func unlinked() async throws {
        let world = try PaydiantWorld()
        var answers: [[Bool]] = []
        PDDeviceCoordinator(world.service).isDeviceRegistered(
            completion: { answers.append([$0, $1]) }, failure: { Issue.record("\($0)") })
        await world.service.waitForAll()
        #expect(answers == [[false, false]])
        #expect(world.server.requests.isEmpty)
    }
}

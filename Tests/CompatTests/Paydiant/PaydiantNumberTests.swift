import Foundation
import PaydiantCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@MainActor
@Suite("The numbers of Paydiant's tables", .covers("error tables"))
struct PaydiantNumberTests {
    private static let signInNumbers: [(ErrorCode, Int)] = [
        (.invalidCredentials, 401), (.emailUnverified, 418), (.walletDeactivated, 421), (.deviceDeactivated, 423),
        (.serverError, 500), (.deviceSuspended, 503), (.passwordChangeRequired, 508), (.appInstanceUnverified, 511),
    ]

    @Test("A sign-in by password, nonce or provider has the page's number and its own domain", arguments: 0..<8)
    func signIns(row: Int) async throws {
        let (code, number) = Self.signInNumbers[row]
        let world = try PaydiantWorld()
        let nonce = PDLoginByNonceRequest()
        nonce.nonce = world.server.issueLoginNonce(for: "alice")
        let federated = PDLoginByFederatedIdentityRequest()
        (federated.identityProvider, federated.username, federated.password) = ("example", "alice", "there")
        for (domain, call) in [
            (kUserErrorLoginWithUsernamePasswordDomain, { $0.login(byUsernamePassword: "alice", password: "any") }),
            (kUserErrorLoginWithNonceDomain, { $0.login(byNonce: nonce) }),
            (kUserErrorLoginWithFederatedIdentityDomain, { $0.login(byFederatedIdentity: federated) }),
        ] as [(String, (PDAthenticationCoordinator) -> Void)] {
            try world.refuseSignIn(code)
            world.delegate.events = []
            call(world.coordinator)
            await world.service.waitForAll()
            #expect(world.delegate.events == ["failed \(number)"])
            let error = try #require(world.delegate.errors.last)
            #expect(error.domain == domain)
            #expect(!error.message.isEmpty)
            #expect((error.outcome != nil) == [418, 508, 511].contains(number))
        }
    }

    @Test("An app continues a sign-in with the outcome of the error")
    func continuation() async throws {
        let world = try PaydiantWorld()
        world.server.setState(of: "alice", .emailUnverified(code: "87654321"))
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        await world.service.waitForAll()
        guard case .emailUnverified(let verification)? = world.delegate.errors.first?.outcome else {
            Issue.record("no e-mail address to confirm")
            return
        }
        guard case .authenticated = try await verification.confirm(code: "87654321") else {
            Issue.record("not signed in")
            return
        }
    }

    @Test("A call that does not reach the service is reported as such, with the call's domain")
    func unreached() async throws {
        let world = try PaydiantWorld()
        world.server.network = .offline
        world.coordinator.login(byUsernamePassword: "alice", password: PaydiantWorld.password)
        world.coordinator.login(byPIN: "135792")
        // The pauses before a request is sent again.
        while world.delegate.events.count < 2 {
            if world.clock.sleeperCount > 0 { world.clock.advance(by: .seconds(1)) }
            await Task.yield()
        }
        #expect(world.delegate.events == ["unreached 0", "unreached 0"])
        #expect(
            world.delegate.errors.map(\.domain) == [
                kUserErrorLoginWithUsernamePasswordDomain, kUserErrorLoginWithPinDomain,
            ])
    }

    @Test("Before it is configured, every call says what is missing; afterwards the same coordinator works")
    func configuration() async throws {
        let coordinator = PDAuthenticationCoordinator()
        let error = await withCheckedContinuation { continuation in
            coordinator.expireDeviceAuthenticationToken(
                completion: { Issue.record("nothing can have ended") }, failure: { continuation.resume(returning: $0) })
        }
        #expect(error.walletError.code == .notConfigured)
        #expect(error.reason.contains("configure(_:)"))
        #expect(!coordinator.isAuthroizationTokenExist())
        let enrollment = PDUserEnrollmentCoordinator()
        let unmade = await withCheckedContinuation { continuation in
            enrollment.createUser(
                PDUser(), completion: { _ in Issue.record("no code can have been sent") },
                failure: { continuation.resume(returning: $0) })
        }
        #expect(unmade.walletError.code == .notConfigured)

        let clock = ManualClock()
        let server = ScriptedServer(clock: clock)
        server.addPerson("alice", password: PaydiantWorld.password)
        let configuration = PaydiantWorld.configuration(server, InMemoryStore(), clock)
        try configureInPlace(configuration)
        try await PDAthenticationCoordinator.configure(configuration)
        let number = await withCheckedContinuation { continuation in
            coordinator.expireDeviceAuthenticationToken(
                completion: { continuation.resume(returning: 200) },
                failure: { continuation.resume(returning: $0.code) })
        }
        #expect(number == 1003)
    }

    private func configureInPlace(_ configuration: WalletAuth.Wallet.Configuration) throws {
        try PDAthenticationCoordinator.configure(configuration)
    }
}

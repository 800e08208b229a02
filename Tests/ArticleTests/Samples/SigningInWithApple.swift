import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

extension ExampleScreens {
    func signInWithApple(_ wallet: Wallet, _ person: ExamplePerson) async throws -> LoginOutcome {
        let nonce = try await wallet.federatedNonce()
        let credential = try await AppleSignInSheet().credential(nonce: nonce)
        var outcome = try await wallet.login(apple: credential)
        if case .noMatchingGuest(let guest) = outcome {
            let name = await person.ask("You are new here. Which name do you want?")
            outcome = try await wallet.enrollment.createAndRegister(NewAccount(username: name), for: guest)
        }
        return outcome
    }

    func offerApple(_ wallet: Wallet, _ person: ExamplePerson) async throws {
        do {
            _ = try await signInWithApple(wallet, person)
        } catch let failure as UserAgentFailure where failure.kind == .cancelledByPerson {
            // The person closed Apple's sheet, so there is nothing to say.
        } catch let error as WalletError {
            showRefusal(error.code)
        }
    }

    func connectApple(_ wallet: Wallet) async throws {
        let nonce = try await wallet.federatedNonce()
        let credential = try await AppleSignInSheet().credential(nonce: nonce)
        do {
            let outcome = try await wallet.login(apple: credential, strength: .required(AuthenticationRequirements()))
            guard case .noMatchingGuest(let guest) = outcome else { return }
            try await wallet.enrollment.join(guest)
        } catch let error as WalletError where error.code == .anotherPerson {
            showRefusal(.identityTaken)
        }
    }

    func watchApple(_ wallet: Wallet) async {
        for await change in wallet.tokenChanges where change == .invalidated(.appleCredentialRevoked) {
            showSignIn(because: "You stopped using your Apple Account with this app.")
        }
    }
}

struct ExampleAppleTests {
    @Test("The first tap makes an account, the next one signs in, and a revoked credential signs out")
    func apple() async throws {
        let world = ExampleWorld()
        let apple = ScriptedAppleCredentials()
        var ports = world.ports
        ports.appleCredentials = apple
        let wallet = try world.wallet(ports)

        func tap() async throws -> LoginOutcome {
            let nonce = try await wallet.federatedNonce()
            return try await wallet.login(apple: world.server.appleCredential(of: "001245.ada", nonce: nonce))
        }
        guard case .noMatchingGuest(let guest) = try await tap() else { return #expect(Bool(false)) }
        _ = try await wallet.enrollment.createAndRegister(NewAccount(username: "ada-lovelace"), for: guest)
        guard case .authenticated = try await tap() else { return #expect(Bool(false)) }

        let changes = wallet.tokenChanges
        apple.revoke("001245.ada")
        #expect(await changes.first { _ in true } == .invalidated(.appleCredentialRevoked))
    }

    @Test("Connecting an Apple Account of another person leaves the session as it is")
    func connecting() async throws {
        let world = ExampleWorld()
        let wallet = try world.wallet(world.ports)

        func tap(_ strength: Wallet.LoginStrength) async throws -> LoginOutcome {
            let nonce = try await wallet.federatedNonce()
            let credential = world.server.appleCredential(of: "001245.grace", nonce: nonce)
            return try await wallet.login(apple: credential, strength: strength)
        }
        guard case .noMatchingGuest(let guest) = try await tap(.asTheServerAsks) else { return #expect(Bool(false)) }
        _ = try await wallet.enrollment.createAndRegister(NewAccount(username: "grace"), for: guest)
        _ = try await wallet.logout()
        _ = try await wallet.login(username: "ada", password: "correct horse")
        let own = wallet.identity?.subject
        try #require(own != nil)

        let refused = await #expect(throws: WalletError.self) {
            try await tap(.required(AuthenticationRequirements()))
        }
        #expect(refused?.code == .anotherPerson)
        #expect(wallet.identity?.subject == own)
    }
}

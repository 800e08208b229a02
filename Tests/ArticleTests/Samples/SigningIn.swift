// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import WalletAuth
import WalletAuthLoopback

extension ExampleScreens {
    func begin(_ wallet: Wallet) async throws {
        switch try await wallet.signIn() {
        case .restored, .signedIn: showHome()
        case .awaitingCallback: showWaiting()
        }
    }

    func register(
        _ address: String, _ code: String, _ name: String, _ password: String, _ wallet: Wallet
    ) async throws {
        let challenge = try await wallet.enrollment.begin(email: address)
        let newcomer = try await challenge.confirm(code: code)
        let outcome = try await newcomer.finish(username: name, password: password, acceptedTerms: newcomer.termsURL)
        _ = outcome
    }

    func receive(_ url: URL, _ wallet: Wallet) async throws {
        if try await wallet.handle(url) == .signIn { showHome() }
    }

    func localizedConfiguration(issuer: URL, redirectURI: URL) -> Wallet.Configuration {
        var configuration = Wallet.Configuration(
            environment: .production(issuer: issuer), clientID: "com.example.wallet",
            signIn: .full(redirectURI: redirectURI))
        configuration.scopes = ["openid", "profile", "offline_access"]
        configuration.locales = ["fr-CA", "en"]
        configuration.merchantID = "merchant-17"
        return configuration
    }

    #if os(Linux)
        func configurationOfDesktop(issuer: URL) -> Wallet.Configuration {
            var configuration = Wallet.Configuration(
                environment: .production(issuer: issuer), clientID: "com.example.wallet",
                signIn: .full(redirectURI: URL(string: "http://127.0.0.1/callback")!))
            configuration.ports = .linux(clientID: configuration.clientID, userAgent: LoopbackUserAgent())
            return configuration
        }

        func configurationWithoutDesktop(issuer: URL) -> Wallet.Configuration {
            var configuration = Wallet.Configuration(
                environment: .production(issuer: issuer), clientID: "com.example.wallet",
                signIn: .full(redirectURI: URL(string: "http://127.0.0.1/callback")!))
            configuration.ports = .linux(
                directory: URL(fileURLWithPath: "/var/lib/example/wallet"),
                userAgent: LoopbackUserAgent(opener: { page in print("Open this page: \(page.absoluteString)") }))
            return configuration
        }
    #endif

    func recover(name: String, _ wallet: Wallet, _ person: ExamplePerson) async throws -> LoginOutcome {
        let challenge = try await wallet.recover(username: name)
        var outcome = try await challenge.answer(
            await person.ask("If we know this name, a code is on its way. The code?"))
        if case .mfaRequired(let factor) = outcome {
            outcome = try await factor.answer(await person.ask(UserErrorMessages.builtIn.question(of: factor)))
        }
        if case .passwordChangeRequired(let change) = outcome {
            outcome = try await change.choose(newPassword: await person.ask("A new password?"))
        }
        return outcome
    }

    func signIn(username: String, password: String, _ wallet: Wallet, _ person: ExamplePerson) async throws {
        var outcome = try await wallet.login(username: username, password: password)
        while true {
            switch outcome {
            case .authenticated(let attributes):
                return showHome(lastLogin: attributes["last_login"]?.string)
            case .mfaRequired(let challenge) where challenge.method == "passkey":
                outcome = try await challenge.answerWithPasskey()
            case .mfaRequired(let challenge):
                let answer = await person.ask(UserErrorMessages.builtIn.question(of: challenge))
                outcome = try await wallet.register(mfa: challenge, answer: answer).login
            case .passwordChangeRequired(let change):
                let password = await person.ask("Your password has expired. A new one?")
                outcome = try await change.choose(newPassword: password)
            case .emailUnverified(let verification):
                let code = await person.ask("The code from the e-mail?")
                outcome = try await verification.confirm(code: code)
            case .appInstanceUnverified(let verification):
                let code = await person.ask("The code we sent to confirm this phone?")
                outcome = try await verification.confirm(code: code)
            case .merchantRequired(let choice):
                let name = await person.ask("Which one is this for? \(choice.merchants.map(\.name))")
                guard let merchant = choice.merchants.first(where: { $0.name == name }) else { continue }
                outcome = try await choice.choose(merchant)
            case .noMatchingGuest(let guest):
                let name = await person.ask("You are new here. Which name do you want?")
                outcome = try await wallet.enrollment.createAndRegister(NewAccount(username: name), for: guest)
            case .redirectToWeb:
                return try await begin(wallet)
            }
        }
    }

    func signIn(_ wallet: Wallet, knownTo backend: ExampleBackend) async throws -> LoginOutcome {
        let key = try await wallet.signInKeyThumbprint()  // to the backend, which binds the nonce to it
        let nonce = try await backend.loginNonce(for: key)
        let outcome = try await wallet.login(nonce: nonce)
        return outcome
    }

    func signIn(_ wallet: Wallet, by provider: ExampleProvider) async throws -> LoginOutcome {
        let nonce = try await wallet.federatedNonce()
        let answer = try await provider.signIn(nonce: nonce.value)  // the app's own call to the provider
        let outcome = try await wallet.login(
            federatedIdentity: FederatedIdentity(
                provider: "example", authorizationCode: answer.code, redirectURI: answer.redirectURI,
                codeVerifier: answer.codeVerifier, nonce: nonce))
        return outcome
    }

    func enter(_ code: String, _ verification: EmailVerification) async throws -> LoginOutcome {
        do {
            return try await verification.confirm(code: code)
        } catch let error as WalletError where error.code == .invalidCredentials {
            return .emailUnverified(verification)
        }
    }
}

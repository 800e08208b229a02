import Foundation
import WalletAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExampleScreens {
    func pay(_ payment: Data, at paymentsURL: URL, with wallet: Wallet) async throws {
        var request = URLRequest(url: paymentsURL)
        request.httpMethod = "POST"
        request.httpBody = payment
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
        let (data, response) = try await wallet.perform(request)
        guard response.statusCode == 201 else { return showTryAgain() }
        show(data)
    }

    func configurationForOneAPI(issuer: URL, api: URL, redirectURI: URL) -> Wallet.Configuration {
        let configuration = Wallet.Configuration(
            environment: .production(issuer: issuer), clientID: "com.example.wallet",
            signIn: .full(redirectURI: redirectURI), resources: .only([api]))
        return configuration
    }

    func greet(_ wallet: Wallet) async throws {
        let person = try await wallet.userInfo()
        show(person.givenName ?? person.name ?? "Welcome")
        if person.isEmailVerified == false, let email = person.email {
            show("Please confirm \(email).")
        }
    }

    func loadAccount(of wallet: Wallet, at accountURL: URL) async throws {
        do {
            try await wallet.restore()
            let (data, _) = try await wallet.perform(URLRequest(url: accountURL))
            show(data)
        } catch let error as WalletError {
            switch error.outcome {
            case .signedOut: showSignIn()
            case .keyLost: showSignIn(because: "This device was restored from a backup.")
            case .offline, .storeUnavailable: showTryAgain()
            case .temporarilyUnavailable(let retryAfter): showTryAgain(after: retryAfter)
            case .cancelledByPerson: break
            case .stepUp(let requirements): try await wallet.stepUp(to: requirements)
            case .refused: showRefusal(error.code)
            case .misconfigured: report(error)
            }
        }
    }

    func sendReport(of wallet: Wallet) {
        send(toSupport: wallet.diagnostics.description)
    }

    func tellThePerson(of error: WalletError) {
        if let text = UserErrorMessages.builtIn.text(for: error) {
            show(text)
        }
    }

    func ownWords() -> UserErrorMessages {
        var messages = UserErrorMessages()
        messages.replace("login_by_pin.invalid_credentials", in: "en", with: "That isn't your PIN.")
        messages.replace("outcome.offline", in: "it", with: "Nessuna connessione.")
        return messages
    }

    func signIn(_ name: String, _ password: String, with wallet: Wallet) async throws {
        var outcome: LoginOutcome?
        var alert: String?
        do {
            outcome = try await wallet.login(username: name, password: password)
        } catch let error as WalletError {
            alert = UserErrorMessages.builtIn.text(for: error)  // nil: the person said no, so there is nothing to say
        }
        if let alert { show(alert) }
        if case .redirectToWeb? = outcome { showSignIn() }
    }
}

import Foundation
import WalletAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExampleScreens {
    func managePasskeys(_ wallet: Wallet) async throws {
        for passkey in try await wallet.passkeys.list() { show(passkey.name) }
        do {
            let added = try await wallet.passkeys.register(name: "My phone")
            show("\(added.name) is your new passkey.")
        } catch let error as WalletError where error.code == .insufficientUserAuthentication {
            showSignIn(because: "Sign in with two factors first.")  // with the strength .twoFactors
        }
    }

    func signInByPasskey(or username: String, _ password: String, _ wallet: Wallet) async throws -> LoginOutcome {
        do {
            return try await wallet.passkeys.signIn()
        } catch let error as WalletError where error.code == .cancelledByPerson {
            // The person closed the sheet, or has no passkey here.
            return try await wallet.login(username: username, password: password)
        }
    }

    func answer(_ challenge: MFAChallenge, _ person: ExamplePerson) async throws -> LoginOutcome {
        if challenge.takesPasskey { return try await challenge.answerWithPasskey() }
        return try await challenge.answer(await person.ask(UserErrorMessages.builtIn.question(of: challenge)))
    }

    func approveByPasskey(
        _ payment: URLRequest, asking ask: @escaping SCA.Handler, _ wallet: Wallet
    ) async throws -> Data {
        let screen = self
        let (data, _) = try await wallet.perform(payment) { prompt in
            screen.show(prompt.operation)  // the sheet shows neither amount nor payee
            guard prompt.verification == .devicePasskey else { return try await ask(prompt) }
            return .passkey
        }
        return data
    }
}

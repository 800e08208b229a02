import WalletAuth
import WalletAuthPIN

extension ExampleScreens {
    func setPIN(_ typed: String, _ wallet: Wallet) async throws {
        do {
            try await wallet.pin.set(typed)
            showHome()
        } catch let error as WalletError {
            switch error.code {
            case .pinTooShort, .pinTooLong, .pinMalformed: say("Choose six to twelve digits.")
            case .pinTooCommon: say("That one is easy to guess. Choose another.")
            case .insufficientUserAuthentication:
                guard case .stepUp(let requirements) = error.outcome else { throw error }
                // The same person again, with two factors. Then ask for the PIN again.
                try await wallet.stepUp(to: requirements)
            default: throw error
            }
        }
    }

    func comeBack(pin typed: String, _ wallet: Wallet) async throws -> LoginOutcome? {
        switch try await wallet.deviceAuthenticationToken {
        case .none: showLongSessionOffer()
        case .declined, .expired: break
        case .active:
            return try await wallet.loginWithDeviceAuthenticationToken(pin: typed)
        }
        return nil
    }

    func signIn(pin typed: String, _ wallet: Wallet) async throws -> LoginOutcome? {
        do {
            let outcome = try await wallet.login(pin: typed)
            return outcome
        } catch let error as WalletError {
            switch error.code {
            case .invalidCredentials: say("That is not your PIN.")
            case .pinLocked: showSignIn(because: "Your PIN is locked. Sign in with your password.")
            case .pinNotSet, .deviceNotEnrolled, .keyLost: showSignIn(because: "Set a PIN after signing in.")
            default: throw error
            }
            return nil
        }
    }

    func limitFace(_ configuration: inout Wallet.Configuration) {
        configuration.biometricPolicy = Wallet.BiometricPolicy(
            approvals: 10, timeSincePIN: .seconds(14 * 86_400), inactivity: .seconds(7 * 86_400))
    }

    func useFace(_ typed: String, _ wallet: Wallet) async throws -> LoginOutcome {
        try await wallet.biometrics.enable(pin: typed)
        let outcome = try await wallet.login(biometrics: "Sign in to Example Wallet")
        return outcome
    }
}

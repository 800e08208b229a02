import Testing
import WalletAuth
import WalletAuthWire

/// Each returns the payload of the outcome that a test expects, or records the outcome that came instead and ends the test.
extension LoginOutcome {
    @discardableResult
    func signedIn(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: JSONValue] {
        let attributes: [String: JSONValue]? = if case .authenticated(let found) = self { found } else { nil }
        return try require(attributes, "a finished sign-in", sourceLocation)
    }

    @discardableResult
    func secondFactor(sourceLocation: SourceLocation = #_sourceLocation) throws -> MFAChallenge {
        let challenge: MFAChallenge? = if case .mfaRequired(let found) = self { found } else { nil }
        return try require(challenge, "a second factor", sourceLocation)
    }

    func passwordChange(sourceLocation: SourceLocation = #_sourceLocation) throws -> PasswordChange {
        let change: PasswordChange? = if case .passwordChangeRequired(let found) = self { found } else { nil }
        return try require(change, "a new password to choose", sourceLocation)
    }

    @discardableResult
    func emailVerification(sourceLocation: SourceLocation = #_sourceLocation) throws -> EmailVerification {
        let verification: EmailVerification? =
            if case .emailUnverified(let found) = self { found } else { nil }
        return try require(verification, "an e-mail address to confirm", sourceLocation)
    }

    func merchantChoice(sourceLocation: SourceLocation = #_sourceLocation) throws -> MerchantChoice {
        let choice: MerchantChoice? = if case .merchantRequired(let found) = self { found } else { nil }
        return try require(choice, "merchants to choose from", sourceLocation)
    }

    @discardableResult
    func guest(sourceLocation: SourceLocation = #_sourceLocation) throws -> GuestContinuation {
        let guest: GuestContinuation? = if case .noMatchingGuest(let found) = self { found } else { nil }
        return try require(guest, "a guest without an account", sourceLocation)
    }

    private func require<Payload>(
        _ payload: Payload?, _ expected: String, _ sourceLocation: SourceLocation
    ) throws -> Payload {
        try #require(payload, "expected \(expected), got \(self)", sourceLocation: sourceLocation)
    }
}

extension Wallet.Registration.Link {
    @discardableResult
    func linked(sourceLocation: SourceLocation = #_sourceLocation) throws -> Wallet.Device {
        let device: Wallet.Device? = if case .linked(let found) = self { found } else { nil }
        return try #require(device, "expected a linked device, got \(self)", sourceLocation: sourceLocation)
    }
}

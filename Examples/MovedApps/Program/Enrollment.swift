import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// What each person does once more after the move: no vendor hands out a phone's key or its PIN.
extension WalletAuth.Wallet {
    /// Signs in with password and code, links this phone to the account and gives it a PIN.
    /// - Returns: the PIN.
    func enroll(_ username: String) async throws -> String {
        let password = try await Dialogue.ask("Password of \(username)")
        guard case .mfaRequired(let challenge) = try await login(username: username, password: password) else {
            Dialogue.show("the sign-in asked for no code, so this phone cannot be linked")
            throw ExitCode(1)
        }
        let code = try await Dialogue.ask("Code sent to \(challenge.destination ?? "you")")
        guard case .linked = try await register(mfa: challenge, answer: code).link else {
            Dialogue.show("the phone was not linked")
            throw ExitCode(1)
        }
        return try await setPIN()
    }

    /// Gives this phone a PIN, and waits until it may sign.
    /// - Returns: the PIN.
    func setPIN() async throws -> String {
        let digits = try await Dialogue.ask("PIN for this phone")
        try await pin.set(digits)
        Dialogue.show("this phone is linked and has a PIN")
        let coolingUntil = try await devices.list().filter(\.isCurrent).map(\.coolingUntil.secondsSince1970).max()
        // Whole seconds, which may have been rounded down.
        let rest = coolingUntil.map { Double($0 + 1) - Date().timeIntervalSince1970 } ?? 0
        if rest > 0 { try await Task.sleep(for: .seconds(rest)) }
        return digits
    }
}

import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// A sign-in by the PIN of this device, with whatever the server asks for after it.
struct PINSignIn {
    let wallet: Wallet
    let answers: Answers
    let terminal: Terminal

    /// Signs in.
    /// - Parameters:
    ///   - account: whose PIN: a user name or an account's id; nil for the account used last.
    /// - Throws: ``Failure``; `WalletError`.
    ///   - byDeviceToken: whether the long-lived session of this device signs in along with it.
    func run(account name: String?, byDeviceToken: Bool = false) async throws {
        let account = try await account(name)
        let pin = try answers.next(asking: "PIN: ", shown: .hidden)
        let outcome =
            byDeviceToken
            ? try await wallet.loginWithDeviceAuthenticationToken(pin: pin, account: account)
            : try await wallet.login(pin: pin, account: account)
        let further = answers.isPerson ? Answers.person : .standardInput
        try await NativeSignIn(wallet: wallet, answers: further, terminal: terminal).finish(outcome)
    }

    private func account(_ name: String?) async throws -> AccountID? {
        guard let name else { return nil }
        let accounts = try await wallet.accounts
        guard let found = accounts.first(where: { $0.username == name || $0.id.rawValue == name }) else {
            let known = accounts.map { $0.username ?? $0.id.rawValue }.joined(separator: ", ")
            throw Failure(
                code: "device_not_enrolled", message: "this device is not enrolled for \(name)",
                advice: known.isEmpty ? "enroll it: wallet device enroll NAME" : "it is for: \(known)")
        }
        return found.id
    }
}

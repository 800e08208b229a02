import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// Sign-in with the PIN of this device, and the server's further steps.
struct TerminalPINSignIn {
    let wallet: Wallet
    let answers: Answers
    let terminal: Terminal

    /// - Parameters:
    ///   - account: a user name or an account id; nil for the account used last.
    ///   - usesDeviceToken: whether the token of the device's long-lived session goes with the PIN.
    /// - Throws: ``Failure``; `WalletError`.
    func run(account name: String?, withDeviceToken usesDeviceToken: Bool) async throws {
        let account = try await account(name)
        try await wallet.requirePIN(of: account, for: answers)
        if usesDeviceToken { try await wallet.requireDeviceToken(of: account) }
        let pin = try answers.next(asking: "PIN: ", shown: .hidden)
        let outcome =
            usesDeviceToken
            ? try await wallet.loginWithDeviceAuthenticationToken(pin: pin, account: account)
            : try await wallet.login(pin: pin, account: account)
        let further = answers.isPerson ? answers : .standardInput
        try await TerminalSignIn(wallet: wallet, answers: further, terminal: terminal).finish(outcome)
    }

    private func account(_ name: String?) async throws -> AccountID? {
        guard let name else { return nil }
        let accounts = try await wallet.accounts
        guard let found = accounts.first(where: { $0.isNamed(name) }) else {
            let known = accounts.map { $0.username ?? $0.id.rawValue }.joined(separator: ", ")
            throw Failure(
                code: "device_not_enrolled", message: "this device is not enrolled for \(name)",
                advice: known.isEmpty ? "enroll it: wallet device enroll DEVICE-NAME" : "it is enrolled for: \(known)")
        }
        return found.id
    }
}

extension Wallet.EnrolledAccount {
    /// Whether a person who types this text means the account: its user name, as the server would read it, or its id.
    func isNamed(_ typed: String) -> Bool {
        if id.rawValue == typed { return true }
        guard let username, let name = try? Username(typed) else { return false }
        return (try? Username(username)) == name
    }
}

extension Wallet {
    /// Refuses before a person types a PIN that cannot work.
    ///
    /// The server knows best whether a PIN is locked. A script's PIN is therefore sent anyway, and the server's answer
    /// reported.
    /// - Parameters:
    ///   - account: the account; nil for the account used last.
    ///   - answers: the source of the PIN.
    /// - Throws: ``Failure``: `device_not_enrolled`, `pin_not_set`, `pin_locked`; `WalletError`.
    func requirePIN(of account: AccountID?, for answers: Answers) async throws {
        guard let refusal = try await pinRefusal(of: account, during: .loginByPIN) else { return }
        if refusal.code == .pinLocked, !answers.isPerson { return }
        throw refusal
    }

    /// Why this device's PIN can approve nothing for the account that is signed in; nil if it can.
    func refusalOfPIN() async throws -> Failure? {
        guard let account = try await ownEnrollment()?.id else {
            let error = WalletError(.deviceNotEnrolled, .refused, during: .perform, reason: Self.known)
            return Failure(error, at: Failure.Place())
        }
        return try await pinRefusal(of: account, during: .perform).map { Failure($0, at: Failure.Place()) }
    }

    private static let known = "according to this device's data"

    private func pinRefusal(
        of account: AccountID?, during operation: WalletError.Operation
    ) async throws -> WalletError? {
        let refusal: WalletError.Code
        var lockReason: PINLockReason?
        switch try await pin.state(of: account) {
        case .active: return nil
        case .locked: (refusal, lockReason) = (.pinLocked, try await pin.lockReason(of: account))
        case .none: refusal = try await accounts.isEmpty ? .deviceNotEnrolled : .pinNotSet
        }
        return WalletError(refusal, .refused, during: operation, pinLockReason: lockReason, reason: Self.known)
    }

    /// Refuses before a person types a PIN for a long-lived session that this device does not have. The device knows it
    /// for the account used last.
    /// - Throws: `WalletError` `no_device_token`.
    func requireDeviceToken(of account: AccountID?) async throws {
        if account != nil, try await accounts.count != 1 { return }
        switch try await deviceAuthenticationToken {
        // The server's clock decides about the expiry.
        case .active, .expired: return
        case .none, .declined:
            throw WalletError(
                .noDeviceToken, .refused, during: .loginWithDeviceToken,
                statusCode: ErrorCode.noDeviceToken.statusCode(), reason: "according to this device's data")
        }
    }
}

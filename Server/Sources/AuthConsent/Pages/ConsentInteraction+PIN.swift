internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Consent by account PIN. A guess costs the same as at sign-in, and one of the event's tries.
extension ConsentInteraction {
    /// - Parameter pin: `nil` for text that cannot be a PIN. It counts as wrong and is compared with nothing.
    func agree(byPIN pin: AccountPIN?) async throws -> Shown {
        guard ticket.verification == .hostedPIN else { return .over(.superseded) }
        // The slot comes first: a guess that cannot be compared costs no try.
        guard let place = context.passwords.place(for: .known(to: call.account.id, from: call.origin)) else {
            return .asking(.pin, .busy(retryAfter: PasswordHasher.retryAfter))
        }
        let account = call.account
        let guesses = AccountPINGuesses(context: context, origin: call.origin, now: call.now)
        let subject = try guesses.subject([account.id.uuid])
        return try await prove(.hostedPIN, as: .pin) {
            guard let pin else { return nil }
            let charge = try await context.database.write { connection in
                let isOn = try Brands.takesAccountPINs(account.brandID, on: connection)
                return try guesses.charge(isOn ? account.id : nil, under: subject, on: connection)
            }
            guard let proof = try await guesses.compare(pin, charged: charge, to: account, in: place) else {
                return nil
            }
            return AttemptVerification.Proved(methods: [AuthenticationStrength.pin]) { connection in
                // During the comparison the account may have been closed, or its password may have expired or changed.
                let present = try Accounts.find(account.id, on: connection)
                guard present?.state == .active, present?.securityVersion == account.securityVersion,
                    present?.passwordState == .current
                else { return false }
                // The PIN may have been replaced since the challenge.
                guard try AccountPINs.isSettled(of: account.id, now: call.now, on: connection) else { return false }
                return try proof.spend(on: connection)
            }
        }
    }
}

internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Whether people can come to use their roles, for which they sign in with two factors.
extension OperatorAdministration {
    /// What an account lacks for such a sign-in, the worst first.
    func shortcoming(of account: UniqueID, on connection: any SQLConnection) throws -> Hindrance.Code? {
        guard let record = try Accounts.find(account, on: connection) else { return .noPassword }
        if record.passwordState == .none,
            try !record.hasOtherWayIn(at: links.issuer, now: clock.now(), on: connection)
        {
            return .noPassword
        }
        return try hasNoSecondFactor(record, on: connection) ? .noSecondFactor : nil
    }

    func canUseRole(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try Accounts.find(account, on: connection)?.state == .active
            && shortcoming(of: account, on: connection) == nil
    }

    /// Whether a change takes the role from the last owner of all brands who can use it. The others keep no one in office.
    func losesLastOwner(
        _ account: UniqueID, from present: OperatorGrant?, to next: OperatorGrant?, on connection: any SQLConnection
    ) throws -> Bool {
        guard try canUseRole(account, on: connection) else { return false }
        let others = try Operators.otherOwners(than: account, on: connection)
        return OperatorGrant.losesLastOwner(
            from: present, to: next, hasOtherOwner: try others.contains { try canUseRole($0, on: connection) })
    }

    /// Whether nothing of an account completes a sign-in with two factors. An answer to a secret question does not, nor does a passkey
    /// for a former domain of the server.
    private func hasNoSecondFactor(_ record: AccountRecord, on connection: any SQLConnection) throws -> Bool {
        let own = try AccountFactors.find(record.id, on: connection)
        let hasPhone = record.phone != nil && !undeliverable.contains(.sms)
        let party = PasskeyRelyingParty(issuer: links.issuer)
        let hasMailbox = record.emailState == .verified && !undeliverable.contains(.email)
        return try !own.hasTOTP && own.recoveryCodes == 0 && !hasPhone && !hasMailbox
            && !Devices.holdsAny(of: record.id, on: connection)
            && !Passkeys.holding(of: record.id, at: party?.id ?? "", now: clock.now(), on: connection).hasAny
    }
}

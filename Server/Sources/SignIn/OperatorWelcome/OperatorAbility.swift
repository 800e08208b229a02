package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Whether people can come to use their roles, for which they sign in with two factors.
package struct OperatorAbility: Sendable {
    private let clock: any Clock
    private let issuer: Issuer
    /// Factors whose codes nothing delivers.
    private let undeliverable: Set<FactorKind>

    package init(_ context: ServerContext) {
        clock = context.clock
        issuer = context.settings.issuer
        undeliverable = context.settings.undeliverableFactors
    }

    /// What an account lacks for such a sign-in.
    package enum Shortcoming: String, Sendable {
        case noPassword = "no_password"
        case noSecondFactor = "no_second_factor"
    }

    /// The worst first.
    package func shortcoming(of account: UniqueID, on connection: any SQLConnection) throws -> Shortcoming? {
        guard let record = try Accounts.find(account, on: connection) else { return .noPassword }
        if record.passwordState == .none,
            try !record.hasOtherWayIn(at: issuer, now: clock.now(), on: connection)
        {
            return .noPassword
        }
        return try hasNoSecondFactor(record, on: connection) ? .noSecondFactor : nil
    }

    package func canUseRole(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try Accounts.find(account, on: connection)?.state == .active
            && shortcoming(of: account, on: connection) == nil
    }

    /// Whether a change takes the role from the last owner of all brands who can use it. The others keep no one in office.
    /// - Parameter next: the role after it; `nil` for none, as of an account that is closed or erased.
    package func losesLastOwner(
        _ account: UniqueID, to next: OperatorGrant?, on connection: any SQLConnection
    ) throws -> Bool {
        guard let present = try Operators.find(account, on: connection), try canUseRole(account, on: connection) else {
            return false
        }
        let others = try Operators.otherOwners(than: account, on: connection)
        return OperatorGrant.losesLastOwner(
            from: present, to: next, hasOtherOwner: try others.contains { try canUseRole($0, on: connection) })
    }

    /// Whether nothing of an account completes a sign-in with two factors. An answer to a secret question does not, nor does a passkey
    /// for a former domain of the server.
    private func hasNoSecondFactor(_ record: AccountRecord, on connection: any SQLConnection) throws -> Bool {
        let own = try AccountFactors.find(record.id, on: connection)
        let hasPhone = record.phone != nil && !undeliverable.contains(.sms)
        let party = PasskeyRelyingParty(issuer: issuer)
        let hasMailbox = record.emailState == .verified && !undeliverable.contains(.email)
        return try !own.hasTOTP && own.recoveryCodes == 0 && !hasPhone && !hasMailbox
            && !Devices.holdsAny(of: record.id, on: connection)
            && !Passkeys.holding(of: record.id, at: party?.id ?? "", now: clock.now(), on: connection).hasAny
    }
}

extension AccountRecord {
    /// Whether the holder can sign in without a password of this server: with an identity at a registered provider, a passkey of the
    /// current domain, or a password that the former system still knows.
    package func hasOtherWayIn(at issuer: Issuer, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        // No identity has an empty digest.
        if try FederatedIdentities.hasAnother(than: [], of: id, on: connection) { return true }
        let party = PasskeyRelyingParty(issuer: issuer)?.id ?? ""
        if try Passkeys.holding(of: id, at: party, now: now, on: connection).hasAny { return true }
        return try IdentityProviders.adopting(in: brandID, now: now, on: connection) != nil
    }
}

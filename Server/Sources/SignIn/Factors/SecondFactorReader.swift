internal import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Reads the factors that an account can be asked for in this server.
package final class SecondFactorReader: Sendable {
    /// Factors whose codes nothing delivers.
    let undeliverable: Set<FactorKind>
    /// The relying party of passkeys; `nil` if there are none.
    let party: PasskeyRelyingParty?
    /// How long a new passkey does not count.
    let coolingPeriod: Duration
    let emailAfterProvider: EmailAfterProvider

    init(
        undeliverable: Set<FactorKind>, party: PasskeyRelyingParty?, coolingPeriod: Duration,
        emailAfterProvider: EmailAfterProvider
    ) {
        self.undeliverable = undeliverable
        self.party = party
        self.coolingPeriod = coolingPeriod
        self.emailAfterProvider = emailAfterProvider
    }

    /// Reads everything that decides about the second factor of a sign-in, in one snapshot.
    ///
    /// A device is linked by a proof of its enrolled key, or by a DPoP key that completed a second factor in the same client
    /// before, unless that key belongs to a device removed since. A browser is linked by its cookie: a key named in a page's
    /// request proves nothing.
    func facts(
        of account: AccountRecord, device: DeviceRecord?, intent: SignInIntent, factors: SignInPolicy.Factors,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> SecondFactors {
        let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
        let isLinked =
            switch intent.entrance {
            case .native: try isLinked(account, device: device, intent: intent, on: connection)
            case .browser:
                intent.browser?.links(account.id.uuid, securityVersion: account.securityVersion, now: now) ?? false
            // A backend's request proves nothing about the guest's device.
            case .backend, .formerSystem: false
            }
        let own = try usable(
            by: account, after: FirstFactor(provedBy: factors.amr), brand: brand, on: connection)
        let party = party?.id ?? ""
        let passkeys = try Passkeys.holding(of: account.id, at: party, now: now, on: connection)
        let hasSettledPasskey = try Passkeys.hasAny(
            of: account.id, at: party, addedUntil: now - coolingPeriod, on: connection)
        return SecondFactors(
            newDevice: intent.entrance == .formerSystem ? .allow : brand?.newDevice ?? .secondFactor,
            isLinked: isLinked, usable: own.subtracting(undeliverable),
            unreachable: own.intersection(undeliverable),
            hasDevice: try Devices.hasAny(of: account.id, on: connection),
            holdsDevice: try Devices.holdsAny(of: account.id, on: connection), hasPasskey: passkeys.hasAny,
            hasSettledPasskey: hasSettledPasskey,
            // No authenticator gives one to an app that the operator did not name; such an app is sent to the page.
            takesPasskey: intent.entrance == .native && intent.client.asksForPasskeys && passkeys.hasSettled,
            isForPayment: intent.authorizationDetails?.payment != nil)
    }

    /// The ways to an account that a recovery by its mailbox does not take (``SignInPolicy``).
    func waysBesideMailbox(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> WaysBesideMailbox {
        WaysBesideMailbox(
            hasPasskey: try Passkeys.hasAny(
                of: account, at: party?.id ?? "", addedUntil: now - coolingPeriod, on: connection),
            hasDevice: try Devices.holdsAny(of: account, on: connection))
    }

    private func isLinked(
        _ account: AccountRecord, device: DeviceRecord?, intent: SignInIntent, on connection: any SQLConnection
    ) throws -> Bool {
        if intent.isDeviceProved, device?.accountID == account.id, device?.state == .active { return true }
        guard let thumbprint = intent.keyThumbprint,
            try Devices.find(dpopKey: thumbprint, of: account.id, on: connection)?.state != .removed
        else { return false }
        return try Sessions.links(
            thumbprint, by: intent.client.id.rawValue, to: account.id, at: AuthenticationStrength.twoFactors,
            on: connection)
    }

    /// The factors that the account has and its brand accepts. An unconfirmed address is none: a mistyped one would send the
    /// codes to a stranger.
    /// - Parameter first: the factor before it. After a provider's sign-in, a code by e-mail counts only as
    ///   ``EmailAfterProvider`` allows.
    package func usable(
        by account: AccountRecord, after first: FirstFactor, brand: BrandProfile?,
        on connection: any SQLConnection
    ) throws -> Set<FactorKind> {
        let own = try AccountFactors.find(account.id, on: connection)
        var usable: Set<FactorKind> = []
        if own.hasTOTP { usable.insert(.totp) }
        if account.emailState == .verified,
            try first == .own || emailAfterProvider.counts(for: account, on: connection)
        {
            usable.insert(.email)
        }
        if account.phone != nil { usable.insert(.sms) }
        if own.secretQuestions > 0, brand?.secretQuestions ?? false { usable.insert(.secretQuestion) }
        if own.recoveryCodes > 0 { usable.insert(.recoveryCode) }
        return usable
    }
}

/// The second factors that an account has set up.
package struct AccountFactors: Sendable, Hashable {
    package var hasTOTP: Bool
    /// The number of codes left.
    package var recoveryCodes: Int64
    /// The number of questions answered.
    package var secretQuestions: Int64

    package static func find(_ account: UniqueID, on connection: any SQLConnection) throws -> AccountFactors {
        let row = try connection.row(
            """
            SELECT (SELECT COUNT(*) FROM totp_secrets t WHERE t.account_id = $1 AND t.state = 'active') AS totp_secrets,
                (SELECT COUNT(*) FROM recovery_codes r WHERE r.account_id = $1) AS recovery_codes,
                (SELECT COUNT(*) FROM secret_questions q WHERE q.account_id = $1) AS secret_questions
            """, [.id(account)])
        return AccountFactors(
            hasTOTP: try row?.integer("totp_secrets") ?? 0 > 0,
            recoveryCodes: try row?.integer("recovery_codes") ?? 0,
            secretQuestions: try row?.integer("secret_questions") ?? 0)
    }

    /// Deletes all of them, for the erasure of an account.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        for statement in [
            "DELETE FROM open_factors WHERE account_id = $1", "DELETE FROM totp_secrets WHERE account_id = $1",
            "DELETE FROM totp_cooling_periods WHERE account_id = $1",
            "DELETE FROM recovery_codes WHERE account_id = $1", "DELETE FROM secret_questions WHERE account_id = $1",
        ] { try connection.execute(statement, [.id(account)]) }
    }
}

/// Who vouches for the first factor.
package enum FirstFactor: Sendable, Hashable {
    /// The account itself: password, PIN, key, or its backend's login nonce.
    case own
    /// Only another provider. A code by e-mail rarely adds a factor to it (``EmailAfterProvider``).
    case provider

    /// The first factor of a sign-in.
    /// - Parameter methods: the proved methods, as in `amr`.
    package init(provedBy methods: [String]) {
        let isByProvider = methods.contains(AuthenticationStrength.provider)
        let own: Set = [AuthenticationStrength.password, AuthenticationStrength.pin]
        self = isByProvider && own.isDisjoint(with: methods) ? .provider : .own
    }

    /// The first factor of an account. An account with a password can sign in with it, and is then asked for the code.
    package init(of account: AccountRecord, on connection: any SQLConnection) throws {
        let isByProvider =
            try account.password == nil && !FederatedIdentities.list(of: account.id, on: connection).isEmpty
        self = isByProvider ? .provider : .own
    }
}

extension [String] {
    /// Adds a method unless it is already present.
    package func adding(_ method: String) -> [String] { contains(method) ? self : self + [method] }
}

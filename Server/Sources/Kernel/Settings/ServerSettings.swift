package import Core
package import Outbound
package import WalletAuthWire

/// The settings that flows read, fixed at start. Settings that change while the server runs are in the database.
///
/// `ServerConfiguration.serverSettings` (`walletauth`) sets those that an operator can configure; only tests change the others.
///
/// This folder owns them and the system's clock and randomness. It does not read flags, variables or files (`walletauth`).
package struct ServerSettings: Sendable {
    /// Development aids of the sandbox cannot be switched on in production.
    package enum Environment: String, Sendable, Codable, CaseIterable {
        /// For trying things out: http on loopback, test accounts.
        case sandbox
        /// For real money.
        case production
    }

    package var environment: Environment
    /// The server's public base URL, exactly as configured: the `iss` of every token and the base of every endpoint. The `Host`
    /// header is never used.
    package var issuer: Issuer
    /// Cost of Argon2id, and limits for running and waiting hashes.
    package var passwordHashing: PasswordHashing
    /// Delays and locks after failed attempts.
    package var lockout: LockoutPolicy
    /// How many codes may be sent. The default is that of production, in any environment; only the program's sandbox has its own.
    package var codes: CodeLimits
    /// How many codes may be sent to guests.
    package var guestCodes: GuestCodeLimits
    /// Rules for enrolling and using devices.
    package var devices: DevicePolicy
    /// How long signing keys are published before and after they sign. When they rotate is no concern of a flow
    /// (`signingKeys.rotationInterval`).
    package var signingKeys: SigningKeySchedule
    /// How long a former system has to say whether a password is right.
    package var adoption: AdoptionTiming
    /// Limits of what one account can open.
    package var sessions: SessionPolicy
    /// How long a sign-in in a browser serves further silent ones. Default 12 hours.
    package var browserSessionLifetime: Duration
    /// Factors whose codes cannot be delivered, because no transport is configured for their channel. Default none.
    package var undeliverableFactors: Set<FactorKind>
    /// The push services that are not configured. Default none.
    package var undeliverablePushes: Set<PushService>
    /// Which wallet operations need consent, and how long data about them is kept.
    package var sca: SCASettings
    /// How long a client record may be cached. Changes by this process apply at once; the limit is for changes by another
    /// process. Default 5 seconds.
    package var clientCacheLifetime: Duration

    /// Whether operators administer the server over HTTP, at `/admin/v1`. Default no.
    package var adminAPI: Bool
    /// Whether some of their commands take two of them. Default no.
    package var twoOperators: Bool

    /// Whether operators administer the server on pages, at `/admin`. Default no.
    package var adminConsole: Bool

    /// Where both are reached, if not at the issuer: the issuer's path at another origin. Default `nil`.
    package var adminBase: Issuer?
    /// The path below which both are.
    package static let adminPath = "/admin"

    /// The base of the addresses of both.
    package var administration: Issuer { adminBase ?? issuer }

    /// Whether directories provision accounts over SCIM, at `/scim/v2`. Default no.
    package var scim: Bool

    package init(environment: Environment, issuer: Issuer, passwordHashing: PasswordHashing = PasswordHashing()) {
        self.environment = environment
        self.issuer = issuer
        self.passwordHashing = passwordHashing
        lockout = LockoutPolicy()
        codes = .production
        guestCodes = GuestCodeLimits()
        devices = DevicePolicy()
        signingKeys = SigningKeySchedule()
        adoption = AdoptionTiming()
        sessions = SessionPolicy()
        browserSessionLifetime = .hours(12)
        undeliverableFactors = []
        undeliverablePushes = []
        sca = SCASettings()
        clientCacheLifetime = .seconds(5)
        adminAPI = false
        adminConsole = false
        adminBase = nil
        twoOperators = false
        scim = false
    }
}

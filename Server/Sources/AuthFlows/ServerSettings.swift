package import AuthCore
package import WalletAuthWire

/// What the operator decides once, at start. Everything that changes while serving lives in the database.
package struct ServerSettings: Sendable {
    /// Where the program runs; what helps a developer in the sandbox cannot be switched on in production.
    package enum Environment: String, Sendable, Codable, CaseIterable {
        /// For trying things out: http on loopback, test accounts.
        case sandbox
        /// For people's money.
        case production
    }

    /// The environment.
    package var environment: Environment
    /// The server's public base URL, to the letter: it is the `iss` of everything and the base of every endpoint. The
    /// `Host` header is never asked.
    package var issuer: Issuer
    /// Argon2id's cost and how many hashes run and wait at once.
    package var passwordHashing: PasswordHashing
    /// How failures slow guessing down.
    package var lockout: LockoutPolicy
    /// What holds for enrolling and using devices.
    package var devices: DevicePolicy
    /// How signing keys come and go.
    package var signingKeys: SigningKeySchedule
    /// How long a sign-in in one browser serves for further, silent ones. Default 12 hours.
    package var browserSessionLifetime: Duration
    /// The factors whose codes nothing delivers, since no transport is configured for their channel. Default none.
    package var undeliverableFactors: Set<FactorKind>
    /// Which wallet operations need consent, and for how long what is known of them is kept.
    package var sca: SCASettings
    /// How long a cached client record may serve. Changes made through this process count at once; the limit is for
    /// changes that another process made. Default 5 seconds.
    package var clientCacheLifetime: Duration

    /// - Parameters:
    ///   - environment: sandbox or production.
    ///   - issuer: the server's public base URL.
    ///   - passwordHashing: Argon2id's cost and bounds.
    package init(environment: Environment, issuer: Issuer, passwordHashing: PasswordHashing = PasswordHashing()) {
        self.environment = environment
        self.issuer = issuer
        self.passwordHashing = passwordHashing
        lockout = LockoutPolicy()
        devices = DevicePolicy()
        signingKeys = SigningKeySchedule()
        browserSessionLifetime = .hours(12)
        undeliverableFactors = []
        sca = SCASettings()
        clientCacheLifetime = .seconds(5)
    }
}

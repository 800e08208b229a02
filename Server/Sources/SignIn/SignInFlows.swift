internal import Core
package import Kernel
internal import Store
internal import WalletAuthWire

/// The flows of this target, built once.
package struct SignInFlows: Sendable {
    /// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
    package let authorization: Authorization
    package let native: NativeSignIn
    package let loginNonces: LoginNonceIssuer
    package let devices: EnrolledDevices
    /// The password, second factors and other sign-in methods of an account.
    package let security: AccountSecurity
    package let accountPages: AccountPages
    package let pins: DevicePINs
    /// Biometric keys: the device signs with one only after its holder has been verified.
    package let biometrics: DeviceBiometrics
    /// Long-lived sessions.
    package let deviceTokens: DeviceAuthenticationTokens
    package let federation: Federation

    // Parts of these flows that those above are built with.
    package let gate: SignInGate
    package let codes: AuthorizationCodes
    package let secondFactors: SecondFactorRules
    package let passwords: PasswordVerification
    package let accountPINs: AccountPINGuesses
    package let passkeys: PasskeyAuthentication
    package let assertions: DeviceAssertions
    package let lockout: PINLockout
    package let evaluation: PINEvaluation
    package let removal: DeviceRemoval
    package let pageSeal: PageSeal

    package init(context: ServerContext) {
        let (database, clock, random) = (context.database, context.clock, context.random)
        let (keyRing, sealing, auditLog) = (context.keyRing, context.sealing, context.auditLog)
        let (settings, clients, hasher) = (context.settings, context.clients, context.passwords)
        let (issuer, coolingPeriod, vault) = (settings.issuer, settings.devices.coolingPeriod, AccountVault(sealing))

        secondFactors = SecondFactorRules(
            undeliverable: settings.undeliverableFactors, party: context.passkeyParty, coolingPeriod: coolingPeriod,
            emailAfterProvider: EmailAfterProvider(sealing: sealing, vendors: context.vendors))
        let stepUp = StepUp(
            database: database, keyRing: keyRing, rules: secondFactors,
            freshness: settings.devices.enrollmentFreshness)
        passwords = PasswordVerification(
            database: database, keyRing: keyRing, vault: vault, passwords: hasher, lockout: settings.lockout,
            addresses: AddressAttempts(database: database, keyRing: keyRing, lockout: settings.lockout),
            failures: PasswordFailures(database: database, clock: clock, sealing: sealing, auditLog: auditLog),
            compromised: CompromisedPasswords(
                database: database, clock: clock, vault: vault, auditLog: auditLog, breaches: context.breaches))
        let newPasswords = NewPasswords(vault: vault, passwords: hasher, compromised: passwords.compromised)
        accountPINs = AccountPINGuesses(database: database, keyRing: keyRing, passwords: hasher, auditLog: auditLog)
        passkeys = PasskeyAuthentication(
            database: database, party: context.passkeyParty, challenges: PasskeyChallenges(sealing), auditLog: auditLog,
            logger: context.logger)
        let challenges = DeviceChallenges(sealing: sealing)
        lockout = PINLockout(database: database, sealing: sealing, auditLog: auditLog)
        evaluation = PINEvaluation(database: database, sealing: sealing, lockout: lockout)
        assertions = DeviceAssertions(
            database: database, issuer: issuer, environment: settings.environment, sealing: sealing, auditLog: auditLog,
            lockout: lockout, logger: context.logger)
        federation = Federation(
            context: context, secondFactors: secondFactors, stepUp: stepUp, addresses: passwords.addresses,
            challenges: challenges)
        let checks = CredentialChecks(
            database: database, clients: clients, addresses: passwords.addresses,
            devices: DeviceRecognition(
                database: database, issuer: issuer, keyRing: keyRing, logger: context.logger), passwords: passwords,
            accountPINs: AccountPINVerification(
                database: database, passwords: hasher, addresses: passwords.addresses, verification: passwords,
                guesses: accountPINs),
            passkeys: passkeys,
            recoveries: PasswordRecovery(
                database: database, keyRing: keyRing, random: random, vault: vault, auditLog: auditLog,
                lockout: settings.lockout),
            assertions: assertions, federation: federation.signIn)

        gate = SignInGate(
            database: database, random: random, auditLog: auditLog, secondFactors: secondFactors,
            consents: ClientConsentMemory(database: database, random: random, auditLog: auditLog),
            logger: context.logger)
        let emailCodes = EmailCodes(database: database, keyRing: keyRing, vault: vault, auditLog: auditLog)
        let instanceCodes = InstanceCodes(database: database, sealing: sealing, auditLog: auditLog, mail: emailCodes)
        let factorCodes = FactorCodes(keyRing: keyRing, random: random)
        let abandoned = AbandonedRecovery(
            database: database, keyRing: keyRing, vault: vault, auditLog: auditLog,
            sendsSMS: !settings.undeliverableFactors.contains(.sms))
        let engine = SignInEngine(
            checks: checks, gate: gate,
            actions: RequiredActions(
                database: database, clock: clock, auditLog: auditLog, passwords: hasher, newPasswords: newPasswords,
                emailAfterProvider: secondFactors.emailAfterProvider, coolingPeriod: coolingPeriod),
            emailCodes: emailCodes,
            instanceCodes: instanceCodes,
            answers: FactorAnswers(
                database: database, keyRing: keyRing, passwords: hasher, auditLog: auditLog, codes: factorCodes,
                abandoned: abandoned),
            prompting: FactorPrompting(
                database: database, keyRing: keyRing, random: random, auditLog: auditLog, codes: factorCodes,
                secondFactors: secondFactors),
            abandoned: abandoned)

        codes = AuthorizationCodes(database: database, sealing: sealing, random: random)
        native = NativeSignIn(
            clock: clock, random: random, sealing: sealing,
            callers: NativeCallCheck(proofs: context.proofs, clients: clients), engine: engine, codes: codes,
            attributes: AdditionalAttributes(database: database),
            guests: federation.accounts)
        loginNonces = LoginNonceIssuer(database: database, clients: clients, random: random, auditLog: auditLog)

        security = AccountSecurity(
            stepUp: stepUp, vault: vault,
            authenticatorApps: AuthenticatorApps(
                database: database, random: random, vault: AuthenticatorVault(sealing), auditLog: auditLog,
                stepUp: stepUp, coolingPeriod: coolingPeriod),
            recoveryCodes: RecoveryCodeManagement(
                database: database, random: random, auditLog: auditLog, stepUp: stepUp),
            secretQuestions: SecretQuestionManagement(
                database: database, vault: SecretQuestionVault(sealing), passwords: hasher, auditLog: auditLog,
                stepUp: stepUp),
            password: PasswordManagement(
                database: database, clock: clock, auditLog: auditLog, stepUp: stepUp, verification: passwords,
                newPasswords: newPasswords),
            passkeys: PasskeyManagement(
                database: database, random: random, vault: PasskeyVault(sealing), auditLog: auditLog, stepUp: stepUp,
                authentication: passkeys, removal: PasskeyRemoval(clock: clock, party: passkeys.party),
                coolingPeriod: coolingPeriod))

        pageSeal = PageSeal(sealing: sealing, keyRing: keyRing, random: random)
        let pages = SignInPages(
            database: database, vault: vault, seal: pageSeal,
            sessions: BrowserSessionCookies(
                database: database, clock: clock, random: random, lifetime: settings.browserSessionLifetime,
                silentSignIns: Int64(settings.sessions.silentSignIns)),
            check: AuthorizationCheck(clients: clients, database: database, issuer: issuer, keyRing: keyRing),
            engine: engine, codes: codes,
            providers: PageProviders(
                database: database, vault: context.providerVault, vendors: context.vendors,
                access: context.providerAccess, issuer: issuer, random: random,
                authorizations: ProviderAuthorizations(sealing: sealing), guests: federation.accounts))
        removal = DeviceRemoval(
            database: database, sealing: sealing, auditLog: auditLog, dependents: context.dependents,
            changes: context.changes, clock: clock)
        devices = EnrolledDevices(
            database: database, sealing: sealing, auditLog: auditLog, challenges: challenges,
            enrollment: DeviceEnrollment(
                database: database, issuer: issuer, rules: settings.devices, sealing: sealing, auditLog: auditLog,
                challenges: challenges, stepUp: stepUp, logger: context.logger),
            removal: removal, codes: instanceCodes, stepUp: stepUp)
        accountPages = AccountPages(
            clock: clock, random: random, issuer: issuer, pages: pages, security: security, devices: devices,
            accountSessions: AccountSessions(database: database, clock: clock, auditLog: auditLog, stepUp: stepUp),
            pins: AccountPINManagement(
                database: database, clock: clock, random: random, passwords: hasher, auditLog: auditLog,
                stepUp: stepUp, guesses: accountPINs, coolingPeriod: coolingPeriod),
            consents: ClientConsentManagement(
                database: database, clock: clock, clients: clients, auditLog: auditLog, stepUp: stepUp),
            instanceCodes: instanceCodes)
        authorization = Authorization(
            clock: clock, pages: pages, accountPages: accountPages,
            details: AuthenticationDetails(clock: clock, database: database, clients: clients, issuer: issuer))

        pins = DevicePINs(
            database: database, sealing: sealing, auditLog: auditLog, assertions: assertions, stepUp: stepUp)
        biometrics = DeviceBiometrics(
            database: database, environment: settings.environment, sealing: sealing, auditLog: auditLog,
            assertions: assertions, stepUp: stepUp)
        deviceTokens = DeviceAuthenticationTokens(
            database: database, issuer: issuer, sealing: sealing, auditLog: auditLog, challenges: challenges,
            passwords: passwords, logger: context.logger)
    }
}

/// What the methods verify credentials with.
struct CredentialChecks: Sendable {
    let database: any Database
    let clients: ClientDirectory
    let addresses: AddressAttempts
    let devices: DeviceRecognition
    let passwords: PasswordVerification
    let accountPINs: AccountPINVerification
    let passkeys: PasskeyAuthentication
    let recoveries: PasswordRecovery
    let assertions: DeviceAssertions
    let federation: FederatedSignIn
}

internal import Core
package import Kernel
internal import Store
internal import WalletAuthWire

/// The flows of this target, built once.
package struct SignInFlows: Sendable {
    /// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
    package let authorization: Authorization
    package let pushing: RequestPushing
    package let native: NativeSignIn
    package let loginNonces: LoginNonceIssuer
    package let devices: EnrolledDevices
    /// The password, second factors and other sign-in methods of an account.
    package let security: AccountSecurity
    /// The address, the number, the activity and the closing of an account.
    package let ownAccount: OwnAccount
    package let accountPages: AccountPages
    let logout: Logout
    /// The page on which a person decides on a device without a browser.
    package let devicePages: DevicePages
    package let pins: DevicePINs
    /// Biometric keys: the device signs with one only after its holder has been verified.
    package let biometrics: DeviceBiometrics
    /// Long-lived sessions.
    package let deviceTokens: DeviceAuthenticationTokens
    package let federation: Federation

    // Parts of these flows that those above are built with.
    package let gate: SignInGate
    package let codes: AuthorizationCodes
    package let secondFactors: SecondFactorReader
    package let passwords: PasswordVerification
    package let accountPINs: AccountPINGuesses
    package let passkeys: PasskeyAuthentication
    package let assertions: DeviceAssertions
    package let lockout: PINLockout
    package let evaluation: PINEvaluation
    package let removal: DeviceRemoval
    package let pageSeal: PageSeal
    package let approvalPushes: ApprovalPushes

    package init(context: ServerContext) {
        let (database, clock, random) = (context.database, context.clock, context.random)
        let (sealing, auditLog, issuer) = (context.sealing, context.auditLog, context.settings.issuer)

        secondFactors = SecondFactorReader(context)
        let stepUp = StepUp(
            database: database, keyRing: context.keyRing, secondFactors: secondFactors,
            freshness: context.settings.devices.enrollmentFreshness)

        // The checks of credentials.
        passwords = PasswordVerification(context)
        accountPINs = AccountPINGuesses(
            database: database, keyRing: context.keyRing, passwords: context.passwords, auditLog: auditLog)
        passkeys = PasskeyAuthentication(
            database: database, party: context.passkeyParty, challenges: PasskeyChallenges(sealing), auditLog: auditLog,
            logger: context.logger)
        lockout = PINLockout(database: database, sealing: sealing, auditLog: auditLog)
        evaluation = PINEvaluation(database: database, sealing: sealing, lockout: lockout)
        assertions = DeviceAssertions(
            database: database, issuer: issuer, biometricKeys: context.settings.biometricKeyRule, sealing: sealing,
            auditLog: auditLog, lockout: lockout, logger: context.logger)
        approvalPushes = ApprovalPushes(
            auditLog: auditLog, sealing: sealing, undeliverable: context.settings.undeliverablePushes)
        let challenges = DeviceChallenges(sealing: sealing)
        federation = Federation(
            context: context, secondFactors: secondFactors, stepUp: stepUp, addresses: passwords.addresses,
            challenges: challenges)

        // Both ways in.
        gate = SignInGate(
            database: database, random: random, auditLog: auditLog, secondFactors: secondFactors,
            consents: ClientConsentMemory(database: database, random: random, auditLog: auditLog),
            logger: context.logger)
        codes = AuthorizationCodes(database: database, sealing: sealing, random: random)
        let newPasswords = NewPasswords(
            vault: passwords.vault, passwords: context.passwords, compromised: passwords.compromised)
        let emailCodes = EmailCodes(
            database: database, keyRing: context.keyRing, vault: passwords.vault, auditLog: auditLog,
            limits: context.settings.codes)
        let instanceCodes = InstanceCodes(database: database, sealing: sealing, auditLog: auditLog, mail: emailCodes)
        let engine = SignInEngine(
            context, gate, secondFactors, newPasswords, emailCodes, instanceCodes,
            checks: CredentialChecks(
                context, passwords, accountPINs, passkeys, assertions: assertions, federation: federation.signIn))
        let registrations = Registrations(
            database: database, sealing: sealing, auditLog: auditLog, lockout: context.settings.lockout,
            limits: context.settings.codes, undeliverable: context.settings.undeliverableFactors,
            addresses: passwords.addresses, passwords: context.passwords, compromised: passwords.compromised,
            passkeys: passkeys)
        native = NativeSignIn(
            clock: clock, random: random, sealing: sealing,
            callers: NativeCallCheck(proofs: context.proofs, clients: context.clients), engine: engine, codes: codes,
            attributes: AdditionalAttributes(database: database), guests: federation.accounts,
            registrations: registrations)
        loginNonces = LoginNonceIssuer(
            database: database, clients: context.clients, random: random, auditLog: auditLog)
        pageSeal = PageSeal(sealing: sealing, keyRing: context.keyRing, random: random)
        let pages = SignInPages(
            context, engine, codes, seal: pageSeal, guests: federation.accounts, scans: ScanSignInCodes(context),
            registrations: registrations)

        // What holders change.
        security = AccountSecurity(context, stepUp, passwords, newPasswords, passkeys)
        ownAccount = OwnAccount(context, stepUp)
        removal = DeviceRemoval(
            database: database, sealing: sealing, auditLog: auditLog, dependents: context.dependents,
            changes: context.changes, clock: clock)
        let attestations = AppAttestations(
            context.settings.devices.attestation, in: context.settings.environment)
        let refusals = AttestationRefusals(auditLog: auditLog, keyRing: context.keyRing)
        devices = EnrolledDevices(
            database: database, sealing: sealing, auditLog: auditLog, challenges: challenges,
            enrollment: DeviceEnrollment(
                database: database, issuer: issuer, rules: context.settings.devices, sealing: sealing,
                auditLog: auditLog, challenges: challenges, stepUp: stepUp, attestations: attestations,
                refusals: refusals, logger: context.logger),
            removal: removal, codes: instanceCodes, stepUp: stepUp)
        pins = DevicePINs(
            database: database, sealing: sealing, auditLog: auditLog, assertions: assertions, stepUp: stepUp)
        biometrics = DeviceBiometrics(
            database: database, rule: context.settings.biometricKeyRule, sealing: sealing, auditLog: auditLog,
            assertions: assertions, stepUp: stepUp, attestations: attestations, refusals: refusals)
        deviceTokens = DeviceAuthenticationTokens(
            database: database, issuer: issuer, sealing: sealing, auditLog: auditLog, challenges: challenges,
            passwords: passwords, stepUp: stepUp, logger: context.logger)
        accountPages = AccountPages(
            context, pages, security, devices, stepUp: stepUp, guesses: accountPINs, instanceCodes: instanceCodes,
            own: ownAccount, identities: federation.identities, newPasswords: newPasswords)
        pushing = RequestPushing(
            clock: clock, clients: context.clientAuthenticator, proofs: context.proofs, keyRing: context.keyRing,
            check: pages.check, pushed: pages.check.pushed)
        logout = Logout(
            database: database, clock: clock, clients: context.clients, sessions: pages.sessions,
            hints: pages.check.hints, seal: pageSeal,
            states: SealedState(sealing, purpose: .page, label: "logout", lifetime: PageState.lifetime),
            auditLog: auditLog)
        authorization = Authorization(
            clock: clock, pages: pages, accountPages: accountPages,
            details: AuthenticationDetails(
                clock: clock, database: database, clients: context.clients, issuer: issuer))
        devicePages = DevicePages(authorization: authorization)
    }
}

extension SecondFactorReader {
    fileprivate convenience init(_ context: ServerContext) {
        let settings = context.settings
        self.init(
            undeliverable: settings.undeliverableFactors, party: context.passkeyParty,
            coolingPeriod: settings.devices.coolingPeriod,
            emailAfterProvider: EmailAfterProvider(sealing: context.sealing, vendors: context.vendors))
    }
}

extension PasswordVerification {
    fileprivate init(_ context: ServerContext) {
        let (database, clock, auditLog) = (context.database, context.clock, context.auditLog)
        let (vault, lockout) = (AccountVault(context.sealing), context.settings.lockout)
        let repository = UserRepositoryClient(
            access: context.providerAccess, issuer: context.settings.issuer, keyRing: context.keyRing,
            random: context.random)
        let timing = context.settings.adoption
        self.init(
            database: database, keyRing: context.keyRing, vault: vault, passwords: context.passwords, lockout: lockout,
            addresses: AddressAttempts(database: database, keyRing: context.keyRing, lockout: lockout),
            failures: PasswordFailures(
                database: database, clock: clock, sealing: context.sealing, auditLog: auditLog),
            compromised: CompromisedPasswords(
                database: database, clock: clock, vault: vault, auditLog: auditLog, breaches: context.breaches),
            adoption: PasswordAdoption(
                database: database, vault: vault, passwords: context.passwords, systems: context.formerSystems,
                check: FormerSystemCheck(repository: repository, timing: timing), repository: repository,
                auditLog: auditLog, timing: timing, places: AdoptionPlaces(most: timing.places)))
    }
}

extension SignInEngine {
    fileprivate convenience init(
        _ context: ServerContext, _ gate: SignInGate, _ secondFactors: SecondFactorReader, _ newPasswords: NewPasswords,
        _ emailCodes: EmailCodes, _ instanceCodes: InstanceCodes, checks: CredentialChecks
    ) {
        let (database, keyRing, auditLog) = (context.database, context.keyRing, context.auditLog)
        let (settings, random) = (context.settings, context.random)
        let factorCodes = FactorCodes(keyRing: keyRing, random: random)
        let abandoned = AbandonedRecovery(
            secondFactors: secondFactors,
            database: database, keyRing: keyRing, vault: newPasswords.vault, auditLog: auditLog,
            sendsSMS: !settings.undeliverableFactors.contains(.sms))
        self.init(
            checks: checks, gate: gate,
            actions: RequiredActions(
                database: database, clock: context.clock, auditLog: auditLog, passwords: context.passwords,
                newPasswords: newPasswords, emailAfterProvider: secondFactors.emailAfterProvider,
                coolingPeriod: settings.devices.coolingPeriod),
            emailCodes: emailCodes, instanceCodes: instanceCodes,
            answers: FactorAnswers(
                database: database, keyRing: keyRing, passwords: context.passwords, auditLog: auditLog,
                codes: factorCodes, abandoned: abandoned),
            prompting: FactorPrompting(
                database: database, keyRing: keyRing, random: random, auditLog: auditLog, codes: factorCodes,
                limits: settings.codes, secondFactors: secondFactors),
            abandoned: abandoned)
    }
}

extension ScanSignInCodes {
    fileprivate init(_ context: ServerContext) {
        self.init(
            database: context.database, vault: ScanSignInVault(context.sealing), keyRing: context.keyRing,
            random: context.random, issuer: context.settings.issuer)
    }
}

extension SignInPages {
    fileprivate convenience init(
        _ context: ServerContext, _ engine: SignInEngine, _ codes: AuthorizationCodes, seal: PageSeal,
        guests: GuestAccounts, scans: ScanSignInCodes, registrations: Registrations
    ) {
        let (database, random, settings) = (context.database, context.random, context.settings)
        let vault = AccountVault(context.sealing)
        self.init(
            database: database, vault: vault, seal: seal,
            sessions: BrowserSessionCookies(
                database: database, clock: context.clock, random: random, lifetime: settings.browserSessionLifetime,
                vault: SessionVault(context.sealing), silentSignIns: Int64(settings.sessions.silentSignIns)),
            check: AuthorizationCheck(
                clients: context.clientDocuments, database: database, issuer: settings.issuer, keyRing: context.keyRing,
                hints: IDTokenHints(issuer: settings.issuer, keyRing: context.keyRing),
                pushed: PushedRequests(database: database, random: random, sealing: context.sealing),
                logger: context.logger),
            engine: engine, codes: codes,
            providers: PageProviders(
                database: database, vault: context.providerVault, vendors: context.vendors,
                access: context.providerAccess, issuer: settings.issuer, random: random,
                authorizations: ProviderAuthorizations(sealing: context.sealing), guests: guests),
            scans: scans, registrations: registrations, deviceGrants: DeviceGrantLedger(context))
    }
}

extension AccountSecurity {
    fileprivate init(
        _ context: ServerContext, _ stepUp: StepUp, _ verification: PasswordVerification, _ newPasswords: NewPasswords,
        _ passkeys: PasskeyAuthentication
    ) {
        let (database, clock, random) = (context.database, context.clock, context.random)
        let (sealing, auditLog) = (context.sealing, context.auditLog)
        let coolingPeriod = context.settings.devices.coolingPeriod
        self.init(
            stepUp: stepUp, vault: verification.vault,
            authenticatorApps: AuthenticatorApps(
                database: database, random: random, vault: AuthenticatorVault(sealing), auditLog: auditLog,
                stepUp: stepUp, coolingPeriod: coolingPeriod),
            recoveryCodes: RecoveryCodeManagement(
                database: database, random: random, auditLog: auditLog, stepUp: stepUp),
            secretQuestions: SecretQuestionManagement(
                database: database, vault: SecretQuestionVault(sealing), passwords: context.passwords,
                auditLog: auditLog, stepUp: stepUp),
            password: PasswordManagement(
                database: database, clock: clock, auditLog: auditLog, stepUp: stepUp, verification: verification,
                newPasswords: newPasswords),
            passkeys: PasskeyManagement(
                database: database, random: random, vault: PasskeyVault(sealing), auditLog: auditLog, stepUp: stepUp,
                authentication: passkeys, removal: PasskeyRemoval(clock: clock, party: passkeys.party),
                coolingPeriod: coolingPeriod))
    }
}

extension AccountPages {
    fileprivate convenience init(
        _ context: ServerContext, _ pages: SignInPages, _ security: AccountSecurity, _ devices: EnrolledDevices,
        stepUp: StepUp, guesses: AccountPINGuesses, instanceCodes: InstanceCodes, own: OwnAccount,
        identities: AccountIdentities, newPasswords: NewPasswords
    ) {
        let (database, clock, random) = (context.database, context.clock, context.random)
        let (auditLog, settings) = (context.auditLog, context.settings)
        self.init(
            clock: clock, random: random, issuer: settings.issuer, pages: pages, security: security, devices: devices,
            accountSessions: AccountSessions(database: database, clock: clock, auditLog: auditLog, stepUp: stepUp),
            pins: AccountPINManagement(
                database: database, clock: clock, random: random, passwords: context.passwords, auditLog: auditLog,
                stepUp: stepUp, guesses: guesses, coolingPeriod: settings.devices.coolingPeriod),
            consents: ClientConsentManagement(
                database: database, clock: clock, clients: context.clients, auditLog: auditLog, stepUp: stepUp),
            instanceCodes: instanceCodes, own: own, identities: identities,
            welcome: OperatorWelcome(
                database: database, clock: clock, auditLog: auditLog, newPasswords: newPasswords),
            console: settings.adminConsole ? settings.administration : nil)
    }
}

extension CredentialChecks {
    fileprivate init(
        _ context: ServerContext, _ passwords: PasswordVerification, _ accountPINs: AccountPINGuesses,
        _ passkeys: PasskeyAuthentication, assertions: DeviceAssertions, federation: FederatedSignIn
    ) {
        let (database, keyRing, auditLog) = (context.database, context.keyRing, context.auditLog)
        self.init(
            database: database, clients: context.clients, addresses: passwords.addresses,
            devices: DeviceRecognition(
                database: database, issuer: context.settings.issuer, keyRing: keyRing, logger: context.logger),
            passwords: passwords,
            accountPINs: AccountPINVerification(
                database: database, passwords: context.passwords, addresses: passwords.addresses,
                verification: passwords, guesses: accountPINs),
            passkeys: passkeys,
            recoveries: PasswordRecovery(
                database: database, keyRing: keyRing, random: context.random, vault: passwords.vault,
                auditLog: auditLog, lockout: context.settings.lockout, limits: context.settings.codes,
                party: passkeys.party),
            assertions: assertions, federation: federation)
    }
}

internal import Kernel
internal import Store

/// What the interactions of the hosted pages share, built once.
final class SignInPages: Sendable {
    let database: any Database
    let vault: AccountVault
    let seal: PageSeal
    let sessions: BrowserSessionCookies
    let check: AuthorizationCheck
    let engine: SignInEngine
    let codes: AuthorizationCodes
    let providers: PageProviders
    let scans: ScanSignInCodes
    let registrations: Registrations
    let deviceGrants: DeviceGrantLedger

    init(
        database: any Database, vault: AccountVault, seal: PageSeal, sessions: BrowserSessionCookies,
        check: AuthorizationCheck, engine: SignInEngine, codes: AuthorizationCodes, providers: PageProviders,
        scans: ScanSignInCodes, registrations: Registrations, deviceGrants: DeviceGrantLedger
    ) {
        self.database = database
        self.vault = vault
        self.seal = seal
        self.sessions = sessions
        self.check = check
        self.engine = engine
        self.codes = codes
        self.providers = providers
        self.scans = scans
        self.registrations = registrations
        self.deviceGrants = deviceGrants
    }
}

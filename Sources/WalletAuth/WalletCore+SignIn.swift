import Foundation
import WalletAuthWire

extension WalletCore {
    func received(_ url: URL) async throws {
        // The person may be back from the page of a consent. The call that opened the page waits for this.
        if consentPages.returns.receive(url) { return }
        defer { revoker.sendInBackground() }
        try await during(.signIn) {
            if case .external = configuration.signIn {
                guard let token = Self.token(in: url) else {
                    throw WalletError(
                        .malformedCallback, .refused, during: .signIn, reason: "the URL contains no access token")
                }
                return try await external.updateByURL(token)
            }
            try await browser.finish(url, during: .signIn)
        }
    }

    private static func token(in url: URL) -> String? {
        [url.fragment(percentEncoded: true), url.query(percentEncoded: true)].lazy
            .compactMap { $0.flatMap { try? FormParameters(parsing: $0) }?["access_token"] }.first
    }

    func callback(_ url: URL) async throws -> Wallet.VerifiedCode {
        try await during(.signIn) {
            switch try await receiver.receive(url, during: .signIn) {
            case .code(let code, let login):
                guard let redirectURI = URL(string: login.redirectURI.rawValue) else {
                    throw MalformedValue(field: "redirect_uri", reason: "is not a URL")
                }
                return Wallet.VerifiedCode(
                    code: code, verifier: login.verifier, redirectURI: redirectURI, state: login.state.rawValue,
                    nonce: login.nonce, scopes: login.scopes)
            case .repeated:
                throw WalletError(
                    .codeAlreadyUsed, .refused, during: .signIn, reason: "this response has already been used")
            }
        }
    }

    func authenticate(code: Wallet.VerifiedCode) async throws {
        try await during(.authenticate) {
            guard let verifier = code.verifier else {
                throw WalletError(
                    .wrongSignInMode, .misconfigured, during: .authenticate,
                    reason: "the app kept the verifier: its backend redeems the code")
            }
            try await redemption.redeem(
                CodeRedemption.Request(
                    code: code.code, verifier: verifier, redirectURI: try RedirectURI(code.redirectURI.absoluteString),
                    nonce: code.nonce, scopes: code.scopes, key: try await keyForSignIn(), login: nil),
                during: .authenticate)
        }
    }

    func authenticate(accessToken: String, expiresAt: Date?) async throws {
        try await during(.authenticate) {
            try await external.begin(accessToken, expiresAt: expiresAt)
        }
        revoker.sendInBackground()
    }

    func updateToken(_ token: String, expiresAt: Date?) async throws {
        try await during(.authenticate) {
            try await external.update(token, expiresAt: expiresAt)
        }
    }

    func login(
        username: String, password: String, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        try await during(.loginByUsernamePassword) {
            try await nativeLogin.begin(
                username: username, password: password, strength: strength.forNativeLogin, extras: extras)
        }
    }

    func login(
        username: String, accountPIN: String, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        try await during(.loginByAccountPIN) {
            try await nativeLogin.begin(
                username: username, accountPIN: accountPIN, strength: strength.forNativeLogin, extras: extras)
        }
    }

    func login(nonce: String, purpose: String, extras: LoginExtras) async throws -> LoginOutcome {
        try await during(.loginByNonce) {
            try await nativeLogin.begin(nonce: nonce, purpose: purpose, extras: extras)
        }
    }

    func federatedNonce() async throws -> FederatedNonce {
        try await during(.loginByFederatedIdentity) { try await nativeLogin.federatedNonce() }
    }

    func login(
        _ identity: FederatedIdentity, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        try await during(.loginByFederatedIdentity) {
            try await nativeLogin.begin(identity, strength: strength.forNativeLogin, extras: extras)
        }
    }

    func login(
        _ credential: AppleCredential, provider: String, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        appleCredentials.begin()
        return try await during(.loginByApple) {
            try await nativeLogin.begin(
                credential, provider: provider, strength: strength.forNativeLogin, extras: extras)
        }
    }

    func createAccount(_ account: NewAccount, for guest: LoginContinuation) async throws -> LoginOutcome {
        try await during(guest.attempt.operation) {
            try await nativeLogin.createAccount(account, for: guest)
        }
    }

    func recover(username: String) async throws -> RecoveryChallenge {
        try await during(.recover) { try await nativeLogin.recover(username: username) }
    }

    func checkRegistration(provider: String?) async throws {
        try await during(.checkRegistration) { try await nativeLogin.checkRegistration(provider: provider) }
    }

    func signInKeyThumbprint() async throws -> String? {
        try await during(.loginByNonce) { try await keyForSignIn()?.thumbprint.rawValue }
    }

    func authenticationDetails(
        brandIdentity: String, request: Wallet.AuthenticationDetailsRequest
    ) async throws -> Wallet.AuthenticationDetails {
        try await during(.authenticationDetails) {
            let brand: BrandID
            let wire: AuthenticationDetailsRequest
            do {
                brand = try BrandID(brandIdentity)
                wire = try request.wire
            } catch {
                throw WalletError(
                    .invalidConfiguration, .misconfigured, during: .authenticationDetails,
                    reason: "the request is malformed: \(error)")
            }
            let page = try await detailsCall.page(of: brand, request: wire, verifier: request.codeVerifier)
            return Wallet.AuthenticationDetails(authenticationURL: page.url, expiresIn: page.expiresIn)
        }
    }
}

import Foundation
import WalletAuthWire

extension WalletCore {
    func received(_ url: URL) async throws {
        // The person may be back from the page of a consent. The call that opened the page waits for this.
        if consentPages.returns.receive(url) { return }
        defer { revoker.sendInBackground() }
        try await log.during(.signIn) {
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
        try await log.during(.signIn) {
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
        try await log.during(.authenticate) {
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
}

import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// Sign-in with an identity provider.
extension SignIn {
    func validateFederated() throws {
        guard provider.name != nil else {
            guard !provider.hasDetails else {
                throw ValidationError(
                    "--provider-page, --provider-client-id, --apple-stand-in, --apple-account, --credential-stdin, "
                        + "--new-username and --join go with --federated")
            }
            return
        }
        guard !usesNonce, !pin, !deviceToken, !browser else {
            throw ValidationError("--federated excludes --nonce, --pin, --device-token and --browser")
        }
        if provider.apple.isNamed, username != nil || provider.page != nil {
            throw ValidationError(
                "--apple-stand-in, --apple-account and --credential-stdin exclude --username and --provider-page")
        }
        if isApple {
            try validateApple()
        } else {
            try validateWay(to: provider.name ?? "")
        }
        if provider.newUsername != nil, provider.join != nil {
            throw ValidationError("--new-username and --join exclude each other")
        }
        if let name = provider.name, (try? ProviderID(name)) == nil {
            throw ValidationError(
                "--federated \"\(name)\" is no provider's name: 1 to 64 letters, digits, '-', '.', '_' and '~'")
        }
        try Self.validate("--provider-page", provider.page)
        try Self.validate("--apple-stand-in", provider.apple.standIn)
    }

    /// Chooses between a provider's own page and the issuer's own user repository.
    private func validateWay(to name: String) throws {
        guard username == nil || (provider.page == nil && provider.clientID == nil) else {
            throw ValidationError(
                "--username is for the issuer's own user repository, --provider-page and --provider-client-id for a "
                    + "provider's page: leave one of them out")
        }
        guard provider.page == nil || name != AppleOptions.providerName else {
            throw ValidationError("--provider-page does not go with Apple, which shows its own sheet: leave it out")
        }
        switch (username, provider.page, provider.clientID) {
        case (nil, nil, nil):
            throw ValidationError(
                "--federated \(name) takes --provider-page URL --provider-client-id ID, or --username NAME for the "
                    + "issuer's own user repository")
        case (nil, _?, nil):
            throw ValidationError(
                "--provider-page takes --provider-client-id beside it: the client that the wallet's server is at the "
                    + "provider, which its operator sees by walletauth provider show \(name)")
        case (nil, nil, _?):
            throw ValidationError("--provider-client-id takes --provider-page beside it: the page to sign in at")
        default: break
        }
    }

    private static func validate(_ option: String, _ text: String?) throws {
        guard let text else { return }
        guard let page = URL(string: text), let scheme = page.scheme?.lowercased() else {
            throw ValidationError("\(option) \"\(text)\" is not a URL")
        }
        guard scheme == "https" || (scheme == "http" && page.isOnThisMachine) else {
            throw ValidationError(
                "\(option) \"\(text)\" is not https: anybody on the way could read the sign-in. Plain http is for a "
                    + "server on this very machine (http://127.0.0.1:PORT)")
        }
    }

    /// Whether it is Sign in with Apple: by the provider's name, or by options that only Apple uses.
    private var isApple: Bool {
        username == nil && provider.page == nil
            && (provider.name == AppleOptions.providerName || provider.apple.isNamed)
    }

    private func validateApple() throws {
        if provider.apple.account != nil, provider.apple.credentialFromStandardInput {
            throw ValidationError("--apple-account and --credential-stdin exclude each other")
        }
        if provider.apple.credentialFromStandardInput, passwordFromStandardInput {
            throw ValidationError(
                "--credential-stdin excludes --password-stdin: give --join's password at the terminal")
        }
        if redirectURI != nil {
            throw ValidationError("--redirect-uri does not go with Apple, which redirects nowhere here")
        }
    }

    func signIn(_ wallet: Wallet, by name: String, _ terminal: Terminal) async throws {
        let signIn = TerminalSignIn(
            wallet: wallet, answers: passwordAnswers, terminal: terminal, factor: factor,
            unlinkedIdentity: provider.unlinkedIdentity)
        if let username { return try await signIn.run(username: username, repository: name) }
        if isApple {
            let credential = try await provider.apple.credential(
                for: wallet, connection.profileInUse(), clientID: provider.clientID, terminal)
            return try await signIn.run(credential, provider: name)
        }
        guard let page = provider.page.flatMap(URL.init(string:)), let clientID = provider.clientID,
            let redirect = URL(string: redirectURI ?? Self.loopbackRedirect)
        else { throw ValidationError("--provider-page is not a URL") }
        let shown = ProviderPage(
            endpoint: page, clientID: clientID, redirectURI: redirect, opener: opener(terminal))
        try await signIn.run(shown.identity(of: name, nonce: wallet.federatedNonce()))
    }
}

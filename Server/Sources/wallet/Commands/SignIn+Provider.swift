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
                        + "--new-username and --link-to need --provider")
            }
            return
        }
        guard !usesNonce, !pin, !deviceToken, !browser else {
            throw ValidationError("--provider cannot be combined with --nonce, --pin, --device-token or --browser")
        }
        if provider.apple.isNamed, username != nil || provider.page != nil {
            throw ValidationError(
                "--apple-stand-in, --apple-account and --credential-stdin cannot be combined with --username or --provider-page"
            )
        }
        if isApple {
            try validateApple()
        } else {
            try validateWay(to: provider.name ?? "")
        }
        if provider.newUsername != nil, provider.existingUsername != nil {
            throw ValidationError("--new-username and --link-to cannot be combined")
        }
        if let name = provider.name, (try? ProviderID(name)) == nil {
            throw ValidationError(
                "--provider \"\(name)\" is not a provider name, which has 1 to 64 letters, digits, '-', '.', '_' and '~'"
            )
        }
        try Self.validate("--provider-page", provider.page)
        try Self.validate("--apple-stand-in", provider.apple.standIn)
    }

    /// Chooses between a provider's own page and the issuer's own user repository.
    private func validateWay(to name: String) throws {
        guard username == nil || (provider.page == nil && provider.clientID == nil) else {
            throw ValidationError(
                "--username is for the issuer's own user repository; --provider-page and --provider-client-id are for a "
                    + "provider's page: use one or the other")
        }
        guard provider.page == nil || name != AppleOptions.providerName else {
            throw ValidationError("--provider-page cannot be used with Apple, which shows its own sheet: omit it")
        }
        switch (username, provider.page, provider.clientID) {
        case (nil, nil, nil):
            throw ValidationError(
                "--provider \(name) needs --provider-page URL --provider-client-id ID, or --username NAME for the "
                    + "issuer's own user repository")
        case (nil, _?, nil):
            throw ValidationError(
                "--provider-page also needs --provider-client-id: the id of the wallet server's client at the "
                    + "provider, which its operator finds with walletauth provider show \(name)")
        case (nil, nil, _?):
            throw ValidationError("--provider-client-id also needs --provider-page: the page to sign in on")
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
                "\(option) \"\(text)\" is plain http, so anyone on the network could read the sign-in: use https; plain http is "
                    + "only for a server on this machine (http://127.0.0.1:PORT)")
        }
    }

    /// Whether it is Sign in with Apple: by the provider's name, or by options that only Apple uses.
    private var isApple: Bool {
        username == nil && provider.page == nil
            && (provider.name == AppleOptions.providerName || provider.apple.isNamed)
    }

    private func validateApple() throws {
        if provider.apple.account != nil, provider.apple.credentialFromStandardInput {
            throw ValidationError("--apple-account and --credential-stdin cannot be combined")
        }
        if provider.apple.credentialFromStandardInput, passwordFromStandardInput {
            throw ValidationError(
                "--credential-stdin cannot be combined with --password-stdin: type the password for --link-to at the terminal"
            )
        }
        if redirectURI != nil {
            throw ValidationError("--redirect-uri cannot be used with Apple, which does not redirect here")
        }
    }

    /// - Returns: the account's user name, if the server named it.
    func signIn(_ wallet: Wallet, by name: String, _ terminal: Terminal) async throws -> String? {
        let signIn = TerminalSignIn(
            wallet: wallet, answers: passwordAnswers, terminal: terminal, factor: factor,
            unlinkedIdentity: provider.unlinkedIdentity, existingUsername: provider.existingUsername)
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
        return try await signIn.run(shown.identity(of: name, nonce: wallet.federatedNonce()))
    }
}

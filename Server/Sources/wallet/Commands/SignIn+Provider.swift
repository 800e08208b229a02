import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// A sign-in by an identity provider's word.
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
        } else if (username == nil) != (provider.page != nil) || (provider.page == nil) != (provider.clientID == nil) {
            throw ValidationError(
                "--federated takes --username, or --provider-page together with --provider-client-id; Apple takes neither"
            )
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

    /// Whether it is Sign in with Apple: by its name, or by what no other provider takes.
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
        let signIn = NativeSignIn(
            wallet: wallet, answers: passwordAnswers, terminal: terminal, factor: factor, newcomer: provider.newcomer)
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

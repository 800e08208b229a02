import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthLoopback
import WalletAuthWire

/// The sign-in on the server's page.
extension SignIn {
    /// A step-up in the browser. If it fails, the session continues.
    func runStepUp(_ terminal: Terminal) async throws {
        var requested = try connection.profileInUse()
        requested.scopes = try scopes ?? requested.lastScopes(in: connection.folder)
        requested.redirectURI = try redirectURI ?? requested.lastRedirectURI(in: connection.folder)
        requested = loopback(requested)
        let wallet = try await browserWallet(requested, terminal)
        do {
            try await wallet.stepUp(to: stepUp.requirements, loginHint: requested.loginHint)
        } catch let error as WalletError {
            if let failure = Failure(
                steppingUp: error, to: stepUp.requirements, at: requested.issuer, asksForSignIn: asksForSignIn)
            {
                throw failure
            }
            throw error
        }
        try requested.save(in: connection.folder)
        try await report(wallet, requested, terminal)
    }

    func loopback(_ profile: Profile) -> Profile {
        var profile = profile
        profile.redirectURI = profile.redirectURI ?? Self.loopbackRedirect
        return profile
    }

    static let loopbackRedirect = "http://127.0.0.1/callback"

    /// Whether this program can listen on the URI for the browser's answer.
    static func isLoopback(_ redirectURI: String) -> Bool {
        guard let uri = URLComponents(string: redirectURI) else { return false }
        return uri.scheme == "http" && uri.query == nil && uri.fragment == nil
            && ["127.0.0.1", "[::1]", "::1"].contains(uri.percentEncodedHost)
    }

    /// The values of --prompt; nil if it is absent or invalid.
    var prompts: [AuthorizationRequest.Prompt]? {
        guard let words = prompt?.split(whereSeparator: \.isWhitespace) else { return nil }
        let values = words.compactMap { AuthorizationRequest.Prompt(rawValue: String($0)) }
        return values.count == words.count && (!values.contains(.none) || values.count == 1) ? values : nil
    }

    /// Whether a step-up asks for the server's sign-in page, by --prompt or because of --max-age 0.
    var asksForSignIn: Bool { prompts?.contains(.login) ?? (stepUp.maximumAge == 0) }

    /// With --again, it listens at once: a port that is taken must not cost the session that would end before.
    func browserWallet(_ profile: Profile, _ terminal: Terminal) async throws -> Wallet {
        guard let redirect = profile.redirectURI.flatMap(URL.init(string:)) else {
            throw ValidationError("--redirect-uri is not a URI")
        }
        var listening: (any UserAgentSession)?
        #if os(Linux)
            if again {
                listening = try await LoopbackUserAgent(timeout: Profile.browserPatience, opener: opener(terminal))
                    .begin(
                        redirectURI: redirect)
            }
        #endif
        return try Wallet.of(
            profile, in: connection.folder, signIn: .full(redirectURI: redirect), prompt: prompts,
            opener: opener(terminal), listening: listening)
    }

    /// Prints the URL of a page, and opens the browser unless that is disabled.
    func opener(_ terminal: Terminal) -> @Sendable (URL) async throws -> Void {
        let noOpen = noOpen
        return { url in
            terminal.say("Open this page to sign in: \(url.absoluteString)")
            #if os(Linux)
                if !noOpen {
                    do {
                        try await SystemBrowser.open(url)
                    } catch let failure as UserAgentFailure {
                        // The person can still click or copy the URL, so this is no reason to stop.
                        terminal.say("No browser was opened: \(failure.reason).")
                    }
                }
            #endif
            terminal.say(
                Profile.waiting(for: "browser")
                    + " If the page shows an error, correct --client-id, --redirect-uri or --scope.")
        }
    }
}

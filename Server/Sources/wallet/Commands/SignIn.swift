import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

struct SignIn: WalletCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Signs you in: on the server's page in your browser, or here with a password, PIN or login nonce.",
        discussion: """
            In the browser for the first time, afterwards, and here:

              wallet sign-in --issuer https://auth.example.com --client-id com.example.wallet
              wallet sign-in
              wallet sign-in --username ada

            With --username, you type your password at the terminal. With --password-stdin, it is the first line of standard \
            input, and anything else the server asks for (a new password, a code) is read from the following lines. With \
            --pin, you type this device's PIN, or it is read from standard input or a file. With --username and --account-pin, \
            you type your account PIN instead of your password, if the wallet's issuer accepts one.

            With --nonce, you are asked for a one-time token from the wallet's backend instead; with --nonce-stdin, it is the \
            first line of standard input. It is never an argument, because everyone on this machine can see those.

            With --passkey, you sign in with the passkey that this device keeps (wallet passkey add), after you agreed to its \
            use at the terminal.

            With --provider, you sign in with an identity provider: your issuer's own user repository (with --username), or \
            a provider whose page opens in the browser (with --provider-page and --provider-client-id).

            With --provider apple, the sandbox's stand-in for Apple acts as the sheet on the phone of --apple-account. With \
            --credential-stdin, Apple's response to a phone is read from standard input instead: JSON with code and id_token. \
            The nonce for the request to Apple is printed first. Apple's own page cannot return to this machine.

            In the browser, if you are already signed in, you stay signed in. If you ask for something that your session does \
            not have, the command fails; --again signs you out first, even if the server does not confirm it, and in again.

            Without the browser, you always sign in again: the new session replaces the old one, which continues until then. If \
            the old one belonged to another account, the command reports it. To stay signed in to several accounts, use a separate \
            --profile. To switch to another server or client, add --again.

            With --step-up, you sign in again with stronger or more recent authentication, as a call required (RFC 9470): in \
            the browser, where you are asked only for what is missing, or here with --username. Without --acr and --max-age, \
            two factors are required. The new session replaces the old one, unless the step-up fails or a different person \
            signs in. Exits with 1 if the server signed you in again without confirming what was required.
            """)

    static let insteadOfArgument =
        "the server's page in the browser asks who you are, and --username NAME signs in here"

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    @Flag(help: "Sign in on the server's page (the default).")
    var browser = false

    @Flag(name: .customLong("no-open"), help: "Print the page's URL and open no browser.")
    var noOpen = false

    @Flag(help: "Sign in again even if you are signed in.")
    var again = false

    @Option(
        help: ArgumentHelp("Sign in here, without a browser.", valueName: "name"), transform: TypedText.trimmed)
    var username: String?

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var passwordFromStandardInput = false

    @Flag(help: "Sign in with a one-time token from the wallet's backend.")
    var nonce = false

    @Flag(name: .customLong("nonce-stdin"), help: "Read the nonce from standard input.")
    var nonceFromStandardInput = false

    @Option(help: ArgumentHelp("The purpose that the nonce was issued for. By default login.", valueName: "word"))
    var purpose: String?

    @Flag(help: "Sign in with this device's PIN.")
    var pin = false

    @Flag(name: .customLong("account-pin"), help: "Sign in with the account PIN instead of the password.")
    var accountPIN = false

    @Flag(help: "Sign in with this device's passkey, and with --username only to that account.")
    var passkey = false

    @OptionGroup var passkeys: PasskeyOptions

    @Flag(name: .customLong("device-token"), help: "Sign in with this device's long-lived session and its PIN.")
    var deviceToken = false

    @OptionGroup var pinSource: PINSource

    @Option(
        help: ArgumentHelp(
            "Whose PIN to use if this device is enrolled for several accounts: a user name or an account id.",
            valueName: "account"))
    var account: String?

    @Flag(name: .customLong("two-factors"), help: "Always ask for two factors, as changes to your account require.")
    var twoFactors = false

    @OptionGroup(title: "Step-up") var stepUp: StepUpOptions

    @Option(help: FactorName.help(FactorName.allCases))
    var factor: FactorName?

    @Option(
        help: ArgumentHelp(
            "Enroll this device under this name after the second factor, so that sign-ins here no longer need one.",
            valueName: "name"))
    var link: String?

    @Option(
        help: ArgumentHelp(
            """
            What the page should show: login, consent, select_account or none; separate several with spaces; "" requests \
            nothing. By default consent if you request offline_access from a server that needs it.
            """, valueName: "values"))
    var prompt: String?

    @OptionGroup(title: "Identity provider") var provider: ProviderOptions

    @Option(
        help: ArgumentHelp(
            "A scope to request, or several separated by spaces; may be repeated. By default those of the last sign-in here, or openid.",
            valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "The loopback redirect URI that is registered for the client. By default http://127.0.0.1/callback.",
            valueName: "uri"))
    var redirectURI: String?

    func validate() throws {
        if username == nil, provider.existingUsername == nil, passwordFromStandardInput {
            throw ValidationError("--password-stdin needs --username or --link-to")
        }
        let ways = [username != nil && !passkey, usesNonce, pin, deviceToken, passkey]
        if ways.count(where: { $0 }) > 1 {
            throw ValidationError("--username, --nonce, --pin, --passkey and --device-token cannot be combined")
        }
        if passkey, accountPIN || passwordFromStandardInput || provider.name != nil {
            throw ValidationError("--passkey cannot be combined with --account-pin, --password-stdin or --provider")
        }
        if purpose != nil, !usesNonce { throw ValidationError("--purpose needs --nonce") }
        if accountPIN, username == nil || passwordFromStandardInput || provider.name != nil {
            throw ValidationError(
                "--account-pin needs --username, and cannot be combined with --password-stdin or --provider")
        }
        if !pin, !deviceToken, account != nil { throw ValidationError("--account needs --pin or --device-token") }
        if !pin, !deviceToken, !accountPIN, pinSource.isNamed {
            throw ValidationError("--pin-file and --pin-stdin need --pin, --account-pin or --device-token")
        }
        try validateFederated()
        guard
            !stepUp.isWanted
                || !(again || usesNonce || pin || passkey || deviceToken || twoFactors || provider.name != nil)
        else {
            throw ValidationError(
                "--step-up cannot be combined with --again, --nonce, --pin, --passkey, --device-token, --provider or --two-factors"
            )
        }
        if isNative, provider.name == nil, browser || noOpen || redirectURI != nil {
            throw ValidationError(
                "--username, --nonce and --pin sign in without a browser: omit --browser, --no-open and --redirect-uri"
            )
        }
        if !isNative, factor != nil || link != nil || twoFactors {
            throw ValidationError("--two-factors, --factor and --link need --username or --nonce")
        }
        if prompt != nil, isNative { throw ValidationError("--prompt is for the server's page: omit it") }
        guard prompt == nil || prompts != nil else {
            throw ValidationError("--prompt accepts login, consent and select_account, or none by itself")
        }
        if twoFactors, username == nil { throw ValidationError("--two-factors needs --username") }
        if let redirectURI, URL(string: redirectURI)?.scheme == nil {
            throw ValidationError("--redirect-uri \"\(redirectURI)\" is not a URI")
        }
        if let redirectURI, !Self.isLoopback(redirectURI) {
            throw ValidationError(
                "--redirect-uri \"\(redirectURI)\" is not on this machine, so the response would not arrive here: use the "
                    + "client's registered http://127.0.0.1/PATH or http://[::1]/PATH")
        }
        if !scope.isEmpty, scopes == nil { throw ValidationError("--scope is empty: name a scope, such as openid") }
    }

    var person: CommandPerson {
        // Both continue what this wallet remembers.
        if username == nil, stepUp.isWanted || ((pin || deviceToken) && account == nil) { return .remembered }
        // A name at a provider is not the account's.
        return .named(provider.name == nil ? username : nil)
    }

    private var strength: Wallet.LoginStrength {
        if stepUp.isWanted { return .required(stepUp.requirements) }
        return twoFactors ? .twoFactors : .asTheServerAsks
    }

    func run(_ terminal: Terminal) async throws {
        if stepUp.isWanted, username == nil { return try await runStepUp(terminal) }
        var requested = try requestedProfile()
        let former = try await formerSession(fitting: requested)
        requested.scopes = try scopes ?? requested.lastScopes(in: connection.folder)
        let wallet =
            isNative
            ? try Wallet.of(requested, in: connection.folder, linkedAs: link, presence: passkeys.presence)
            : try await browserWallet(loopback(requested), terminal)
        // Throws the reason why no one is signed in: there is no session to step up.
        if stepUp.isWanted, former.kept == nil { try await wallet.setUp() }
        try await checkRegistration(of: requested, with: wallet, former, terminal)
        if let kept = former.kept, !isNative { return try await kept.report(to: terminal) }
        try await signIn(wallet, as: requested, replacing: former, terminal)
    }

    /// What the options and the last sign-in say, before the scopes that are remembered.
    private func requestedProfile() throws -> Profile {
        var requested = try connection.profileInUse()
        requested.scopes = scopes
        (requested.username, requested.accountName) = (nil, nil)
        // With --provider, the redirect URI belongs to the provider's page, not to this session.
        let remembered = try requested.lastRedirectURI(in: connection.folder)
        requested.redirectURI = provider.name == nil ? redirectURI ?? remembered : nil
        return requested
    }

    /// The session of the profile before this sign-in.
    /// - Returns: the session that is kept, as someone is signed in and it meets the request; with --again, the one that is
    ///   left, which is not checked and may have ended.
    private func formerSession(
        fitting requested: Profile
    ) async throws -> (kept: SavedSession?, left: SavedSession?) {
        if again { return (nil, try SavedSession.load(from: connection.folder)) }
        guard let kept = try await SavedSession.find(in: connection.folder) else { return (nil, nil) }
        var requested = requested
        // A native sign-in replaces the session, so its scopes may differ.
        if isNative { requested.scopes = nil }
        try kept.check(fits: requested)
        return (kept, nil)
    }

    /// Checks that the server accepts the request, before the person types a secret or a session ends.
    private func checkRegistration(
        of requested: Profile, with wallet: Wallet, _ former: (kept: SavedSession?, left: SavedSession?),
        _ terminal: Terminal
    ) async throws {
        let check = RegistrationCheck(profile: requested, folder: connection.folder, provider: provider.name)
        do {
            if isNative {
                try await check.run(wallet)
            } else if former.kept == nil {
                try await check.runBeforePage(wallet)
            }
        } catch {
            if let left = former.left, try await left.isThere() { terminal.say(Self.stillSignedIn) }
            throw nextStep(after: error, isSignedIn: former.kept != nil)
        }
    }

    /// Signs in, remembers the session and prints it.
    ///
    /// Without a browser, the new session replaces the former one, which continues until then. Otherwise the former one ends
    /// first, even if the server cannot revoke it.
    private func signIn(
        _ wallet: Wallet, as requested: Profile, replacing former: (kept: SavedSession?, left: SavedSession?),
        _ terminal: Terminal
    ) async throws {
        var replaces = isNative
        if replaces, let left = former.left { replaces = await left.isReplaceable() }
        let replaced = replaces ? await (former.kept ?? former.left)?.account() : nil
        if !replaces { try await former.left?.end(telling: terminal) }
        var notLinked: TerminalSignIn.NotLinked?
        var name: String?
        do { name = try await signIn(wallet, terminal) } catch let error as TerminalSignIn.NotLinked {
            // The sign-in to the account itself is complete, and its session is kept.
            notLinked = error
        } catch {
            if let left = former.left {
                terminal.say(try await left.isThere() ? Self.stillSignedIn : "You are signed out.")
            }
            throw error
        }
        var profile = requested
        if provider.name == nil { profile.username = username }
        profile.accountName = name
        if !isNative { profile = loopback(profile) }
        // Saved first: the sign-in is complete even if the next request is interrupted.
        try profile.save(in: connection.folder)
        await profile.learnName(from: wallet)
        if profile.accountName != nil { try profile.save(in: connection.folder) }
        if replaces, let left = former.left, left.isElsewhere(than: profile) { try await left.end(telling: terminal) }
        if let notLinked {
            await SavedSession(profile, wallet).tellReplacement(of: replaced, to: terminal)
            throw notLinked.reason
        }
        try await report(wallet, profile, terminal)
        await SavedSession(profile, wallet).tellReplacement(of: replaced, to: terminal)
    }

    private static let stillSignedIn = "You are still signed in."

    /// Signs in by the method that the options name.
    /// - Returns: the account's user name, if the server named it.
    private func signIn(_ wallet: Wallet, _ terminal: Terminal) async throws -> String? {
        if let name = provider.name {
            return try await signIn(wallet, by: name, terminal)
        } else if passkey {
            return try await TerminalSignIn(
                wallet: wallet, answers: passwordAnswers, terminal: terminal, factor: factor
            ).run(passkeyOf: username, strength: strength)
        } else if let username, accountPIN {
            let source = try pinSource.answers()
            let further = source.isPerson ? source : .standardInput
            try await TerminalSignIn(wallet: wallet, answers: further, terminal: terminal, factor: factor)
                .run(username: username, accountPINFrom: source, strength: strength)
        } else if let username {
            try await TerminalSignIn(wallet: wallet, answers: passwordAnswers, terminal: terminal, factor: factor)
                .run(username: username, strength: strength)
        } else if usesNonce {
            let answers = Answers(fromStandardInput: nonceFromStandardInput, "--nonce-stdin")
            return try await TerminalSignIn(wallet: wallet, answers: answers, terminal: terminal, factor: factor)
                .run(noncePurpose: purpose ?? "login")
        } else if pin || deviceToken {
            try await TerminalPINSignIn(wallet: wallet, answers: pinSource.answers(), terminal: terminal).run(
                account: account, withDeviceToken: deviceToken)
        } else {
            try await wallet.setUp()
        }
        return nil
    }

    /// Names the sign-in on the page that fits: a signed-in person would only read that they are.
    private func nextStep(after error: any Error, isSignedIn: Bool) -> any Error {
        guard isNative, let known = error as? WalletError, known.code == .unsupportedByServer else { return error }
        var place = connection.place()
        place.profile = nil
        var failure = Failure(known, at: place)
        let onPage = "use: wallet sign-in --browser"
        guard failure.advice.hasPrefix(onPage), stepUp.isWanted || again || isSignedIn else { return error }
        failure.advice = onPage + (stepUp.isWanted ? " --step-up" : " --again")
        return failure
    }

    /// Prints the session and, after a step-up, the class it reached.
    /// - Throws: `ExitCode` if the server signed the person in but did not confirm what the step-up is for.
    func report(_ wallet: Wallet, _ profile: Profile, _ terminal: Terminal) async throws {
        var report = await SessionReport.of(wallet, profile)
        guard stepUp.isWanted else { return terminal.print(report) }
        report.acr = wallet.identity?.acr
        let failure = wallet.unconfirmed(of: stepUp.requirements).map { [acr = report.acr] in
            Failure(unconfirmed: $0, by: profile.issuer, reached: acr)
        }
        (report.unconfirmed, report.code, report.hint) = (failure?.message, failure?.code, failure?.advice)
        terminal.print(report)
        guard let failure else { return }
        terminal.say(failure.line)
        throw ExitCode(1)
    }

    var passwordAnswers: Answers {
        Answers(fromStandardInput: passwordFromStandardInput, "--password-stdin")
    }

    var usesNonce: Bool { nonce || nonceFromStandardInput }

    /// Whether the sign-in needs no browser.
    private var isNative: Bool {
        username != nil || usesNonce || pin || passkey || deviceToken || provider.name != nil
    }

    /// `--scope "openid profile"` equals two options. Nil if there are none.
    var scopes: [String]? {
        let words = scope.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        return words.isEmpty ? nil : words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

struct SignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Signs you in: on the server's page in your browser, or here by password, PIN or login nonce.",
        discussion: """
            With --username the password is asked for on the terminal. With --password-stdin it is the first line of \
            standard input; whatever the server asks for after it (a new password, a code) is read from the lines that \
            follow. With --pin the PIN that was set on this device is asked for, or read from standard input \
            or a file.

            With --nonce a one-time token that the wallet's backend had issued is asked for instead; with --nonce-stdin it \
            is the first line of standard input. It is never an argument, since everybody on the machine sees those.

            With --federated an identity provider says who you are: your issuer's own user repository, with --username, or \
            a provider whose page is shown in the browser, with --provider-page and --provider-client-id.

            With --federated apple the sandbox's stand-in for Apple plays the phone's sheet, on the phone of \
            --apple-account. With --credential-stdin what Apple gave a phone is read from standard input instead, as JSON with \
            code and id_token; the nonce that Apple has to be asked with is printed first. Apple's own page cannot return to \
            this machine.

            Somebody who is signed in already stays so, unless other things are asked for than the session has: that is \
            refused, and --again signs out first, whatever the server says of the old session. With --username, --pin or a nonce the new session takes the place of the \
            old one.

            With --step-up whoever is signed in signs in again, as strongly or as lately as a call asked for (RFC 9470): in \
            the browser, where only what is missing is asked for, or with --username here. Without --acr and --max-age it \
            asks for two factors. The new session takes the place of the old one, which stays where the step-up fails, or \
            where somebody else signs in.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Sign in on the server's page (the default).")
    var browser = false

    @Flag(name: .customLong("no-open"), help: "Print the page's URL and open no browser.")
    var noOpen = false

    @Flag(help: "Sign out first, if somebody is signed in.")
    var again = false

    @Option(help: ArgumentHelp("Sign in here, without a browser.", valueName: "name"))
    var username: String?

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var passwordFromStandardInput = false

    @Flag(help: "Sign in by a one-time token of the wallet's backend.")
    var nonce = false

    @Flag(name: .customLong("nonce-stdin"), help: "Read the nonce from standard input.")
    var nonceFromStandardInput = false

    @Option(help: ArgumentHelp("What the nonce was issued for. By default login.", valueName: "word"))
    var purpose: String?

    @Flag(help: "Sign in by the PIN of this device.")
    var pin = false

    @Flag(name: .customLong("device-token"), help: "Sign in by the long-lived session of this device, and its PIN.")
    var deviceToken = false

    @OptionGroup var pinSource: PINSource

    @Option(
        help: ArgumentHelp(
            "Whose PIN, where this device is enrolled for several: a user name or an account's id.",
            valueName: "account"))
    var account: String?

    @Flag(name: .customLong("two-factors"), help: "Ask for two factors in any case, as changes of your account need.")
    var twoFactors = false

    @OptionGroup var stepUp: StepUpOptions

    @Option(help: FactorName.help(FactorName.allCases))
    var factor: FactorName?

    @Option(
        help: ArgumentHelp(
            "Enroll this device under that name once the second factor is right: it is asked for none any more.",
            valueName: "name"))
    var link: String?

    @Option(
        help: ArgumentHelp(
            """
            What the page is to show: login, consent, select_account or none; several with spaces between; "" asks for \
            nothing. By default consent, where offline_access is asked for at a server that needs it.
            """, valueName: "values"))
    var prompt: String?

    @OptionGroup var provider: ProviderOptions

    @Option(
        help: ArgumentHelp(
            "A scope to ask for, or several with spaces between; may be repeated. By default those of the last sign-in here, or openid.",
            valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "The loopback redirect URI that is registered for the client. By default http://127.0.0.1/callback.",
            valueName: "uri"))
    var redirectURI: String?

    func validate() throws {
        if username == nil, provider.join == nil, passwordFromStandardInput {
            throw ValidationError("--password-stdin goes with --username or --join")
        }
        let ways = [username != nil, usesNonce, pin, deviceToken]
        if ways.count(where: { $0 }) > 1 {
            throw ValidationError("--username, --nonce, --pin and --device-token exclude each other")
        }
        if purpose != nil, !usesNonce { throw ValidationError("--purpose goes with --nonce") }
        if !pin, !deviceToken, account != nil || pinSource.isNamed {
            throw ValidationError("--account, --pin-file and --pin-stdin go with --pin or --device-token")
        }
        try validateFederated()
        guard !stepUp.isWanted || !(again || usesNonce || pin || deviceToken || twoFactors || provider.name != nil)
        else {
            throw ValidationError(
                "--step-up excludes --again, --nonce, --pin, --device-token, --federated and --two-factors")
        }
        if isNative, provider.name == nil, browser || noOpen || redirectURI != nil {
            throw ValidationError(
                "--username, --nonce and --pin sign in without a browser: leave out --browser, --no-open and --redirect-uri"
            )
        }
        if !isNative, factor != nil || link != nil || twoFactors {
            throw ValidationError("--two-factors, --factor and --link go with --username or --nonce")
        }
        if prompt != nil, isNative { throw ValidationError("--prompt is for the server's page: leave it out") }
        guard prompt == nil || prompts != nil else {
            throw ValidationError("--prompt takes login, consent and select_account, or none by itself")
        }
        if twoFactors, username == nil { throw ValidationError("--two-factors goes with --username") }
        if let redirectURI, URL(string: redirectURI)?.scheme == nil {
            throw ValidationError("--redirect-uri \"\(redirectURI)\" is not a URI")
        }
        if let redirectURI, !Self.isLoopback(redirectURI) {
            throw ValidationError(
                "--redirect-uri \"\(redirectURI)\" leads away from this machine, where no answer arrives: give the one of "
                    + "http://127.0.0.1/PATH and http://[::1]/PATH that is registered for the client")
        }
        if !scope.isEmpty, scopes == nil { throw ValidationError("--scope names no scope") }
    }

    private var strength: Wallet.LoginStrength {
        if stepUp.isWanted { return .required(stepUp.requirements) }
        return twoFactors ? .twoFactors : .asTheServerAsks
    }

    func run() async throws {
        if stepUp.isWanted, username == nil { return try await runStepUp() }
        try await connection.running { terminal in
            var requested = try connection.profileInUse()
            requested.scopes = scopes
            requested.username = nil
            // With --federated, the redirect URI belongs to the provider's page, not to this session.
            let remembered = try requested.lastRedirectURI(in: connection.folder)
            requested.redirectURI = provider.name == nil ? redirectURI ?? remembered : nil
            let kept = again ? nil : try await keptSession(fitting: requested)
            let isKept = kept != nil
            requested.scopes = try scopes ?? requested.lastScopes(in: connection.folder)
            let wallet =
                isNative
                ? try Wallet.of(requested, in: connection.folder, linkedAs: link)
                : try browserWallet(loopback(requested), terminal)
            // Throws the reason why no one is signed in: there is no session to step up.
            if stepUp.isWanted, !isKept { try await wallet.setUp() }
            let check = RegistrationCheck(profile: requested, folder: connection.folder, provider: provider.name)
            if isNative {
                try await check.run(wallet)
            } else if !isKept {
                try await check.runBeforePage(wallet)
            }
            // The old session ends even if the server cannot revoke it. But it is kept if a new one cannot begin, hence
            // the checks before.
            if again { try await SavedSession.load(from: connection.folder)?.end(telling: terminal) }
            if let name = provider.name {
                try await signIn(wallet, by: name, terminal)
            } else if let username {
                try await TerminalSignIn(wallet: wallet, answers: passwordAnswers, terminal: terminal, factor: factor)
                    .run(username: username, strength: strength)
                requested.username = username
            } else if usesNonce {
                let answers = nonceFromStandardInput ? Answers.standardInput : .person(instead: "--nonce-stdin")
                try await TerminalSignIn(wallet: wallet, answers: answers, terminal: terminal, factor: factor)
                    .run(noncePurpose: purpose ?? "login")
            } else if pin || deviceToken {
                try await TerminalPINSignIn(wallet: wallet, answers: pinSource.answers(), terminal: terminal).run(
                    account: account, by: deviceToken ? .pinAndDeviceToken : .pin)
            } else {
                if let kept { return try await kept.report(to: terminal) }
                requested = loopback(requested)
                try await wallet.setUp()
            }
            try requested.save(in: connection.folder)
            await report(wallet, requested, terminal)
        }
    }

    /// Prints the session and, after a step-up, the class it reached.
    private func report(_ wallet: Wallet, _ profile: Profile, _ terminal: Terminal) async {
        var report = await SessionReport.of(wallet, profile)
        // The sign-in has succeeded even if the token is unreadable.
        if stepUp.isWanted, let token = try? await wallet.accessToken() {
            report.acr = SessionReport.authenticationClass(of: token.reveal())
        }
        terminal.print(report)
    }

    /// A step-up in the browser. If it fails, the session continues.
    private func runStepUp() async throws {
        try await connection.running { terminal in
            var requested = try connection.profileInUse()
            let kept = try Profile.load(from: connection.folder)
            requested.scopes = try scopes ?? requested.lastScopes(in: connection.folder)
            requested.username = kept?.username
            requested.redirectURI = redirectURI ?? kept?.redirectURI
            requested = loopback(requested)
            let wallet = try browserWallet(requested, terminal)
            try await wallet.stepUp(to: stepUp.requirements)
            try requested.save(in: connection.folder)
            await report(wallet, requested, terminal)
        }
    }

    private func loopback(_ profile: Profile) -> Profile {
        var profile = profile
        profile.redirectURI = profile.redirectURI ?? Self.loopbackRedirect
        return profile
    }

    var passwordAnswers: Answers {
        passwordFromStandardInput ? .standardInput : .person(instead: "--password-stdin")
    }

    static let loopbackRedirect = "http://127.0.0.1/callback"

    /// Whether this program can listen on the URI for the browser's answer.
    private static func isLoopback(_ redirectURI: String) -> Bool {
        guard let uri = URLComponents(string: redirectURI) else { return false }
        return uri.scheme == "http" && uri.query == nil && uri.fragment == nil
            && ["127.0.0.1", "[::1]", "::1"].contains(uri.percentEncodedHost)
    }

    var usesNonce: Bool { nonce || nonceFromStandardInput }

    /// Whether the sign-in needs no browser.
    private var isNative: Bool { username != nil || usesNonce || pin || deviceToken || provider.name != nil }

    /// `--scope "openid profile"` equals two options. Nil if there are none.
    private var scopes: [String]? {
        let words = scope.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        return words.isEmpty ? nil : words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The current session, if it meets the request.
    /// - Returns: nil if no one is signed in.
    private func keptSession(fitting requested: Profile) async throws -> SavedSession? {
        guard let kept = try await SavedSession.find(in: connection.folder) else { return nil }
        var requested = requested
        // A native sign-in replaces the session, so its scopes may differ.
        if isNative { requested.scopes = nil }
        try kept.check(fits: requested)
        return kept
    }

    /// The values of --prompt; nil if it is absent or invalid.
    private var prompts: [AuthorizationRequest.Prompt]? {
        guard let words = prompt?.split(whereSeparator: \.isWhitespace) else { return nil }
        let values = words.compactMap { AuthorizationRequest.Prompt(rawValue: String($0)) }
        return values.count == words.count && (!values.contains(.none) || values.count == 1) ? values : nil
    }

    private func browserWallet(_ profile: Profile, _ terminal: Terminal) throws -> Wallet {
        guard let redirect = profile.redirectURI.flatMap(URL.init(string:)) else {
            throw ValidationError("--redirect-uri is not a URI")
        }
        return try Wallet.of(
            profile, in: connection.folder, signIn: .full(redirectURI: redirect), prompt: prompts,
            opener: opener(terminal))
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
                "Waiting for the browser; Ctrl-C stops. If the page shows an error, correct --client-id, --redirect-uri or --scope."
            )
        }
    }
}

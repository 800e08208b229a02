import ArgumentParser
import Foundation
import WalletAuth

struct SignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Signs you in: on the server's page in your browser, or with a username and a password here.",
        discussion: """
            With --username the password is asked for on the terminal. With --password-stdin it is the first line of
            standard input; whatever the server asks for after it (a new password, a code) is read from the lines that \
            follow.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Sign in on the server's page (the default).")
    var browser = false

    @Flag(name: .customLong("no-open"), help: "Print the page's URL and open no browser.")
    var noOpen = false

    @Option(help: ArgumentHelp("Sign in here, without a browser.", valueName: "name"))
    var username: String?

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var passwordFromStandardInput = false

    @Option(help: ArgumentHelp("A scope to ask for; may be repeated. By default openid.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("The loopback redirect URI that is registered for the client.", valueName: "uri"))
    var redirectURI = "http://127.0.0.1/callback"

    func validate() throws {
        if username == nil, passwordFromStandardInput {
            throw ValidationError("--password-stdin goes with --username.")
        }
        if username != nil, browser || noOpen {
            throw ValidationError("--username signs in without a browser: leave out --browser and --no-open.")
        }
        guard URL(string: redirectURI)?.scheme != nil else {
            throw ValidationError("--redirect-uri is not a URI.")
        }
    }

    func run() async throws {
        let terminal = connection.terminal
        try await terminal.running {
            let profile = try connection.profileInUse()
            let wallet: Wallet
            if let username {
                wallet = try Wallet.of(profile, in: connection.folder, scopes: scope)
                let answers = passwordFromStandardInput ? Answers.standardInput : .person
                try await NativeSignIn(wallet: wallet, answers: answers, terminal: terminal).run(username: username)
            } else {
                wallet = try browserWallet(profile, terminal)
                try await wallet.setUp()
            }
            try profile.save(in: connection.folder)
            terminal.print(SessionReport(wallet, profile))
        }
    }

    private func browserWallet(_ profile: Profile, _ terminal: Terminal) throws -> Wallet {
        guard let redirect = URL(string: redirectURI) else { throw ValidationError("--redirect-uri is not a URI.") }
        let noOpen = noOpen
        return try Wallet.of(profile, in: connection.folder, signIn: .full(redirectURI: redirect), scopes: scope) {
            url in
            terminal.say("Open this page to sign in: \(url.absoluteString)")
            guard !noOpen else { return }
            #if os(Linux)
                do {
                    try await SystemBrowser.open(url)
                } catch let failure as UserAgentFailure {
                    // The URL is there to be clicked or copied, so this is no reason to stop.
                    terminal.say("(No browser was opened: \(failure.reason).)")
                }
            #endif
        }
    }
}

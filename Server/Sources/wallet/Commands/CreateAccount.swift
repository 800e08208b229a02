import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

struct CreateAccount: WalletCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-account",
        abstract: "Makes you an account, and signs you in.",
        discussion: """
            The server sends a code to your address. If the address has an account already, the message says so instead. The \
            operator has to allow it: walletauth brand update BRAND --registration on

            With --answers-stdin, the lines of standard input are the code and, unless --passkey is given, the password: keep the \
            pipe open, and write the code when it arrives.
            """)

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    @Option(help: ArgumentHelp("Your e-mail address.", valueName: "address"), transform: TypedText.trimmed)
    var email: String?

    @Option(
        help: ArgumentHelp("Your phone, with the country's code.", valueName: "number"), transform: TypedText.trimmed)
    var phone: String?

    @Option(help: ArgumentHelp("The user name that you choose.", valueName: "name"), transform: TypedText.trimmed)
    var username: String

    @Flag(
        help: """
            Create a passkey in place of a password. The operator has to allow it: walletauth brand update BRAND --registration \
            passkey, and walletauth client update CLIENT --add-passkey-origin https://HOST
            """)
    var passkey = false

    @OptionGroup var passkeys: PasskeyOptions

    @Flag(name: .customLong("answers-stdin"), help: "Read all answers from standard input.")
    var fromStandardInput = false

    func validate() throws {
        guard (email == nil) != (phone == nil) else {
            throw ValidationError("use either --email or --phone")
        }
        // Before a message is sent: at the end, the code would be spent.
        if let fault = Self.fault(of: username, proving: email) {
            throw ValidationError("--username \"\(username)\" \(fault)")
        }
    }

    // The user name that is wanted is no account's yet.
    var person: CommandPerson { .named(nil) }

    func run(_ terminal: Terminal) async throws {
        var requested = try connection.profileInUse()
        requested.scopes = try requested.lastScopes(in: connection.folder)
        // Before a code is sent.
        if passkey {
            try passkeys.presence.check()
            if let error = TerminalPresence.lack(at: requested.issuer) { throw error }
        }
        let wallet = try Wallet.of(requested, in: connection.folder, presence: passkeys.presence)
        try await RegistrationCheck(profile: requested, folder: connection.folder).run(wallet)
        let session = try? await SavedSession.find(in: connection.folder)
        let former = await session?.account()
        let answers = Answers(fromStandardInput: fromStandardInput, "--answers-stdin")
        let begun =
            if let phone {
                try await wallet.enrollment.begin(phone: phone, forPasskey: passkey)
            } else {
                try await wallet.enrollment.begin(email: email ?? "", forPasskey: passkey)
            }
        let name = try await TerminalSignIn(wallet: wallet, answers: answers, terminal: terminal)
            .run(registering: begun, as: username, email: email, byPasskey: passkey)
        (requested.username, requested.accountName) = (name, name)
        try requested.save(in: connection.folder)
        terminal.print(await SessionReport.of(wallet, requested))
        await SavedSession(requested, wallet).tellReplacement(of: former, to: terminal)
    }

    /// What is wrong with a user name, after the name; nil if the server may take it.
    static func fault(of username: String, proving email: String?) -> String? {
        do {
            let name = try Username(username)
            let isOwn = email.flatMap { try? Username($0) } == name
            return username.contains("@") && !isOwn ? "is an address, but not the one that you prove with --email" : nil
        } catch { return error.reason }
    }
}

extension TerminalSignIn {
    /// Makes an account with the code that was sent.
    /// - Parameters:
    ///   - wanted: the user name; if it is taken, a person is asked for another one.
    ///   - email: the address that the code went to, which may be a user name.
    ///   - byPasskey: whether a passkey takes the place of a password.
    /// - Returns: the account's user name.
    /// - Throws: ``Failure``; `WalletError`.
    func run(
        registering begun: RegistrationChallenge, as wanted: String, email: String?, byPasskey: Bool
    ) async throws -> String {
        terminal.say(
            begun.wasSent
                ? "A message is on its way. It has a code of \(begun.digits) digits, or says that the address has an account."
                : Self.codeElsewhere(begun.resendAfter))
        let newcomer = try await confirmed(begun)
        if let terms = newcomer.termsURL { terminal.say("By going on, you accept the terms: \(terms)") }
        var (username, password) = (wanted, byPasskey ? nil : try newPassword())
        var left = answers.tries
        while true {
            do {
                let outcome =
                    if let password {
                        try await newcomer.finish(
                            username: username, password: password, acceptedTerms: newcomer.termsURL)
                    } else {
                        try await newcomer.finishWithPasskey(username: username, acceptedTerms: newcomer.termsURL)
                    }
                try await finish(outcome)
                return username
            } catch let error as WalletError where left > 1 {
                if let fault = PasswordRules.fault(of: error) {
                    terminal.say(PasswordRules.sentence(fault))
                    password = try newPassword()
                } else if error.code == .usernameTaken {
                    terminal.say("The user name \(username) is taken, or looks like one that is.")
                    username = try anotherName(email)
                } else {
                    throw error
                }
                left -= 1
            }
        }
    }

    /// A code that was sent before works only in the command that asked for it, which has ended.
    private static func codeElsewhere(_ resendAfter: Duration) -> String {
        "No new code was sent, and one from before does not work here. Wait \(resendAfter.components.seconds) s for another one."
    }

    private func newPassword() throws -> String {
        try answers.chosen("New password", terminal, fault: PasswordRules.fault)
    }

    private func anotherName(_ email: String?) throws -> String {
        while true {
            let typed = TypedText.trimmed(try answers.next(asking: "Another user name: ", shown: .visible))
            guard let fault = CreateAccount.fault(of: typed, proving: email) else { return typed }
            terminal.say("That user name \(fault).")
        }
    }

    private func confirmed(_ begun: RegistrationChallenge) async throws -> Newcomer {
        // A script cannot ask for another one.
        if !begun.wasSent, !answers.isPerson {
            throw Failure(
                code: "code_not_sent", message: "no new code was sent, and one from before does not work here",
                advice: "try again in \(begun.resendAfter.components.seconds) s")
        }
        var (challenge, left, hasCode) = (begun, answers.tries, begun.wasSent)
        while true {
            let again = answers.isPerson ? " (press Enter for another one)" : ""
            let answer = try answers.next(asking: "Code\(again): ", shown: .visible)
            if answer.isEmpty, answers.isPerson {
                challenge = try await challenge.resend()
                hasCode = hasCode || challenge.wasSent
                let wait = challenge.resendAfter
                terminal.say(
                    challenge.wasSent
                        ? "Another code was sent." : hasCode ? SentCode.tooSoon(wait) : Self.codeElsewhere(wait))
                continue
            }
            do { return try await challenge.confirm(code: answer) } catch let error as WalletError
                where error.code == .invalidCode && left > 1
            {
                left -= 1
                terminal.say("That code is wrong or has expired. Try again.")
            }
        }
    }
}

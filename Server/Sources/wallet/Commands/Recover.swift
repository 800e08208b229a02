import ArgumentParser
import WalletAuth

struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Sets a new password for somebody who has forgotten it, and signs in.",
        discussion: """
            The server sends a code to the account's confirmed e-mail address, and says neither whether there is such an \
            account nor where the code went. An account that has an authenticator app, recovery codes or a telephone number \
            is asked for one of these as well. A wallet that was deactivated after too many failures is opened again, and \
            so is this device, where it is linked; what the operator deactivated is not.

            With --stdin the code, the second factor where one is asked for, and the new password are the lines of standard \
            input: keep the pipe open, and write the code when it has come.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Option(help: ArgumentHelp("Whose password is forgotten.", valueName: "name"))
    var username: String

    @Option(help: FactorName.help(FactorName.besideMailbox))
    var factor: String?

    @Flag(name: .customLong("stdin"), help: "Read all answers from standard input.")
    var fromStandardInput = false

    func validate() throws {
        guard let factor, factorName == nil else { return }
        throw ValidationError(
            "--factor \(factor) is none that is asked for beside the mailbox: give "
                + FactorName.words(FactorName.besideMailbox))
    }

    private var factorName: FactorName? {
        factor.flatMap(FactorName.init).flatMap { FactorName.besideMailbox.contains($0) ? $0 : nil }
    }

    func run() async throws {
        try await connection.running { terminal in
            var requested = try connection.profileInUse()
            requested.scopes = try requested.lastScopes(in: connection.folder)
            let wallet = try Wallet.of(requested, in: connection.folder)
            try await RegistrationCheck(profile: requested, folder: connection.folder).run(wallet)
            let answers = fromStandardInput ? Answers.standardInput : .person(instead: "--stdin")
            try await TerminalSignIn(wallet: wallet, answers: answers, terminal: terminal, factor: factorName)
                .run(recovering: username)
            requested.username = username
            try requested.save(in: connection.folder)
            terminal.print(await SessionReport.of(wallet, requested))
            // The recovery has succeeded, even if this request fails.
            if let factors = try? await wallet.factors.list(), let cooling = CoolingPeriod(factors) {
                terminal.say("Note: \(cooling.sentence).")
            }
        }
    }
}

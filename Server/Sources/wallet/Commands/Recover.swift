import ArgumentParser
import WalletAuth
import WalletAuthWire

struct Recover: WalletCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Sets a new password after you forgot the old one, and signs you in.",
        discussion: """
            The server sends a code to the account's confirmed e-mail address. It does not reveal whether the account exists or \
            where the code went. If the account has an authenticator app, recovery codes or a phone number, you need one of \
            these as well. A wallet that was deactivated after too many wrong attempts is reactivated, and this device is \
            unlocked if it is linked to the account. Whatever the operator deactivated stays deactivated.

            With --answers-stdin, the lines of standard input are the code, the second factor if one is needed, and the new \
            password: keep the pipe open, and write the code when it arrives.
            """)

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    @Option(help: ArgumentHelp("Your user name.", valueName: "name"), transform: TypedText.trimmed)
    var username: String

    @Option(help: FactorName.help(FactorName.besideMailbox))
    var factor: String?

    @Flag(name: .customLong("answers-stdin"), help: "Read all answers from standard input.")
    var fromStandardInput = false

    func validate() throws {
        guard let factor, factorName == nil else { return }
        throw ValidationError(
            "--factor \(factor) cannot be used in addition to the mailbox: use "
                + FactorName.words(FactorName.besideMailbox))
    }

    var person: CommandPerson { .named(username) }

    private var factorName: FactorName? {
        factor.flatMap(FactorName.init(argument:)).flatMap { FactorName.besideMailbox.contains($0) ? $0 : nil }
    }

    func run(_ terminal: Terminal) async throws {
        var requested = try connection.profileInUse()
        requested.scopes = try requested.lastScopes(in: connection.folder)
        let wallet = try Wallet.of(requested, in: connection.folder)
        try await RegistrationCheck(profile: requested, folder: connection.folder).run(wallet)
        let session = try? await SavedSession.find(in: connection.folder)
        let former = await session?.account()
        let answers = Answers(fromStandardInput: fromStandardInput, "--answers-stdin")
        try await TerminalSignIn(wallet: wallet, answers: answers, terminal: terminal, factor: factorName)
            .run(recovering: username)
        (requested.username, requested.accountName) = (username, nil)
        try requested.save(in: connection.folder)
        await requested.learnName(from: wallet)
        if requested.accountName != nil { try requested.save(in: connection.folder) }
        terminal.print(await SessionReport.of(wallet, requested))
        await SavedSession(requested, wallet).tellReplacement(of: former, to: terminal)
        // The recovery has succeeded, even if this request fails.
        if let factors = try? await wallet.factors.list(), let cooling = CoolingPeriod(factors) {
            terminal.say("Note: \(cooling.sentence).")
        }
    }
}

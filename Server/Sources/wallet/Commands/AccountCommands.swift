import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// The person's own account.
struct AccountCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Shows, changes, exports and closes your account.",
        discussion: """
            Every change, and the export, needs a sign-in within the last few minutes, with two factors or with all the factors \
            that your account has:
            wallet sign-in --username NAME --two-factors
            """,
        subcommands: [
            Show.self, Email.self, Phone.self, Activity.self, Export.self, Close.self, Keep.self,
        ])

    struct Show: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows whose account this is, and where the server reaches you.",
            discussion: "With the scopes \"profile email phone\", also the name, and addresses in full.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let session = await SessionReport.of(wallet, try connection.profileInUse())
            let factors = try await wallet.factors.list()
            let isMore = !Set(session.scopes ?? []).isDisjoint(with: ["profile", "email", "phone"])
            let claims = isMore ? try await wallet.userInfo() : nil
            terminal.print(AccountReport(session, factors, claims))
        }
    }

    struct Email: ContactCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds or changes your e-mail address, with the code that is sent to the new one.",
            discussion: ContactOptions.discussion)

        @Argument(help: "The new address.") var address: String

        @OptionGroup var contact: ContactOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        var effects: String {
            "this is the address with which you sign in and recover your account, \(ContactOptions.effects)"
        }

        var changed: String { "Your account has the new e-mail address." }

        func begin(_ account: Wallet.OwnAccount) async throws -> PendingContact {
            try await account.changeEmail(to: address)
        }

        func confirm(_ account: Wallet.OwnAccount, _ code: String) async throws {
            try await account.confirmEmail(code: code)
        }
    }

    struct Phone: ContactCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds or changes your phone number, with the code that is sent to the new one, or removes it.",
            discussion: ContactOptions.discussion)

        @Argument(help: "The new number in international form, such as +35921234567.") var number: String?

        @Flag(help: "Remove the number: no more codes are sent there.")
        var remove = false

        @OptionGroup var contact: ContactOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        var effects: String { ContactOptions.effects }

        var changed: String { "Your account has the new phone number." }

        func validate() throws {
            guard (number == nil) == remove else {
                throw ValidationError(
                    remove ? "a number cannot be combined with --remove" : "name a number, or use --remove")
            }
            if remove, contact.fromStandardInput { throw ValidationError("--code-stdin needs a new number") }
        }

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            guard remove else { return try await change(wallet, terminal) }
            try await wallet.account.removePhone()
            terminal.print(DoneReport(done: "Your phone number is removed: \(effects)."))
        }

        func begin(_ account: Wallet.OwnAccount) async throws -> PendingContact {
            try await account.changePhone(to: number ?? "")
        }

        func confirm(_ account: Wallet.OwnAccount, _ code: String) async throws {
            try await account.confirmPhone(code: code)
        }
    }

    struct Activity: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists what happened to your account, the newest first.")

        @Option(help: ArgumentHelp("The end of the page before.", valueName: "cursor"))
        var after: String?

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let page = try await wallet.account.activity(after: after)
            terminal.print(ActivityReport(page))
            if let cursor = page.cursor { terminal.say("There is more: wallet account activity --after \(cursor)") }
        }
    }

    struct Export: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints everything that the server stores about you, as JSON, or writes it to a new file.")

        @Argument(help: "The file, which only you can read. Standard output if omitted.") var file: String?

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        private struct Exported: Report {
            let file: String
            let bytes: Int
            var lines: [String] { ["Wrote \(bytes) bytes to \(file)."] }
        }

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            // Checked first: the server counts exports, and tells the person of each.
            if let file, FileManager.default.fileExists(atPath: file) {
                throw Self.unwritable(file, "it exists already")
            }
            let document = try await wallet.account.export()
            guard let file else { return terminal.passOn(document) }
            try Self.write(document, to: file)
            terminal.print(Exported(file: file, bytes: document.count))
        }

        private static func write(_ document: Data, to file: String) throws {
            let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw unwritable(file, String(cString: strerror(errno))) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do { try handle.write(contentsOf: document) } catch {
                throw unwritable(file, "the disk may be full")
            }
        }

        private static func unwritable(_ file: String, _ reason: String) -> Failure {
            Failure(
                code: "unwritable_file", message: "\(file) cannot be written: \(reason)", advice: "name another file")
        }
    }

    struct Close: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Closes your account: you are signed out everywhere, and it is erased some days later.",
            discussion: """
                Until it is erased, the code that you get takes that back: wallet account keep

                For a day after a change of your e-mail address or phone number, the account cannot be closed.
                """)

        @Flag(help: "Close it without a question.")
        var yes = false

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            if !yes {
                try await wallet.requireClosable()
                let question = "Your account will be closed, signed out everywhere and erased. Close it? (yes/no) "
                guard try Answers.person(instead: "--yes").isYes(question, terminal) else {
                    throw Failure(
                        code: Failure.notAgreed.code, message: "nothing was closed",
                        advice: "your account goes on as it was")
                }
            }
            terminal.print(ClosingReport(try await wallet.account.close()))
        }
    }

    struct Keep: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes the closing of your account back, with the code that you got.",
            discussion: "Sign in afterwards, as usual.")

        @Flag(name: .customLong("code-stdin"), help: "Read the code from standard input.")
        var fromStandardInput = false

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let answers = Answers(fromStandardInput: fromStandardInput, "--code-stdin")
            let account = try connection.wallet().account
            try await answers.code(
                asking: "Code from the message about the closing: ", terminal, wrong: .closingNotFound
            ) { try await account.keep(code: $0) }
            terminal.print(DoneReport(done: "Your account is kept. Sign in with: wallet sign-in"))
        }
    }
}

/// The options of a change of address or number.
struct ContactOptions: ParsableArguments {
    static let discussion = """
        What the account has so far gets word of it. In a script, --code-stdin reads the code from standard input: keep the pipe \
        open, and write the code when it arrives.
        """

    /// What follows from either change.
    static let effects =
        "your apps stay signed in, browsers are signed out, and for a day you cannot close your account"

    // Every user of the machine can read command-line arguments.
    @Flag(name: .customLong("code-stdin"), help: "Read the code from standard input.")
    var fromStandardInput = false
}

/// A command that changes the address or the number.
protocol ContactCommand: SignedInCommand {
    var contact: ContactOptions { get }
    /// What follows from the change, which is said before it.
    var effects: String { get }
    /// The sentence afterwards.
    var changed: String { get }
    func begin(_ account: Wallet.OwnAccount) async throws -> PendingContact
    func confirm(_ account: Wallet.OwnAccount, _ code: String) async throws
}

extension ContactCommand {
    func run(_ wallet: Wallet, _ terminal: Terminal) async throws { try await change(wallet, terminal) }

    /// Has a code sent to the new one, and typed.
    fileprivate func change(_ wallet: Wallet, _ terminal: Terminal) async throws {
        let answers = Answers(fromStandardInput: contact.fromStandardInput, "--code-stdin")
        let pending = try await begin(wallet.account)
        terminal.say("A code was sent to \(pending.destination). It works for \(pending.expiresIn / 60) minutes.")
        terminal.say("Once you enter it, \(effects).")
        try await answers.code(asking: "Code: ", terminal, wrong: .invalidCode) {
            try await confirm(wallet.account, $0)
        }
        terminal.print(DoneReport(done: changed))
    }
}

extension Answers {
    /// Has a code typed until it is right. A person may correct a wrong one, a script may not.
    /// - Parameter wrong: the server's refusal of a wrong code.
    fileprivate func code(
        asking question: String, _ terminal: Terminal, wrong: WalletError.Code, use: (String) async throws -> Void
    ) async throws {
        var left = tries
        while true {
            let code = try next(asking: question, shown: .visible)
            do { return try await use(code) } catch let error as WalletError where error.code == wrong && left > 1 {
                left -= 1
                terminal.say("That code is wrong. Try again.")
            }
        }
    }
}

// MARK: - Reports

private struct AccountReport: Report {
    let issuer: String
    let accountID: String?
    let username: String?
    let name: String?
    /// Mostly hidden without the scope for it.
    let email: String?
    let emailVerified: Bool?
    let phone: String?
    /// Until when nothing can be changed after a recovery.
    let coolingUntil: Date?
    /// Until when the account cannot be closed after a change of the address or number.
    let contactCoolingUntil: Date?

    init(_ session: SessionReport, _ factors: AccountFactorList, _ claims: UserInfo?) {
        func destination(_ channel: String) -> String? { factors.factors.first { $0.channel == channel }?.destination }
        issuer = session.issuer
        accountID = session.subject
        username = claims?.claims["preferred_username"]?.string ?? session.username
        name = claims?.name
        email = claims?.email ?? destination("EMAIL")
        emailVerified = claims?.isEmailVerified
        phone = claims?.phoneNumber ?? destination("SMS")
        coolingUntil = CoolingPeriod(factors)?.end
        contactCoolingUntil = factors.contactCoolingUntil?.date
    }

    var lines: [String] {
        let facts = [
            ("user name", username), ("account", accountID), ("server", issuer), ("name", name),
            ("e-mail", email.map { $0 + (emailVerified == false ? ", not confirmed" : "") }), ("phone", phone),
        ]
        let known = facts.compactMap { fact in fact.1.map { fact.0.padding(to: 11) + $0 } }
        let waits = [
            coolingUntil.map { "No changes until \($0.formatted(.iso8601)): your password was recovered recently." },
            contactCoolingUntil.map {
                "Cannot be closed until \($0.formatted(.iso8601)): your address or number was changed recently."
            },
        ]
        return known + waits.compactMap(\.self)
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

private struct ActivityReport: Report {
    struct Entry: Encodable, Sendable {
        let at: Date
        let text: String
        let app: String?
        let address: String?
    }

    let entries: [Entry]
    /// For --after; nil after the last page.
    let cursor: String?

    init(_ page: AccountActivity) {
        entries = page.entries.map { Entry(at: $0.at.date, text: $0.text, app: $0.app, address: $0.address) }
        cursor = page.cursor
    }

    var lines: [String] {
        guard !entries.isEmpty else { return ["Nothing is recorded here."] }
        return entries.map { entry in
            let place = [entry.app, entry.address].compactMap(\.self).joined(separator: ", ")
            return "\(entry.at.formatted(.iso8601))  \(entry.text)\(place.isEmpty ? "" : " (\(place))")"
        }
    }
}

private struct ClosingReport: Report {
    let eraseAt: Date
    let keepCode: String

    init(_ closing: AccountClosing) {
        eraseAt = closing.eraseAt.date
        keepCode = closing.keepCode.reveal()
    }

    var lines: [String] {
        [
            "Your account is closed, and you are signed out everywhere. It is erased at \(eraseAt.formatted(.iso8601)).",
            "To keep it, run `wallet account keep` before then, with this code:", "  \(keepCode)",
        ]
    }
}

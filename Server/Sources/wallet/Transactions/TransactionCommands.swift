import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

struct TransactionCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "Signs the request in a shop's QR code, with this device and its PIN.",
        subcommands: [List.self, Approve.self, Reject.self, Create.self])

    struct List: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the transactions that this device scanned but has not signed yet.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let open = try await wallet.transactions.open()
            terminal.print(OpenTransactionsReport(transactions: open.map { SigningReport($0.details) }))
        }
    }

    struct Approve: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a transaction, and signs it once you agree.",
            discussion: """
                CODE is the QR code's text or its link. To read a code from your screen, take a picture of it: --picture FILE.

                You see what you sign, confirm, and type this device's PIN; five wrong PINs lock it. If you answer no, you choose \
                a reason for the backend, and the exit status is 1. In scripts, use --yes and --pin-stdin.
                """)

        @Flag(help: "Confirm without being asked. Check what a script signs before you use this.")
        var yes = false

        @OptionGroup var code: CodeSource
        @OptionGroup var signer: SignerOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let wallet = try connection.wallet()
            let dialogue = try await signer.dialogue(wallet, terminal, yes ? .agree : .ask)
            let (flow, id) = try await code.start(wallet, account: dialogue.account)
            do { terminal.print(try await dialogue.follow(flow)) } catch let error as WalletError
                where error.code == .transactionOver && error.transactionStatus == .signed
            {
                // A repetition after a lost answer, or out of doubt, has what it asked for.
                let history = try await wallet.transactions.history(of: dialogue.account)
                guard let entry = history.first(where: { $0.transactionID == id && $0.outcome == .approved }) else {
                    throw error
                }
                terminal.print(SigningReport(signedBefore: entry))
            }
        }
    }

    struct Reject: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rejects a transaction and tells its backend why. No PIN is needed.")

        @Option(
            help: ArgumentHelp(
                "The reason: wrong-data, unexpected or other. (default: other)", valueName: "reason"),
            completion: .names(of: RejectionReason.self), transform: named)
        var reason = RejectionReason.other

        @OptionGroup var code: CodeSource
        @Option(help: SignerOptions.accountHelp) var account: String?
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let wallet = try connection.wallet()
            let accounts = try await wallet.accounts
            let dialogue = TransactionDialogue(
                answers: .person(instead: "--account"), terminal: terminal, decision: .reject(reason), factor: nil,
                account: try accounts.account(named: account), accounts: accounts)
            terminal.print(try await dialogue.follow(code.start(wallet, account: dialogue.account).flow))
        }
    }

    struct Create: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Signs your own data, never a payment.",
            discussion: """
                Use --data, --state or both: you sign their contents. The server stores nothing until you sign. Your backend \
                finds the transaction by its id.
                """)

        @Option(help: ArgumentHelp("The file to sign: 1 byte to 4 KiB.", valueName: "file"))
        var data: String?

        @Option(
            help: ArgumentHelp(
                "A text to sign that tells the backend what it is for: at most 1 KiB.", valueName: "text"))
        var state: String?

        @Option(
            help: ArgumentHelp(
                "The factor to sign with: pin or any. biometric needs wallet biometrics enable. (default: any)",
                valueName: "factor"),
            completion: .names(of: RequiredSecondFactor.self), transform: named)
        var require = RequiredSecondFactor.any

        @OptionGroup var signer: SignerOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func validate() throws {
            // A signature over no content would prove nothing.
            guard data != nil || !(state ?? "").isEmpty else {
                throw ValidationError("there is nothing to sign: use --data FILE, --state TEXT or both")
            }
        }

        func run(_ terminal: Terminal) async throws {
            let wallet = try connection.wallet()
            let dialogue = try await signer.dialogue(wallet, terminal, .ask)
            let transaction = ClientTransaction(
                clientState: state.map { Data($0.utf8) }, clientAdditionalData: try data.map(Self.content),
                requiredSecondFactorType: require)
            terminal.print(
                try await dialogue.follow(wallet.transactions.create(transaction, account: dialogue.account)))
        }

        private static func content(of file: String) throws -> Data {
            let unreadable = Failure(
                code: "unreadable_file", message: "\(file) cannot be read", advice: "use another file with --data")
            guard let handle = FileHandle(forReadingAtPath: file) else { throw unreadable }
            let content: Data
            // Reads one byte more than the limit, so that the SDK reports the excess.
            do { content = try handle.read(upToCount: 4097) ?? Data() } catch { throw unreadable }
            guard !content.isEmpty else {
                throw Failure(
                    code: "empty_file", message: "\(file) is empty, so there is nothing in it to sign",
                    advice: "use another file with --data")
            }
            return content
        }
    }
}

/// The signer's account and factor.
struct SignerOptions: ParsableArguments {
    static let accountHelp = ArgumentHelp(
        "Who signs, if this device has several accounts: a user name or an account id.", valueName: "name")

    @Option(help: accountHelp) var account: String?

    @Option(
        help: ArgumentHelp(
            "Sign with pin, or biometric after wallet biometrics enable. (default: pin, if it is allowed)",
            valueName: "factor"),
        completion: .names(of: TransactionFactor.self), transform: named)
    var factor: TransactionFactor?

    @OptionGroup var source: PINSource

    func dialogue(
        _ wallet: Wallet, _ terminal: Terminal, _ decision: TransactionDialogue.Decision
    ) async throws -> TransactionDialogue {
        let accounts = try await wallet.accounts
        return TransactionDialogue(
            answers: try source.answers(), terminal: terminal, decision: decision, factor: factor,
            account: try accounts.account(named: account), accounts: accounts)
    }
}

extension [Wallet.EnrolledAccount] {
    /// The account of this device with the given name.
    /// - Throws: ``Failure`` if there is none.
    func account(named name: String?) throws -> AccountID? {
        guard let name else { return nil }
        guard let account = first(where: { $0.isNamed(name) }) else {
            throw Failure(
                code: "no_such_account", message: "this device is not enrolled for \"\(name)\"",
                advice: "sign in as \(name), then: wallet device enroll DEVICE-NAME")
        }
        return account.id
    }
}

/// Parses the value of an option in lower case: `wrong-data` is `WRONG_DATA`.
private func named<Value: RawRepresentable<String> & CaseIterable>(_ text: String) throws -> Value {
    guard let value = Value(rawValue: text.uppercased().replacing("-", with: "_")) else {
        throw ValidationError("\"\(text)\" is not one of: \(optionNames(of: Value.self).joined(separator: ", "))")
    }
    return value
}

private func optionNames<Value: RawRepresentable<String> & CaseIterable>(of _: Value.Type) -> [String] {
    Value.allCases.map { $0.rawValue.lowercased().replacing("_", with: "-") }
}

extension CompletionKind {
    /// The values of an option that ``named(_:)`` parses.
    fileprivate static func names(of type: (some RawRepresentable<String> & CaseIterable).Type) -> CompletionKind {
        .list(optionNames(of: type))
    }
}

struct SigningReport: Report {
    let status: TransactionStatus
    var transactionID: String?
    var account: String?
    var secondFactor: TransactionFactor?
    var reason: RejectionReason?
    var content: [String] = []
    var expiresAt: Date?
    /// Whether an earlier command of this device signed it.
    var signedBefore: Bool?

    init(_ signed: SignedTransaction) {
        status = .signed
        transactionID = signed.id.rawValue
        account = signed.account.rawValue
        secondFactor = signed.secondFactor
        content = signed.details?.words ?? []
    }

    init(signedBefore entry: HistoryEntry) {
        status = .signed
        transactionID = entry.id
        account = entry.account.rawValue
        signedBefore = true
    }

    init(rejected reason: RejectionReason) {
        status = .rejected
        self.reason = reason
    }

    /// A transaction that was scanned but not signed.
    init(_ details: TransactionDetails) {
        status = .claimed
        transactionID = details.id.rawValue
        account = details.account.rawValue
        content = details.words
        expiresAt = details.expiresAt
    }

    var lines: [String] {
        switch status {
        case .signed:
            [
                signedBefore == true ? "This device signed it before; nothing else is needed." : "Signed.",
                "  transaction  \(transactionID ?? "")",
            ]
        case .rejected: ["Rejected. Nothing was signed."]
        default: content.enumerated().map { $0 == 0 ? $1 : "  \($1)" } + ["  transaction  \(transactionID ?? "")"]
        }
    }
}

struct OpenTransactionsReport: Report {
    let transactions: [SigningReport]

    var lines: [String] {
        guard !transactions.isEmpty else { return ["Nothing is waiting for your signature."] }
        return transactions.flatMap(\.lines) + ["Sign one with: wallet transactions approve TRANSACTION"]
    }
}

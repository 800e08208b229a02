import ArgumentParser
import Foundation
import QRCodes
import WalletAuth
import WalletAuthWire

/// The second factors of the account.
struct MFA: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mfa", abstract: "Looks after your second factors.",
        discussion: """
            Every change takes a sign-in that is minutes old and of two factors, or of all that your account has:
            wallet sign-in --username NAME --two-factors
            """,
        subcommands: [List.self, Authenticator.self, RecoveryCodes.self, Questions.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists your second factors.")

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                terminal.print(FactorReport(try await connection.signedIn().factors.list()))
            }
        }
    }

    struct Authenticator: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets up an authenticator app: shows its QR code, and asks for the code that the app then shows.",
            discussion: """
                In a script: --begin prints the secret and stops, --confirm --stdin takes the app into use by the code in a line of \
                standard input. An app that is in use stays so until the new one is confirmed.
                """)

        @Flag(help: "Print the secret and its QR code, and ask for nothing.")
        var begin = false

        @Flag(help: "Take the app into use by the code that it shows, which is asked for.")
        var confirm = false

        // Every user of the machine can read command-line arguments.
        @Flag(name: .customLong("stdin"), help: "Read the code from standard input.")
        var fromStandardInput = false

        @Flag(help: "Take the app away.")
        var remove = false

        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            guard [begin, confirm, remove].count(where: { $0 }) <= 1 else {
                throw ValidationError("--begin, --confirm and --remove exclude each other")
            }
            if fromStandardInput, !confirm { throw ValidationError("--stdin goes with --confirm") }
        }

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try await connection.signedIn()
                if remove {
                    try await wallet.factors.removeAuthenticator()
                    terminal.print(DoneReport(done: "The authenticator app is no second factor any more."))
                } else if confirm {
                    let answers = fromStandardInput ? Answers.standardInput : .person(instead: "--stdin")
                    try await wallet.factors.confirmAuthenticator(
                        code: answers.next(asking: Self.question, shown: .visible))
                    terminal.print(Self.inUse)
                } else {
                    let setup = try await wallet.factors.beginAuthenticator()
                    if begin || connection.json {
                        terminal.print(AuthenticatorReport(setup))
                        if !connection.json {
                            terminal.say("Then take it into use: wallet mfa authenticator --confirm")
                        }
                    } else {
                        terminal.show(AuthenticatorReport(setup))
                        try await askForCode(wallet, terminal)
                        terminal.print(Self.inUse)
                    }
                }
            }
        }

        private static let question = "Code that the app shows: "
        private static let inUse = DoneReport(
            done: "The authenticator app is a second factor now. Make recovery codes too: wallet mfa recovery-codes")

        private func askForCode(_ wallet: Wallet, _ terminal: Terminal) async throws {
            for isLast in [false, false, true] {
                let code = try Answers.person(instead: "--begin, then --confirm --stdin")
                    .next(asking: Self.question, shown: .visible)
                do { return try await wallet.factors.confirmAuthenticator(code: code) } catch let error as WalletError
                    where error.code == .invalidCode && !isLast
                { terminal.say("That code is not right. Wait for the next one and try again.") }
            }
        }
    }

    struct RecoveryCodes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recovery-codes",
            abstract: "Makes ten codes for the day when nothing else is at hand; the set before is void.")

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let codes = try await connection.signedIn().factors.makeRecoveryCodes()
                terminal.print(RecoveryCodeReport(codes: codes.map { $0.reveal() }))
                terminal.say("They are shown this once. Write them down; each is good for one sign-in.")
            }
        }
    }

    struct Questions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the secret questions, or sets your answers to some of them.",
            discussion: """
                An answer is easily found out: it opens a sign-in where the operator allows that, and links no device. With \
                --set, each answer is asked for, or read from a line of standard input with --answers-stdin.
                """)

        @Option(help: ArgumentHelp("A question to answer, by its id; may be repeated.", valueName: "id"))
        var set: [String] = []

        @Flag(name: .customLong("answers-stdin"), help: "Read the answers from standard input.")
        var fromStandardInput = false

        @Flag(help: "Take all answers away.")
        var clear = false

        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            if clear, !set.isEmpty { throw ValidationError("--set and --clear exclude each other") }
            if fromStandardInput, set.isEmpty { throw ValidationError("--answers-stdin goes with --set") }
        }

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try await connection.signedIn()
                let catalog = try await wallet.factors.secretQuestions()
                if set.isEmpty, !clear {
                    terminal.print(QuestionReport(catalog))
                    return
                }
                var given: [String: String] = [:]
                for id in set {
                    guard let question = catalog.questions.first(where: { $0.id == id }) else {
                        throw Failure(
                            code: "unknown_question", message: "there is no question \"\(id)\"",
                            advice: "look at: wallet mfa questions")
                    }
                    let answers = fromStandardInput ? Answers.standardInput : .person(instead: "--answers-stdin")
                    given[id] = try answers.next(asking: "\(question.text) ", shown: .hidden)
                }
                try await wallet.factors.setSecretQuestions(given)
                terminal.print(DoneReport(done: given.isEmpty ? "No questions are set." : "Your answers are set."))
            }
        }
    }
}

struct PasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Sets another password. Every other session of yours ends.",
        discussion: "With --stdin, the present password and the new one are the first two lines of standard input.")

    @Flag(name: .customLong("stdin"), help: "Read both passwords from standard input.")
    var fromStandardInput = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.running { terminal in
            let wallet = try await connection.signedIn()
            let answers = fromStandardInput ? Answers.standardInput : .person(instead: "--stdin")
            let current = try answers.next(asking: "Present password: ", shown: .hidden)
            let new = try answers.chosen("New password", terminal, fault: PasswordLength.fault)
            try await wallet.changePassword(current: current, new: new)
            terminal.print(DoneReport(done: "Your password is changed. Other devices have to sign in with it."))
        }
    }
}

// MARK: - Reports

struct DoneReport: Report {
    let done: String
    var lines: [String] { [done] }
}

private struct FactorReport: Report {
    struct Factor: Encodable, Sendable {
        let method: String
        let channel: String?
        let destination: String?
        let name: String?
        let createdAt: Date?
        let lastUsedAt: Date?
        let coolingUntil: Date?

        init(_ factor: AccountFactorList.Factor) {
            method = factor.method
            channel = factor.channel
            destination = factor.destination
            name = factor.passkey?.name
            createdAt = Self.date(factor.passkey?.createdAt)
            lastUsedAt = Self.date(factor.passkey?.lastUsedAt)
            coolingUntil = Self.date(factor.passkey?.coolingUntil)
        }

        private static func date(_ time: NumericDate?) -> Date? {
            time.map { Date(timeIntervalSince1970: Double($0.secondsSince1970)) }
        }
    }

    let factors: [Factor]
    let recoveryCodes: Int64
    let coolingUntil: Date?
    private let cooling: CoolingPeriod?

    private enum CodingKeys: String, CodingKey {
        case factors
        case recoveryCodes
        case coolingUntil
    }

    init(_ list: AccountFactorList) {
        cooling = CoolingPeriod(list)
        coolingUntil = cooling?.end
        factors = list.factors.map { Factor($0) }
        recoveryCodes = list.recoveryCodes
    }

    var lines: [String] {
        let notes = cooling.map { ["Note: \($0.sentence)."] } ?? []
        guard !factors.isEmpty else {
            return ["No second factor. Set one up: wallet mfa authenticator"] + notes
        }
        return factors.map { factor in
            switch factor.method {
            case "totp": "authenticator app"
            case "otp": "code by \(factor.channel == "SMS" ? "SMS" : "e-mail") to \(factor.destination ?? "…")"
            case "secret_question": "secret questions"
            case "recovery_code": "recovery codes, \(recoveryCodes) left"
            case AccountFactorList.Factor.passkeyMethod:
                "passkey \(factor.name ?? "")" + (factor.coolingUntil == nil ? "" : ", which agrees to no payment yet")
            default: factor.method
            }
        } + notes
    }
}

private struct AuthenticatorReport: Report {
    let secret: String
    let otpauthUri: String
    let expiresIn: Int64

    init(_ setup: AuthenticatorSetup) {
        secret = setup.secret.reveal()
        otpauthUri = setup.uri.reveal()
        expiresIn = setup.expiresIn
    }

    var drawing: [String] { QRCode(otpauthUri)?.lines ?? [] }

    var lines: [String] {
        [
            "Scan this with an authenticator app, or type the secret into it: \(secret)",
            "It has to be confirmed within \(expiresIn / 60) minutes.",
        ]
    }
}

private struct RecoveryCodeReport: Report {
    let codes: [String]
    var lines: [String] { codes }
}

private struct QuestionReport: Report {
    struct Question: Encodable, Sendable {
        let id: String
        let text: String
        let isChosen: Bool
    }

    let questions: [Question]

    init(_ catalog: SecretQuestionCatalog) {
        questions = catalog.questions.map { Question(id: $0.id, text: $0.text, isChosen: $0.isChosen) }
    }

    var lines: [String] { questions.map { "\($0.id)  \($0.text)\($0.isChosen ? "  (answered)" : "")" } }
}

import ArgumentParser
import Foundation
import QRCodes
import WalletAuth
import WalletAuthWire

/// The second factors of the account.
struct MFA: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mfa", abstract: "Manages your second factors.",
        discussion: """
            Every change needs a sign-in within the last few minutes, with two factors or with all the factors that your \
            account has:
            wallet sign-in --username NAME --two-factors
            """,
        subcommands: [List.self, Authenticator.self, RecoveryCodes.self, Questions.self])

    struct List: SignedInCommand {
        static let configuration = CommandConfiguration(abstract: "Lists your second factors.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            terminal.print(FactorReport(try await wallet.factors.list()))
        }
    }

    struct Authenticator: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets up an authenticator app: shows a QR code, then asks for the app's code.",
            discussion: """
                In a script, --begin prints the secret and exits; --confirm --code-stdin reads the app's code from standard input and \
                activates the app. Your current app keeps working until the new one is confirmed.
                """)

        @Flag(help: "Print the secret and its QR code, then exit without asking for a code.")
        var begin = false

        @Flag(help: "Activate the app; asks for the code that it shows.")
        var confirm = false

        // Every user of the machine can read command-line arguments.
        @Flag(name: .customLong("code-stdin"), help: "Read the code from standard input.")
        var fromStandardInput = false

        @Flag(help: "Remove the authenticator app.")
        var remove = false

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func validate() throws {
            guard [begin, confirm, remove].count(where: { $0 }) <= 1 else {
                throw ValidationError("--begin, --confirm and --remove cannot be combined")
            }
            if fromStandardInput, !confirm { throw ValidationError("--code-stdin needs --confirm") }
        }

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            if remove {
                try await wallet.factors.removeAuthenticator()
                terminal.print(DoneReport(done: "The authenticator app is no longer a second factor."))
            } else if confirm {
                let answers = Answers(fromStandardInput: fromStandardInput, "--code-stdin")
                try await wallet.factors.confirmAuthenticator(
                    code: answers.next(asking: Self.question, shown: .visible))
                terminal.print(Self.inUse)
            } else {
                let setup = try await wallet.factors.beginAuthenticator()
                if begin || connection.json {
                    terminal.print(AuthenticatorReport(setup))
                    if !connection.json {
                        terminal.say("Then activate it: wallet mfa authenticator --confirm")
                    }
                } else {
                    terminal.show(AuthenticatorReport(setup))
                    try await askForCode(wallet, terminal)
                    terminal.print(Self.inUse)
                }
            }
        }

        private static let question = "Code from the app: "
        private static let inUse = DoneReport(
            done: "The authenticator app is now a second factor. Create recovery codes too: wallet mfa recovery-codes")

        private func askForCode(_ wallet: Wallet, _ terminal: Terminal) async throws {
            for isLast in [false, false, true] {
                let code = try Answers.person(instead: "--begin, then --confirm --code-stdin")
                    .next(asking: Self.question, shown: .visible)
                do { return try await wallet.factors.confirmAuthenticator(code: code) } catch let error as WalletError
                    where error.code == .invalidCode && !isLast
                { terminal.say("That code is wrong. Wait for the next one and try again.") }
            }
        }
    }

    struct RecoveryCodes: SignedInCommand {
        static let configuration = CommandConfiguration(
            commandName: "recovery-codes",
            abstract: "Creates ten codes for when you have no other factor at hand; your old codes stop working.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let codes = try await wallet.factors.makeRecoveryCodes()
            terminal.print(RecoveryCodeReport(codes: codes.map { $0.reveal() }))
            terminal.say("You won't see these codes again. Write them down; each works for one sign-in.")
        }
    }

    struct Questions: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the secret questions, or sets your answers.",
            discussion: """
                Answers are often easy to find out: they let you sign in where the operator allows that, but cannot link a \
                device. With --set, you are asked for each answer; with --answers-stdin, each is read from a line of standard \
                input.
                """)

        @Option(help: ArgumentHelp("A question to answer, by its id; may be repeated.", valueName: "id"))
        var set: [String] = []

        @Flag(name: .customLong("answers-stdin"), help: "Read the answers from standard input.")
        var fromStandardInput = false

        @Flag(help: "Remove all answers.")
        var clear = false

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func validate() throws {
            if clear, !set.isEmpty { throw ValidationError("--set and --clear cannot be combined") }
            if fromStandardInput, set.isEmpty { throw ValidationError("--answers-stdin needs --set") }
        }

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let catalog = try await wallet.factors.secretQuestions()
            if set.isEmpty, !clear {
                terminal.print(QuestionReport(catalog))
                return
            }
            let questions = try set.map { try Self.question($0, in: catalog) }
            let answers = Answers(fromStandardInput: fromStandardInput, "--answers-stdin")
            if answers.isPerson, !questions.isEmpty {
                try Self.check(count: questions.count, catalog)
                try await wallet.requireChangeable(by: .changeFactors)
            }
            var given: [String: String] = [:]
            for question in questions {
                given[question.id] = try answers.next(asking: "\(question.text) ", shown: .hidden)
            }
            try await wallet.factors.setSecretQuestions(given)
            terminal.print(DoneReport(done: given.isEmpty ? "No questions are set." : "Your answers are set."))
        }

        private static func question(
            _ id: String, in catalog: SecretQuestionCatalog
        ) throws -> SecretQuestionCatalog.Question {
            guard let question = catalog.questions.first(where: { $0.id == id }) else {
                throw Failure(
                    code: "unknown_question", message: "there is no question \"\(id)\"",
                    advice: "see: wallet mfa questions")
            }
            return question
        }

        /// Refuses too few or too many questions before the first of them is asked.
        private static func check(count: Int, _ catalog: SecretQuestionCatalog) throws {
            guard catalog.least <= catalog.most, !(catalog.least...catalog.most).contains(Int64(count)) else { return }
            throw Failure(
                code: WalletError.Code.unacceptableAnswers.rawValue,
                message: "you chose \(count), which is too few or too many",
                advice: "choose \(catalog.least) to \(catalog.most) of: wallet mfa questions")
        }
    }
}

struct PasswordCommand: SignedInCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Changes your password. You will be signed out everywhere else.",
        discussion:
            "With --password-stdin, the first two lines of standard input are your current password and the new one.")

    @Flag(name: .customLong("password-stdin"), help: "Read both passwords from standard input.")
    var fromStandardInput = false

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
        let answers = Answers(fromStandardInput: fromStandardInput, "--password-stdin")
        if answers.isPerson { try await wallet.requireChangeable(by: .changePassword) }
        let current = try answers.next(asking: "Current password: ", shown: .hidden)
        let new = try answers.chosen("New password", terminal, fault: PasswordRules.fault)
        try await wallet.changePassword(current: current, new: new)
        terminal.print(DoneReport(done: "Your password was changed. Sign in with it on your other devices."))
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
            createdAt = factor.passkey?.createdAt.date
            lastUsedAt = factor.passkey?.lastUsedAt?.date
            coolingUntil = factor.passkey?.coolingUntil?.date
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
                "passkey \(factor.name ?? "")" + (factor.coolingUntil == nil ? "" : ", cannot approve payments yet")
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
            "Confirm it within \(expiresIn / 60) minutes.",
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

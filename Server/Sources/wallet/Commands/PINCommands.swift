import ArgumentParser
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

struct PINCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Sets, changes and removes this device's PIN for signing in.",
        subcommands: [Set.self, Change.self, Remove.self, Status.self])

    struct Set: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets this device's PIN, or replaces a forgotten or locked one.",
            discussion: """
                Needs a sign-in with two factors within the last few minutes on this device, which must be enrolled. A PIN has 4 \
                to 12 digits (at least six unless --minimum-length is set) and must not be a common one.
                """)

        @OptionGroup var source: PINSource
        @OptionGroup var rules: PINRuleOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            try await wallet.requireOwnEnrollment()
            try await wallet.requireSettled(withTwoFactorsFor: .setPIN)
            let new = try source.answers().newPIN(rules.rules, terminal)
            try await wallet.pin.set(new, rules: rules.rules)
            terminal.print(try await PINReport(wallet))
        }
    }

    struct Change: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes this device's PIN.",
            discussion: "With --pin-stdin, the first line is the current PIN and the second is the new one.")

        @Flag(name: .customLong("pin-stdin"), help: "Read each PIN from a line of standard input.")
        var fromStandardInput = false

        @OptionGroup var rules: PINRuleOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let answers = Answers(fromStandardInput: fromStandardInput, "--pin-stdin")
            try await wallet.requireOwnEnrollment()
            try await wallet.requirePIN(of: wallet.ownEnrollment()?.id, for: answers)
            let current = try answers.next(asking: "Current PIN: ", shown: .hidden)
            let new = try answers.newPIN(rules.rules, terminal)
            try await wallet.pin.change(from: current, to: new, rules: rules.rules)
            terminal.print(try await PINReport(wallet))
        }
    }

    struct Remove: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes this device's PIN; you cannot use a PIN here until you set a new one.",
            discussion: "Only servers you are signed in to are notified; for others, sign in and run it again."
        )

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let wallet = try connection.wallet()
            let forgetting = try await wallet.pin.forget()
            if case .onThisDevice(let error) = forgetting { terminal.say(Self.note(on: error)) }
            terminal.print(try await PINReport(wallet))
        }

        /// The next step where the server was not notified.
        static func note(on error: WalletError) -> String {
            let time =
                switch error.outcome {
                case .offline, .temporarilyUnavailable, .misconfigured: "When it can be reached"
                default: "After you sign in again"
                }
            return "The server could not be notified. \(time), run: wallet pin remove"
        }
    }

    struct Status: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows whether this device has a PIN. Exits with 1 if none can be used to sign in."
        )

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let report = try await PINReport(connection.wallet())
            terminal.print(report)
            if report.state != .active { throw ExitCode(1) }
        }
    }
}

struct PINRuleOptions: ParsableArguments {
    @Option(
        name: .customLong("minimum-length"),
        help: ArgumentHelp("The minimum number of digits of a new PIN, from 4 to 12.", valueName: "digits"))
    var minimumLength = 6

    func validate() throws {
        guard PIN.lengths.contains(minimumLength) else {
            throw ValidationError("--minimum-length must be from 4 to 12")
        }
    }

    var rules: PINRules { PINRules(minimumLength: minimumLength) }
}

struct PINReport: Report {
    let state: Wallet.DevicePIN.State
    let lockReason: PINLockReason?

    init(_ wallet: Wallet) async throws {
        state = try await wallet.pin.state()
        lockReason = try await wallet.pin.lockReason()
    }

    var lines: [String] {
        switch state {
        case .none: ["No PIN is set on this device."]
        case .active: ["A PIN is set on this device. Sign in with: wallet sign-in --pin"]
        case .locked:
            switch lockReason {
            case .restore:
                [
                    "The PIN was locked when the server was restored from a backup. Sign in with two factors, then: wallet pin set"
                ]
            case .tooManyTries, nil:
                ["The PIN is locked after too many wrong PINs. Sign in with two factors, then: wallet pin set"]
            }
        }
    }
}

extension Answers {
    /// A new PIN. A person types it twice once it meets the rules.
    /// - Throws: ``Failure`` if the two entries differ in every attempt.
    fileprivate func newPIN(_ rules: PINRules, _ terminal: Terminal) throws -> String {
        try chosen("New PIN", terminal) { Self.fault(in: $0, rules) }
    }

    private static func fault(in text: String, _ rules: PINRules) -> String? {
        do throws(PINFault) {
            try rules.check(PIN(text))
            return nil
        } catch {
            return switch error {
            case .malformed: "A PIN contains only digits."
            case .tooShort: "That is too short: a PIN has at least \(rules.minimumLength) digits here."
            case .tooLong(let maximum): "That is too long: a PIN has at most \(maximum) digits."
            case .tooCommon: "That PIN is too common: choose another one."
            }
        }
    }
}

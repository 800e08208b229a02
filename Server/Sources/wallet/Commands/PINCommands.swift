import ArgumentParser
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

struct PINCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Sets, changes and forgets the PIN that signs you in on this device.",
        subcommands: [Set.self, Change.self, Forget.self, Status.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets the PIN of this device, also in the place of a forgotten or locked one.",
            discussion: """
                Takes a sign-in with two factors, minutes old, on this device, which has to be enrolled. A PIN has 4 to 12 \
                digits, six or more unless --minimum-length says otherwise, and is not one of those that are tried first.
                """)

        @OptionGroup var source: PINSource
        @OptionGroup var rules: PINRuleOptions
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try await connection.signedIn()
                try await wallet.requireOwnEnrollment()
                try await wallet.requireSettled()
                let new = try source.answers().newPIN(rules.rules, terminal)
                try await wallet.pin.set(new, rules: rules.rules)
                terminal.print(try await PINReport(wallet))
            }
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts another PIN in the place of the one in use.",
            discussion: "With --pin-stdin the first line is the PIN in use, the second the new one.")

        @Flag(name: .customLong("pin-stdin"), help: "Read each PIN from a line of standard input.")
        var fromStandardInput = false

        @OptionGroup var rules: PINRuleOptions
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try await connection.signedIn()
                let answers = fromStandardInput ? Answers.standardInput : .person(instead: "--pin-stdin")
                try await wallet.requireOwnEnrollment()
                try await wallet.requirePIN(of: wallet.ownEnrollment()?.id, for: answers)
                let current = try answers.next(asking: "PIN in use: ", shown: .hidden)
                let new = try answers.newPIN(rules.rules, terminal)
                try await wallet.pin.change(from: current, to: new, rules: rules.rules)
                terminal.print(try await PINReport(wallet))
            }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes the PIN away: no PIN opens anything from here until another is set.",
            discussion: "The server is told where you are signed in; where you were not, run it again after signing in."
        )

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try Wallet.of(connection.profileInUse(), in: connection.folder)
                let forgetting = try await wallet.pin.forget()
                if case .onThisDevice = forgetting {
                    terminal.say("The server could not be told. Once you are signed in again: wallet pin forget")
                }
                terminal.print(try await PINReport(wallet))
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells whether a PIN is set on this device, as far as it knows. Exit status 1 when none signs in."
        )

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let report = try await PINReport(
                    Wallet.of(connection.profileInUse(), in: connection.folder))
                terminal.print(report)
                if report.state != .active { throw ExitCode(1) }
            }
        }
    }
}

struct PINRuleOptions: ParsableArguments {
    @Option(
        name: .customLong("minimum-length"),
        help: ArgumentHelp("The fewest digits of a new PIN, from 4 to 12.", valueName: "digits"))
    var minimumLength = 6

    func validate() throws {
        guard PIN.lengths.contains(minimumLength) else { throw ValidationError("--minimum-length is 4 to 12") }
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
        case .active: ["A PIN is set on this device. Sign in by it with: wallet sign-in --pin"]
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
            case .malformed: "A PIN has digits alone."
            case .tooShort: "That is too short: a PIN has at least \(rules.minimumLength) digits here."
            case .tooLong(let maximum): "That is too long: a PIN has at most \(maximum) digits."
            case .tooCommon: "That is one of those that are tried first: choose another."
            }
        }
    }
}

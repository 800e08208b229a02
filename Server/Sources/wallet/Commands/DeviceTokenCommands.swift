import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// The long-lived session of this device.
struct DeviceTokenCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-token",
        abstract: "Starts, shows and ends this device's long-lived session.",
        subcommands: [Generate.self, Status.self, Expire.self, Decline.self])

    struct Generate: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Starts a long-lived session, to sign in with: wallet sign-in --device-token.",
            discussion: """
                Asks for your password again. This device must be enrolled and have a PIN. The session ends after 90 days \
                without use, and works only together with the PIN.
                """)

        @Option(help: ArgumentHelp("Your user name.", valueName: "name"), transform: TypedText.trimmed)
        var username: String

        @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
        var passwordFromStandardInput = false

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        var person: CommandPerson { .named(username) }

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            try await wallet.requireOwnEnrollment()
            // Without a PIN, no one could sign in with the session here.
            if case .none = try await wallet.pin.state(of: wallet.ownEnrollment()?.id) {
                throw WalletError(
                    .pinNotSet, .refused, during: .generateDeviceToken, reason: "according to this device's data")
            }
            try await wallet.checkDeviceAuthenticationToken()
            let answers = Answers(fromStandardInput: passwordFromStandardInput, "--password-stdin")
            if answers.isPerson {
                terminal.say(
                    "With a long-lived session, this device signs you in with its PIN alone. Your password shows that you want that."
                )
            }
            let password = try answers.next(asking: "Password for \(username): ", shown: .hidden)
            try await wallet.generateDeviceAuthenticationToken(username: username, password: password)
            terminal.print(try await DeviceTokenReport(wallet))
        }
    }

    struct Status: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows whether this device has a long-lived session. Exits with 1 if none can be used to sign in."
        )

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let report = try await DeviceTokenReport(connection.wallet())
            terminal.print(report)
            guard case .active = report.state else { throw ExitCode(1) }
        }
    }

    struct Expire: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the long-lived session; you stay signed in.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            try await wallet.expireDeviceAuthenticationToken()
            terminal.print(try await DeviceTokenReport(wallet))
        }
    }

    struct Decline: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turns down long-lived sessions on this device; an existing one ends.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            try await wallet.declineDeviceAuthenticationToken()
            terminal.print(try await DeviceTokenReport(wallet))
        }
    }
}

struct DeviceTokenReport: Report {
    let state: Wallet.DeviceAuthenticationTokenState

    init(_ wallet: Wallet) async throws {
        state = try await wallet.deviceAuthenticationToken
    }

    var lines: [String] {
        switch state {
        case .none: ["This device has no long-lived session."]
        case .active(let until):
            [
                "This device has a long-lived session until \(until.formatted(.iso8601)). Sign in with: wallet sign-in --device-token"
            ]
        case .expired:
            ["The long-lived session has expired. Start a new one: wallet device-token generate --username NAME"]
        case .declined: ["You turned down long-lived sessions on this device."]
        }
    }

    private enum CodingKeys: String, CodingKey {
        case state
        case until
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch state {
        case .none: try container.encode("none", forKey: .state)
        case .expired: try container.encode("expired", forKey: .state)
        case .declined: try container.encode("declined", forKey: .state)
        case .active(let until):
            try container.encode("active", forKey: .state)
            try container.encode(until.formatted(.iso8601), forKey: .until)
        }
    }
}

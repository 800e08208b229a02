import ArgumentParser
import Foundation
import WalletAuth

/// The long-lived session of this device.
struct DeviceTokenCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-token",
        abstract: "Begins, shows and ends the long-lived session of this device.",
        subcommands: [Generate.self, Status.self, Expire.self, Decline.self])

    struct Generate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begins a long-lived session; wallet sign-in --device-token signs in by it.",
            discussion: """
                Takes the password once more, on this device, which has to be enrolled and have a PIN. The session serves \
                90 days from its last use, and alone opens nothing.
                """)

        @Option(help: ArgumentHelp("Whose wallet it is.", valueName: "name"))
        var username: String

        @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
        var passwordFromStandardInput = false

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try await connection.signedIn()
                try await wallet.requireOwnEnrollment()
                let answers = passwordFromStandardInput ? Answers.standardInput : .person(instead: "--password-stdin")
                let password = try answers.next(asking: "Password for \(username): ", shown: .hidden)
                try await wallet.generateDeviceAuthenticationToken(username: username, password: password)
                terminal.print(try await DeviceTokenReport(wallet))
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells whether one is kept, as far as this device knows. Exit status 1 when none signs in.")

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let report = try await DeviceTokenReport(Wallet.of(connection.profileInUse(), in: connection.folder))
                terminal.print(report)
                guard case .active = report.state else { throw ExitCode(1) }
            }
        }
    }

    struct Expire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the long-lived session; the session that is under way goes on.")

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try await connection.signedIn()
                try await wallet.expireDeviceAuthenticationToken()
                terminal.print(try await DeviceTokenReport(wallet))
            }
        }
    }

    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Records that you want no long-lived session on this device; one that is kept ends.")

        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.running { terminal in
                let wallet = try await connection.signedIn()
                try await wallet.declineDeviceAuthenticationToken()
                terminal.print(try await DeviceTokenReport(wallet))
            }
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
        case .none: ["No long-lived session is kept on this device."]
        case .active(let until):
            [
                "A long-lived session is kept until \(until.formatted(.iso8601)). Sign in by it: wallet sign-in --device-token"
            ]
        case .expired: ["The long-lived session is over. Begin another: wallet device-token generate --username NAME"]
        case .declined: ["You want no long-lived session on this device."]
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

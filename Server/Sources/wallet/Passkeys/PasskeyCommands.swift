import ArgumentParser
import Foundation
import WalletAuth

/// The passkeys of the account.
struct PasskeyCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey",
        abstract: "Manages your passkeys, of which this device keeps its own.",
        discussion: """
            Every change needs a sign-in within the last few minutes, with two factors:
              wallet sign-in --username NAME --two-factors
              wallet passkey add
              wallet sign-in --passkey
            You are asked before it is created or used. For its first day, a passkey that you add counts as one \
            factor.

            Passkeys need a server with a host name: there are none at an IP address such as 127.0.0.1.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: WalletCommand {
        static let configuration = CommandConfiguration(abstract: "Creates a passkey on this device.")

        @Option(help: ArgumentHelp("Your name for the passkey.", valueName: "name"))
        var name: String?

        @OptionGroup var passkeys: PasskeyOptions

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ terminal: Terminal) async throws {
            let wallet = try await connection.signedIn(passkeys.presence)
            terminal.print(PasskeyReport(try await wallet.passkeys.register(name: name)))
        }
    }

    struct List: SignedInCommand {
        static let configuration = CommandConfiguration(abstract: "Lists your passkeys.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            terminal.print(PasskeyListReport(passkeys: try await wallet.passkeys.list().map(PasskeyReport.init)))
        }
    }

    struct Remove: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a passkey: you can no longer sign in with it.")

        @Argument(help: ArgumentHelp("The passkey's id, as wallet passkey list shows it.", valueName: "id"))
        var id: String

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            guard let passkey = try? PasskeyID(id) else {
                throw Failure(
                    code: WalletError.Code.factorNotFound.rawValue, message: "you have no passkey \"\(id)\"",
                    advice: "list yours with: wallet passkey list")
            }
            try await wallet.passkeys.remove(passkey)
            terminal.print(DoneReport(done: "Removed. You can no longer sign in with it."))
        }
    }
}

private struct PasskeyReport: Report {
    let passkeyID: String
    let name: String
    let createdAt: Date
    let coolingUntil: Date?

    init(_ passkey: AccountFactorList.Passkey) {
        passkeyID = passkey.id.rawValue
        name = passkey.name
        createdAt = passkey.createdAt.date
        coolingUntil = passkey.coolingUntil?.date
    }

    var lines: [String] {
        let cooling = coolingUntil.map { ", one factor until \($0.formatted(.iso8601))" } ?? ""
        return ["\(passkeyID)  \(name)\(cooling)"]
    }
}

private struct PasskeyListReport: Report {
    let passkeys: [PasskeyReport]
    var lines: [String] {
        passkeys.isEmpty ? ["No passkeys. Create one: wallet passkey add"] : passkeys.flatMap(\.lines)
    }
}

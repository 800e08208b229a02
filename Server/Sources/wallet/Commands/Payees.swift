import ArgumentParser
import Foundation
import WalletAuthWire

struct Payees: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists, adds and removes your payees.",
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: BackendCommand {
        static let configuration = CommandConfiguration(abstract: "Lists your payees.")

        @OptionGroup var backend: BackendOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ backend: Backend, _ terminal: Terminal) async throws {
            let answer = try await backend.get("payees")
            let payees = try answer.required("payees", answer["payees"]?.array)
            terminal.print(PayeesReport(payees: try payees.compactMap(\.object).map { try PayeeReport($0) }))
        }
    }

    struct Add: BackendCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a payee.",
            discussion: "Needs two factors: someone with a stolen password must not choose who gets paid.")

        @Argument(help: ArgumentHelp("Your name for the payee.", valueName: "name"))
        var name: String

        @Argument(
            help: ArgumentHelp("The payee's account: an IBAN, or another wallet's account.", valueName: "account"))
        var account: String

        @OptionGroup var backend: BackendOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func validate() throws {
            do { _ = try Payee(name: name, account: account) } catch {
                throw ValidationError("\(error.field == "payee.name" ? "<name>" : "<account>") \(error.reason)")
            }
            guard IBAN.isMeant(by: account) else { return }
            do { _ = try IBAN(account) } catch {
                throw ValidationError("\"\(account)\" is not an IBAN: it \(error.reason)")
            }
        }

        func run(_ backend: Backend, _ terminal: Terminal) async throws {
            let answer = try await backend.post("payees", JSONObject(strings: ["name": name, "account": account]))
            terminal.print(try PayeeReport(answer))
        }
    }
}

extension Payees {
    struct Remove: BackendCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a payee.", discussion: "Needs two factors, like adding a payee.")

        @Argument(help: ArgumentHelp("Your name for the payee.", valueName: "name"))
        var name: String

        @Option(help: ArgumentHelp("The account that the payee must have.", valueName: "account"))
        var account: String?

        @OptionGroup var backend: BackendOptions
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ backend: Backend, _ terminal: Terminal) async throws {
            let query = account.map { [URLQueryItem(name: "account", value: $0)] } ?? []
            try await backend.delete("payees", name, query: query)
            terminal.print(DoneReport(done: "\(name) is no longer one of your payees."))
        }
    }
}

struct PayeeReport: Report {
    let name: String
    let account: String

    init(_ object: JSONObject) throws(MalformedValue) {
        name = try object.required("name", object.string("name"))
        account = try object.required("account", object.string("account"))
    }

    var lines: [String] { ["\(name)  \(account)"] }
}

private struct PayeesReport: Report {
    let payees: [PayeeReport]
    var lines: [String] {
        payees.isEmpty ? ["No payees. Add one: wallet payees add NAME ACCOUNT"] : payees.flatMap(\.lines)
    }
}

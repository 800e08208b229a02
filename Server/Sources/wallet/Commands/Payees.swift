import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

struct Payees: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows and adds the payees of your wallet, and takes them away.",
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows your payees.")

        @OptionGroup var backend: BackendOptions
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.paying(by: backend) { backend, terminal in
                let payees = try await backend.get("payees")["payees"]?.array ?? []
                terminal.print(PayeesReport(payees: try payees.compactMap(\.object).map { try PayeeReport($0) }))
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a payee.",
            discussion: "Takes a sign-in with two factors: whoever has stolen a password must not choose who is paid.")

        @Argument(help: ArgumentHelp("What you call the payee.", valueName: "name"))
        var name: String

        @Argument(
            help: ArgumentHelp("The payee's account: an IBAN, or another wallet's account.", valueName: "account"))
        var account: String

        @OptionGroup var backend: BackendOptions
        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            do { _ = try Payee(name: name, account: account) } catch {
                throw ValidationError("\(error.field == "payee.name" ? "<name>" : "<account>") \(error.reason)")
            }
            guard IBAN.isMeant(by: account) else { return }
            do { _ = try IBAN(account) } catch {
                throw ValidationError("\"\(account)\" is no IBAN: it \(error.reason)")
            }
        }

        func run() async throws {
            try await connection.paying(by: backend) { backend, terminal in
                let answer = try await backend.post("payees", JSONObject(strings: ["name": name, "account": account]))
                terminal.print(try PayeeReport(answer))
            }
        }
    }
}

extension Payees {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a payee away.", discussion: "Takes a sign-in with two factors, as adding one does.")

        @Argument(help: ArgumentHelp("What you call the payee.", valueName: "name"))
        var name: String

        @Option(help: ArgumentHelp("The payee's account, where several look like the name.", valueName: "account"))
        var account: String?

        @OptionGroup var backend: BackendOptions
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await connection.paying(by: backend) { backend, terminal in
                let query = account.map { [URLQueryItem(name: "account", value: $0)] } ?? []
                try await backend.delete("payees", name, query: query)
                terminal.print(DoneReport(done: "\(name) is no payee of yours any more."))
            }
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

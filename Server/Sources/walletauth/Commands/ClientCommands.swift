import ArgumentParser
import Operations

struct ClientCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Register and change the apps and backends that sign people in.",
        discussion: LocatingSettings.discussion,
        subcommands: [ClientCreate.self, ClientList.self, ClientShow.self, ClientUpdate.self, ClientDelete.self])
}

struct ClientList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the clients.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.list)
    }
}

struct ClientShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything about a client, except its secret.")

    @OptionGroup var client: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.show(id: try client.value))
    }
}

struct ClientDelete: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Close a client for good: its sessions end, its devices are removed, its open requests are cancelled."
    )

    @OptionGroup var client: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .client(.delete(id: try client.value))
    }
}

/// Whether a client's token requests need a DPoP proof, by one of two flags.
struct TokenBindingOptions: ParsableArguments {
    @Flag private var flags: [TokenBindingFlag] = []

    func validate() throws {
        guard Set(flags).count <= 1 else {
            throw ValidationError("use either --require-dpop or --allow-bearer, not both")
        }
    }

    /// `nil` if neither flag is given.
    var requiresDPoP: Bool? { flags.first.map { $0 == .requireDPoP } }
}

enum TokenBindingFlag: EnumerableFlag {
    case requireDPoP
    case allowBearer

    static func name(for value: TokenBindingFlag) -> NameSpecification {
        switch value {
        case .requireDPoP: .customLong("require-dpop")
        case .allowBearer: .customLong("allow-bearer")
        }
    }

    static func help(for value: TokenBindingFlag) -> ArgumentHelp? {
        switch value {
        case .requireDPoP: "Every token request needs a DPoP proof; the default for a public first-party app."
        case .allowBearer: "Tokens without a key are allowed: anyone who copies one can use it."
        }
    }
}

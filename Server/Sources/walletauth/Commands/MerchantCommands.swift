import ArgumentParser
import Operations

struct MerchantCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merchant", abstract: "Manage merchants, their employees and their clients.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            MerchantCreate.self, MerchantList.self, MerchantInstallClient.self, MerchantRemoveClient.self,
            MerchantAddEmployee.self, MerchantRemoveEmployee.self,
        ])
}

struct MerchantCreate: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create a merchant.")

    @Option(help: "The merchant id; generated if omitted.")
    var id: String?

    @Option(help: "The merchant's name.")
    var name: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.create(id: id, name: name))
    }
}

struct MerchantList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the merchants.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.list)
    }
}

struct MerchantInstallClient: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-client", abstract: "Install a client for a merchant.")

    @Option(help: "The merchant id.")
    var merchant: String

    @Option(help: "The client id.")
    var client: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.installClient(merchant: merchant, client: client))
    }
}

struct MerchantRemoveClient: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-client",
        abstract: "Remove a client from a merchant; its sessions there end at the next renewal.")

    @Option(help: "The merchant id.")
    var merchant: String

    @Option(help: "The client id.")
    var client: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.removeClient(merchant: merchant, client: client))
    }
}

struct MerchantAddEmployee: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-employee", abstract: "Make a person an employee of a merchant.")

    @Option(help: "The merchant id.")
    var merchant: String

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.addEmployee(merchant: merchant, account: try account.reference))
    }
}

struct MerchantRemoveEmployee: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-employee", abstract: "Remove an employee; their sessions there end at the next renewal.")

    @Option(help: "The merchant id.")
    var merchant: String

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .merchant(.removeEmployee(merchant: merchant, account: try account.reference))
    }
}

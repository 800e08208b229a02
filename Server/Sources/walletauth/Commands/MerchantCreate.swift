import ArgumentParser
import AuthAdministration

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

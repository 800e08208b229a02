import ArgumentParser
import AuthAdministration

struct DeviceList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices of an account.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.list(try account.reference))
    }
}

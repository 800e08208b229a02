import ArgumentParser

struct MerchantCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merchant", abstract: "Merchants, whose employees sign in where a client is installed.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            MerchantCreate.self, MerchantList.self, MerchantInstallClient.self, MerchantRemoveClient.self,
            MerchantAddEmployee.self, MerchantRemoveEmployee.self,
        ])
}

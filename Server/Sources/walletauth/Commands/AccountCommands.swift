import ArgumentParser

struct AccountCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "People.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            AccountCreate.self, AccountList.self, AccountShow.self, AccountUpdate.self, AccountDeactivate.self,
            AccountReactivate.self, AccountVerifyEmail.self, AccountExpirePassword.self, AccountSetPassword.self,
            AccountRemovePIN.self,
            AccountConsents.self, AccountExport.self, AccountErase.self,
        ])
}

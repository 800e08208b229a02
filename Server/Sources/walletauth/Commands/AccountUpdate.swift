import ArgumentParser
import AuthFlows

/// Changes what an account says about its person.
struct AccountUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change what an account says about its person; what is left out stays as it is.",
        discussion: """
            Apps that sign people in by OpenID Connect read it at the userinfo endpoint, as far as their scopes go. An empty text \
            takes a thing away.
            """)

    @OptionGroup var account: AccountOptions

    @OptionGroup var profile: ProfileOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard profile.change != ProfileChange() else {
            throw ValidationError(
                """
                Nothing to change: give --name, --given-name, --family-name, --locale, --address or --[no-]phone-verified.
                """)
        }
    }

    func command() throws -> AdministrationCommand {
        .account(.update(try account.reference, profile.change))
    }
}

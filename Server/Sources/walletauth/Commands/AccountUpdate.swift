import ArgumentParser
import AuthAdministration

struct AccountUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change an account's personal data; omitted fields stay as they are.",
        discussion: """
            Apps that sign people in with OpenID Connect read it at the userinfo endpoint, as far as their scopes \
            allow. An empty text removes a value.
            """)

    @OptionGroup var account: AccountOptions

    @OptionGroup var profile: ProfileOptions

    @OptionGroup var output: OutputOptions

    func checkRequest() throws {
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

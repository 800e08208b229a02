internal import ArgumentParser

struct AccountUpdate: AdminCommand {
    static let title = "account update"
    static let abstract = "Change an account's personal data; omitted fields stay as they are."
    static let discussion = """
        Apps that sign people in with OpenID Connect read it at the userinfo endpoint, as far as their scopes \
        allow. An empty string removes a value.
        """

    @OptionGroup var account: AccountOptions

    @OptionGroup var profile: ProfileOptions

    var target: CommandTarget { get throws { .account(try account.reference) } }

    /// A confirmed number could be the operator's own.
    var takesTwo: Bool { profile.phoneVerified == true }

    func checkRequest() throws {
        guard profile.change != ProfileChange() else {
            throw ValidationError(
                """
                nothing to change: use --name, --given-name, --family-name, --locale, --address or --[no-]phone-verified
                """)
        }
    }

    func execute(in accounts: AccountAdministration) async throws -> AdministrationAnswer {
        try await accounts.update(account.reference, profile.change)
    }
}

/// The profile claims of an account, for relying apps (OpenID Connect Core §5.1).
struct ProfileOptions: ParsableArguments {
    @Option(help: "The full name.")
    var name: String?

    @Option(help: ArgumentHelp("The given names.", valueName: "names"))
    var givenName: String?

    @Option(help: ArgumentHelp("The family names.", valueName: "names"))
    var familyName: String?

    @Option(help: ArgumentHelp("The preferred language, such as de-AT.", valueName: "language"))
    var locale: String?

    @Option(help: ArgumentHelp("The postal address; line breaks separate its lines.", valueName: "lines"))
    var address: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Mark the phone number as confirmed, because you know that it is the person's, or as not confirmed.")
    var phoneVerified: Bool?

    var change: ProfileChange {
        ProfileChange(
            name: name, givenName: givenName, familyName: familyName, locale: locale, address: address,
            phoneVerified: phoneVerified)
    }
}

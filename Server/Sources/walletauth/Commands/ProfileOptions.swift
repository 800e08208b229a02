import ArgumentParser
import AuthAdministration

/// The profile claims of an account, for relying apps (OpenID Connect Core §5.1).
struct ProfileOptions: ParsableArguments {
    @Option(help: "The full name.")
    var name: String?

    @Option(help: "The given names.")
    var givenName: String?

    @Option(help: "The family names.")
    var familyName: String?

    @Option(help: "The preferred language, such as de-AT.")
    var locale: String?

    @Option(help: "The postal address; line breaks separate its lines.")
    var address: String?

    @Flag(inversion: .prefixedNo, help: "Whether the phone number is confirmed: you know that it is the person's.")
    var phoneVerified: Bool?

    var change: ProfileChange {
        ProfileChange(
            name: name, givenName: givenName, familyName: familyName, locale: locale, address: address,
            phoneVerified: phoneVerified)
    }
}

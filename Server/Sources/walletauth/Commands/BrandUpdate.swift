import ArgumentParser
import AuthFlows

/// Changes how a brand looks and what it asks.
struct BrandUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a brand's name, look and rules; what is left out stays as it is.",
        discussion: """
            An empty --color, --logo-url or --terms-url takes it away. --new-device decides what a native sign-in from a device that is \
            not linked to its account brings along beside the password. Answers to secret questions are often found out: \
            they open the door, and never count as a second category of factor. A PIN of the account stands in the password's \
            place on the web page of an app that asks for it (login_strategy=PIN); five wrong ones lock it. With --password-days \
            people choose another password once theirs is older, those of today included; apps are told beforehand when that is. \
            NIST SP 800-63B advises against it where nothing says that a password is known to others.
            """)

    @Option(help: "The brand id, as it stands in URLs.")
    var id: String

    @Option(help: "What people read on the pages.")
    var name: String?

    @Option(help: "Six hexadecimal digits for buttons and links; any color will do, text on it stays readable.")
    var color: String?

    @Option(help: "The https address of an image, shown in place of the name.")
    var logoURL: String?

    @Option(help: "The https address of the terms that people accept with an account that they make on a page.")
    var termsURL: String?

    @Option(help: "What a device that is not linked has to bring along: second_factor (the default) or allow.")
    var newDevice: String?

    @Option(help: "Whether secret questions may be asked for as a second factor: on or off (the default).")
    var secretQuestions: Switch?

    @Option(help: "Whether people may sign in on the web by a PIN of their account: on or off (the default).")
    var accountPIN: Switch?

    @Option(help: "How many days old a password may grow before it has to be changed; 0 (the default) for no limit.")
    var passwordDays: Int?

    /// A thing that is on or off.
    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard
            name != nil || color != nil || logoURL != nil || termsURL != nil || newDevice != nil
                || secretQuestions != nil || accountPIN != nil || passwordDays != nil
        else {
            throw ValidationError(
                """
                Nothing to change: give --name, --color, --logo-url, --terms-url, --new-device, --secret-questions, \
                --account-pin or --password-days.
                """)
        }
    }

    func command() throws -> AdministrationCommand {
        .brand(
            .update(
                id: id,
                BrandChange(
                    name: name, color: color, logoURL: logoURL, termsURL: termsURL, newDevice: newDevice,
                    secretQuestions: secretQuestions.map { $0 == .on }, accountPIN: accountPIN.map { $0 == .on },
                    passwordDays: passwordDays)))
    }
}

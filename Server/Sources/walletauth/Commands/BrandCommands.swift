import ArgumentParser
import Operations

struct BrandCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brand", abstract: "Create and change brands: sets of accounts with their own look and rules.",
        discussion: LocatingSettings.discussion,
        subcommands: [BrandCreate.self, BrandList.self, BrandShow.self, BrandUpdate.self])
}

struct BrandCreate: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create a brand.")

    @Option(help: "The brand id, as it appears in URLs.")
    var id: String

    @Option(help: "The name that people see on the pages.")
    var name: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.create(id: id, name: name))
    }
}

struct BrandList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the brands.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.list)
    }
}

struct BrandShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show everything about a brand.")

    @OptionGroup var brand: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .brand(.show(id: try brand.value))
    }
}

struct BrandUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a brand's name, look and rules; omitted options stay as they are.",
        discussion: """
            An empty --color, --logo-url or --terms-url removes the value. --new-device decides what a native sign-in \
            needs besides the password on a device that is not linked to its account. Answers to secret questions are \
            often easy to find out: they let people sign in, but never count as a second category of factor. An \
            account PIN replaces the password on the web page of an app that asks for it (login_strategy=PIN), and on \
            first-party apps' own screens; five wrong ones lock it. With --password-days, people must choose a new \
            password once theirs is older than that, and existing passwords count too; apps learn the date in advance. \
            NIST SP 800-63B advises against this unless there is evidence that a password is compromised.
            """)

    @Option(help: "The brand id, as it appears in URLs.")
    var id: String

    @Option(help: "The name that people see on the pages.")
    var name: String?

    @Option(help: "Six hexadecimal digits, the color of buttons and links; text on any color stays readable.")
    var color: String?

    @Option(help: "The https address of an image that replaces the name.")
    var logoURL: String?

    @Option(help: "The https address of the terms that people accept when they create an account on a page.")
    var termsURL: String?

    @Option(help: "What sign-in requires on a device that is not linked: second_factor (the default) or allow.")
    var newDevice: String?

    @Option(help: "Whether secret questions can be a second factor: on or off (the default).")
    var secretQuestions: Switch?

    @Option(help: "Whether people can sign in on the web with an account PIN: on or off (the default).")
    var accountPIN: Switch?

    @Option(help: "The age in days at which a password has to be changed; 0 (the default) for no limit.")
    var passwordDays: Int?

    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    @OptionGroup var output: OutputOptions

    func checkRequest() throws {
        guard change != BrandChange() else {
            throw ValidationError("nothing to change: use at least one option")
        }
    }

    func command() throws -> AdministrationCommand {
        .brand(.update(id: id, change))
    }

    private var change: BrandChange {
        BrandChange(
            name: name, color: color, logoURL: logoURL, termsURL: termsURL, newDevice: newDevice,
            secretQuestions: secretQuestions.map { $0 == .on }, accountPIN: accountPIN.map { $0 == .on },
            passwordDays: passwordDays)
    }
}

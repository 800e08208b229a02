import ArgumentParser
import AuthFlows

/// Changes how a brand looks.
struct BrandUpdate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a brand's name and look; what is left out stays as it is.",
        discussion: "An empty --color or --logo-url takes it away.")

    @Option(help: "The brand id, as it stands in URLs.")
    var id: String

    @Option(help: "What people read on the pages.")
    var name: String?

    @Option(help: "Six hexadecimal digits for buttons and links; any color will do, text on it stays readable.")
    var color: String?

    @Option(help: "The https address of an image, shown in place of the name.")
    var logoURL: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard name != nil || color != nil || logoURL != nil else {
            throw ValidationError("Nothing to change: give --name, --color or --logo-url.")
        }
    }

    func command() throws -> AdministrationCommand {
        .brand(.update(id: id, BrandChange(name: name, color: color, logoURL: logoURL)))
    }
}

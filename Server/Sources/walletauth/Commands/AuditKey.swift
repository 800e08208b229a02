import ArgumentParser
import AuthAdministration

struct AuditKey: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Print the public keys of the checkpoints as a JWK set, for the auditor to keep.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .audit(.key)
    }
}

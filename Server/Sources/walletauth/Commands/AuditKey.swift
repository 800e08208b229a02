import ArgumentParser
import AuthFlows

/// Prints the keys that checkpoints are verified with.
struct AuditKey: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "The public keys of the checkpoints, as a JWK set: to be kept by the auditor.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .audit(.key)
    }
}

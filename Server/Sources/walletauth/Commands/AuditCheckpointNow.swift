import ArgumentParser
import AuthFlows

/// Makes a checkpoint now.
struct AuditCheckpointNow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Sign where the record stands now, and print it: for paper, or a machine that nobody here writes to.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .audit(.checkpoint)
    }
}

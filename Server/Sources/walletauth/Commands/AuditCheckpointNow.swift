import ArgumentParser
import AuthAdministration

struct AuditCheckpointNow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: """
            Sign the current state of the audit log and print it, to keep on paper or on a machine that this server \
            cannot write to.
            """)

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .audit(.checkpoint)
    }
}

import ArgumentParser

/// The audit record.
struct AuditCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "The record of what happened, and whether it still is what was written.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            AuditVerify.self, AuditVerifyEvidence.self, AuditTail.self, AuditCheckpointNow.self, AuditKey.self,
        ])
}

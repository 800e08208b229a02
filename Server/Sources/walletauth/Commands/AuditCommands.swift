import ArgumentParser

/// The audit record.
struct AuditCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read the audit record, and verify that it was not changed.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            AuditVerify.self, AuditVerifyEvidence.self, AuditTail.self, AuditCheckpointNow.self, AuditKey.self,
        ])
}

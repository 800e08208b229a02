import ArgumentParser

struct AuditCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read the audit log, and verify that it was not changed.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            AuditVerify.self, AuditVerifyEvidence.self, AuditTail.self, AuditCheckpointNow.self, AuditKey.self,
        ])
}

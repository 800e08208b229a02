import ArgumentParser
import AuthAdministration
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verifies the audit log.
struct AuditVerify: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Find what was changed, removed, reordered or cut off.",
        discussion: """
            Reads every entry while the server runs, and compares the audit log with exported checkpoints: only they \
            show that its end was cut off, or that it was rewritten with the server's keys. Exits with 0 if the audit \
            log is intact and with 1 if it is not, with a line for each fault and its place.
            """)

    @Option(
        help: "The exported checkpoints, a path on the server's machine; the configured file if omitted.",
        completion: .file())
    var checkpoints: String?

    @OptionGroup var output: OutputOptions

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let channel = AdministrationChannel(configuration: configuration)
        try channel.requireDestination()
        // The server may have a different working directory.
        let path = checkpoints.map { URL(filePath: $0).standardizedFileURL.path(percentEncoded: false) }
        let answer = try await channel.answer(to: .audit(.verify(checkpoints: path)))
        // Faults in the audit log are an answer. A verification that could not run is reported as in every other
        // command.
        let document = try? JSONValue.object(parsing: Array(answer.json.utf8))
        if document?["error"] != nil {
            if output.json { try Terminal.say(answer.json) }
            throw Refusal(answer.lines.joined(separator: " "))
        }
        try output.print(answer)
        guard answer.status == .done else { throw ExitCode.failure }
    }
}

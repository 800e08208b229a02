import ArgumentParser
import Operations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct AuditCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read the audit log, and verify that it was not changed.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            AuditVerify.self, AuditVerifyEvidence.self, AuditTail.self, AuditCheckpointNow.self, AuditKey.self,
        ])
}

/// Verifies the audit log.
struct AuditVerify: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Find entries that were changed, removed, reordered or cut off.",
        discussion: """
            Reads every entry while the server runs, and compares the audit log with exported checkpoints: only these \
            reveal that its end was cut off, or that it was rewritten with the server's keys. Exits with 0 if the audit \
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
        if answer.refusalCode != nil { try output.require(answer) }
        try output.print(answer)
        guard answer.status == .done else { throw ExitCode.failure }
    }
}

/// Shows the newest entries, and new ones as they are written.
struct AuditTail: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Print the latest entries of the audit log, the newest last.",
        discussion: """
            Each line has time, partition/entry, kind, account, client and details. --json prints one JSON document, \
            and with --follow one more whenever entries arrive.
            """)

    @Flag(help: "Print new entries as they arrive, until interrupted.")
    var follow = false

    @Option(help: ArgumentHelp("Only entries of this account: its user name or its id.", valueName: "account"))
    var account: String?

    @Option(help: "The brand of the user name; `default` if omitted.")
    var brand: String?

    @Option(help: "Only entries of this kind, for example account.signed_in.")
    var kind: String?

    @Option(help: "The maximum number of entries, from 1 to 1000.")
    var limit = 20

    @OptionGroup var output: OutputOptions

    /// The polling interval.
    private static let interval = Duration.milliseconds(500)

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let reference = reference
        let channel = AdministrationChannel(configuration: configuration)
        try channel.requireDestination()
        let tail = AdministrationCommand.audit(.tail(account: reference, kind: kind, limit: limit))
        guard follow else {
            try show(try await channel.answer(to: tail))
            return
        }
        if configuration.database.isPostgreSQL {
            try await channel.withServer(for: .administering) { server in
                try await watch(from: await server.administration.execute(tail), reference) {
                    await server.administration.execute($0)
                }
            }
        } else {
            let socket = configuration.adminSocketPath
            try await watch(from: try await channel.answer(to: tail), reference) { command in
                do {
                    return try await AdminClient(path: socket).answer(to: command)
                } catch {
                    throw Refusal("no server responds on \(socket): only a running server can be followed")
                }
            }
        }
    }

    /// Shows entries as they arrive, until one of the questions fails.
    private func watch(
        from first: AdministrationAnswer, _ reference: AccountReference?,
        _ ask: (AdministrationCommand) async throws -> AdministrationAnswer
    ) async throws {
        var answer = first
        try show(answer)
        while true {
            guard let cursor = Cursor(answer) else { throw Refusal("the server responded without a cursor") }
            try await Task.sleep(for: Self.interval)
            answer = try await ask(.audit(.follow(account: reference, kind: kind, cursor: cursor.positions)))
            if !answer.lines.isEmpty { try show(answer) }
        }
    }

    /// The account. Text in the format of an id is an id, since no one types one by chance.
    var reference: AccountReference? {
        account.map { UUID(uuidString: $0) == nil ? .username($0, brand: brand) : .id($0) }
    }

    func validate() throws {
        guard brand == nil || account != nil else {
            throw ValidationError("--brand needs a user name in --account")
        }
    }

    private func show(_ answer: AdministrationAnswer) throws {
        guard answer.status == .done else { throw Refusal(answer.lines.joined(separator: " ")) }
        try output.print(answer)
    }

    /// Where the next poll continues.
    private struct Cursor: Decodable {
        private let cursor: [Int64]
        var positions: [Int64] { cursor }

        init?(_ answer: AdministrationAnswer) {
            guard let read = try? JSONDecoder().decode(Cursor.self, from: Data(answer.json.utf8)) else { return nil }
            self = read
        }
    }
}

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

struct AuditKey: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Print the public keys of the checkpoints as a JWK set, for the auditor to keep.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .audit(.key)
    }
}

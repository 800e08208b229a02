import Apple
import ArgumentParser
import Kernel
import Operations
import Programs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The commands of a noun on the command line.
///
/// This folder owns the way of a command from the command line to its execution, and the subcommands that use this machine's
/// files. The commands themselves are declared in Operations and the targets above it.
struct OperatorCommands<Noun: CommandNoun>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Noun.title.split(separator: " ").last.map(String.init), abstract: Noun.abstract,
            discussion: LocatingSettings.discussion,
            subcommands: nested + (Noun.commands + vendors).map { $0.subcommand }
                + (LocalCommands.byNoun[Noun.title] ?? []))
    }
}

/// The subcommands that no server executes, because they use this machine's files, or the database alone.
enum LocalCommands {
    static let byNoun: [String: [any ParsableCommand.Type]] = [
        "database": [DatabaseRestore.self, DatabaseRestored.self, DatabaseCopyCommand.self],
        "audit": [AuditVerifyEvidence.self],
        "account": [AccountImportCommand.self],
    ]
}

extension OperatorCommands {
    /// Nouns of two words, such as `provider add`.
    private static var nested: [any ParsableCommand.Type] {
        Administration.nouns.filter { $0.title.hasPrefix(Noun.title + " ") }.map { $0.subcommand }
    }

    /// The commands of a kind of provider.
    private static var vendors: [any AdminCommand.Type] {
        AppleFlows.commands.filter { $0.title.split(separator: " ").dropLast().joined(separator: " ") == Noun.title }
    }
}

extension CommandNoun {
    static var subcommand: any ParsableCommand.Type { OperatorCommands<Self>.self }
}

/// A subcommand that executes one administrative command.
protocol OperatorCommand: ProgramCommand {
    var effect: CommandEffect { get }
    var confirmation: Confirmation? { get throws }
    func checkRequest() throws
}

extension Subcommand: OperatorCommand {
    var effect: CommandEffect { command.effect }
    var confirmation: Confirmation? { get throws { try command.confirmation } }

    func checkRequest() throws { try command.checkRequest() }

    func run(in invocation: Invocation) async throws {
        try checkRequest()
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let channel = AdministrationChannel(configuration: configuration)
        let output = OutputOptions(json: json)
        if command.effect != .migrates { try channel.requireDestination() }
        if configuration.database.isPostgreSQL, let remedy = Command.remedyWithPostgreSQL { throw Refusal(remedy) }
        if let precondition = try command.precondition(isTyped: Terminal.isThere) {
            let answer = try await channel.answer(to: precondition)
            try output.require(answer)
            do {
                try command.check(answer)
            } catch let refusal as AdministrationRefusal {
                throw Refusal(refusal.message, hint: refusal.hint, code: refusal.code)
            }
        }
        if let confirmation = try command.confirmation { try Terminal.confirm(confirmation) }
        let input = try command.readInput(from: LocalInput(masterKey: configuration.masterKey))
        let request = AdminRequest(invocation.flags.rest, input: input)
        guard try command.continuation(of: .done("")) == nil else {
            return try await follow(request, through: channel, output)
        }
        let answer = try await channel.answer(to: request, for: command.effect)
        // Faults that were looked for are an answer.
        if answer.status == .refused, answer.refusal == nil {
            try output.print(answer)
            throw ExitCode.failure
        }
        try output.require(answer)
        channel.report(command.effect, asJSON: json)
        try output.print(answer)
    }
}

extension Subcommand {
    /// Prints an answer and what comes after it, until one of the questions fails.
    private func follow(
        _ request: AdminRequest, through channel: AdministrationChannel, _ output: OutputOptions
    ) async throws {
        func watch(
            from first: AdministrationAnswer, _ ask: (AdminRequest) async throws -> AdministrationAnswer
        ) async throws {
            var (answer, isFirst) = (first, true)
            let title = Command.title.split(separator: " ").count
            while true {
                try output.require(answer)
                if isFirst || !answer.lines.isEmpty { try output.print(answer) }
                isFirst = false
                guard let options = try command.continuation(of: answer) else { return }
                try await Task.sleep(for: .milliseconds(500))
                answer = try await ask(
                    AdminRequest(request.words.prefix(title) + options + request.words.dropFirst(title)))
            }
        }
        if channel.configuration.database.isPostgreSQL {
            return try await channel.withServer(for: .administering) { server in
                try await watch(from: await server.administration.execute(request)) {
                    await server.administration.execute($0)
                }
            }
        }
        let socket = channel.configuration.adminSocketPath
        try await watch(from: try await channel.answer(to: request)) { command in
            do {
                return try await AdminClient(path: socket).answer(to: command)
            } catch {
                throw Refusal(
                    "no server responds on \(socket): only a running server can be followed", code: "unavailable")
            }
        }
    }
}

/// The operator's terminal and files.
struct LocalInput: CommandInputReader {
    /// Where this configuration has the master key.
    var masterKey = MasterKeySource.missing

    func secret(_ name: String, isChosen: Bool) throws -> String {
        try Terminal.read(name, isChosen: isChosen)
    }

    func file(_ path: String, named name: String, upTo limit: Int) throws -> String {
        do throws(ReadableFile.Unreadable) {
            return try ReadableFile.text(path, upTo: limit)
        } catch {
            throw Refusal("\(name)\(path) \(error.reason)", hint: error.remedy, code: "unreadable_file")
        }
    }

    func masterKeyName() -> String? {
        // A pipe delivers its key once, and a command that prints the key is not run for its name alone.
        if case .file(let path) = masterKey, FileStatus(path: path)?.kind != .file { return nil }
        return try? masterKey.readWithoutCommand().first.id.masterKeyName
    }

    func absolutePath(_ path: String) -> String {
        // No path is not the working directory: the command refuses it.
        path.isEmpty ? path : URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}

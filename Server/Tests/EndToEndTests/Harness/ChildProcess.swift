import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program that runs beside the tests, and that the tests started themselves.
///
/// Its standard output is handed out line by line; its standard error goes to a file, where the search for leaked
/// secrets finds it later.
final class ChildProcess: Sendable {
    /// How a program ended.
    enum Ending: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    let processID: Int32
    /// Each line the program prints on its standard output; finishes when the program closes it.
    let lines: AsyncStream<String>
    private let ending: Task<Ending, Never>

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - log: the file that takes the program's standard error; appended to, so that a restart keeps what was there.
    ///   - input: bytes for its standard input, which is closed after them.
    init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], folder: URL, log: URL,
        input: Data = Data()
    ) throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = Self.environment(adding: environment)

        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let logHandle = try FileHandle(forWritingTo: log)
        try logHandle.seekToEnd()
        process.standardError = logHandle

        let output = Pipe()
        process.standardOutput = output
        let inputPipe = Pipe()
        process.standardInput = inputPipe

        let (endings, endingSource) = AsyncStream.makeStream(of: Ending.self)
        process.terminationHandler = { process in
            let status = process.terminationStatus
            endingSource.yield(process.terminationReason == .exit ? .exited(status) : .killed(signal: status))
            endingSource.finish()
        }
        lines = Self.lines(of: output.fileHandleForReading)
        ending = Task {
            for await ending in endings { return ending }
            return .exited(-1)
        }
        try process.run()
        processID = process.processIdentifier
        try logHandle.close()
        // A program that ends before it has read its input is no fault of the test.
        signal(SIGPIPE, SIG_IGN)
        try? inputPipe.fileHandleForWriting.write(contentsOf: input)
        try? inputPipe.fileHandleForWriting.close()
    }

    /// Waits until the program has ended.
    func wait() async -> Ending { await ending.value }

    /// Sends a signal to this one process.
    func send(_ signal: Int32) { kill(processID, signal) }

    /// The test's own environment without what would configure the program behind the test's back.
    private static func environment(adding more: [String: String]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WALLETAUTH_") }
        // The backtracer outlives a killed process and holds its pipes open.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["NO_COLOR"] = "1"
        return environment.merging(more) { _, new in new }
    }

    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (lines, source) = AsyncStream.makeStream(of: String.self)
        let pending = Mutex(Data())
        handle.readabilityHandler = { handle in
            let data = handle.availableData
            pending.withLock { pending in
                pending.append(data)
                while let newline = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    source.yield(String(decoding: pending[..<newline], as: UTF8.self))
                    pending = Data(pending[pending.index(after: newline)...])
                }
                guard data.isEmpty else { return }
                if !pending.isEmpty { source.yield(String(decoding: pending, as: UTF8.self)) }
                handle.readabilityHandler = nil
                source.finish()
            }
        }
        return lines
    }
}

/// What a command that has ended left behind.
struct CommandResult: Sendable {
    let ending: ChildProcess.Ending
    let output: String
    let errors: String

    var succeeded: Bool { ending == .exited(0) }
}

extension ChildProcess {
    /// Runs a program to its end.
    ///
    /// - Throws: `DeadlineMissed` when it has not ended after `limit`.
    static func run(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], folder: URL,
        input: String = "", limit: Duration = .seconds(120)
    ) async throws -> CommandResult {
        let log = folder.appending(path: "command-\(UUID().uuidString).log")
        let child = try ChildProcess(
            program, arguments, environment: environment, folder: folder, log: log, input: Data(input.utf8))
        return try await within(limit, "\(program.lastPathComponent) \(arguments.prefix(2)) to end") {
            var output: [String] = []
            for await line in child.lines { output.append(line) }
            let ending = await child.wait()
            let errors = try String(contentsOf: log, encoding: .utf8)
            return CommandResult(ending: ending, output: output.joined(separator: "\n"), errors: errors)
        } otherwise: {
            child.send(SIGKILL)
        }
    }
}

import Foundation
import Synchronization
import TestSupport

/// A program that the tests started, and that runs while they do.
///
/// One of its outputs is handed out line by line; the other goes to a file, where the search for leaked secrets finds it
/// later.
final class ChildProcess: Sendable {
    /// How a program ended.
    enum Ending: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    let processID: Int32
    /// Which output is read while the program runs.
    enum Watched: Sendable {
        case standardOutput
        case standardError
    }

    /// Each line the program prints on the watched output; finishes when the program closes it.
    let lines: AsyncStream<String>
    private let ending: Task<Ending, Never>
    private let input: Pipe

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - log: the file that takes the other output; appended to, so that a restart keeps what was there.
    ///   - input: bytes for its standard input, which is closed after them; `nil` leaves it open for ``write(_:)``.
    init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], folder: URL, log: URL,
        watching watched: Watched = .standardOutput, input: Data? = Data()
    ) throws {
        signal(SIGPIPE, SIG_IGN)
        // One start at a time: a pipe that another thread makes between this process's pipes and its start would be
        // inherited by the child, and would not end before the child does.
        let started = try Self.starting.withLock { _ in
            try Self.start(program, arguments, environment: environment, folder: folder, log: log, watching: watched)
        }
        processID = started.processID
        lines = started.lines
        ending = started.ending
        self.input = started.input
        guard let input else { return }
        write(input)
        endInput()
    }

    /// Writes to its standard input. A program that ends before it has read that is no fault of the test.
    func write(_ bytes: Data) { try? input.fileHandleForWriting.write(contentsOf: bytes) }

    /// Closes its standard input.
    func endInput() { try? input.fileHandleForWriting.close() }

    private static let starting = Mutex(())

    /// What is known of a program once it runs.
    private struct Started {
        let processID: Int32
        let lines: AsyncStream<String>
        let ending: Task<Ending, Never>
        let input: Pipe
    }

    private static func start(
        _ program: URL, _ arguments: [String], environment: [String: String], folder: URL, log: URL,
        watching watched: Watched
    ) throws -> Started {
        let leftovers = try Leftovers.ofThisProcess.get()
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = Self.environment(adding: environment)

        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let logHandle = try FileHandle(forWritingTo: log)
        try logHandle.seekToEnd()
        let output = Pipe()
        process.standardError = watched == .standardError ? output : logHandle
        process.standardOutput = watched == .standardOutput ? output : logHandle
        let input = Pipe()
        process.standardInput = input
        for handle in [
            output.fileHandleForReading, output.fileHandleForWriting, input.fileHandleForReading,
            input.fileHandleForWriting, logHandle,
        ] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }

        let (endings, endingSource) = AsyncStream.makeStream(of: Ending.self)
        process.terminationHandler = { process in
            let status = process.terminationStatus
            endingSource.yield(process.terminationReason == .exit ? .exited(status) : .killed(signal: status))
            endingSource.finish()
        }
        try unblockingSignals { try process.run() }
        let processID = process.processIdentifier
        leftovers.add(process: processID)
        try logHandle.close()
        let ending = Task {
            defer { leftovers.remove(process: processID) }
            for await ending in endings { return ending }
            return Ending.exited(-1)
        }
        return Started(
            processID: processID, lines: lines(of: output.fileHandleForReading), ending: ending,
            input: input)
    }

    /// Starts a child with no signal blocked. It inherits the mask of the thread that starts it, and those of Swift's pool block
    /// all: Apache, for one, would never see its SIGTERM.
    private static func unblockingSignals(_ run: () throws -> Void) rethrows {
        var (none, former) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try run()
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

    /// Reads on a thread of its own until the other end is closed: the handle's own readability handler loses the end of a
    /// short-lived program's output now and then on Linux.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (lines, source) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var pending = Data()
            // What is there now; a read up to a count would wait for the whole count.
            while case let data = handle.availableData, !data.isEmpty {
                pending.append(data)
                while let newline = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    source.yield(String(decoding: pending[..<newline], as: UTF8.self))
                    pending = Data(pending[pending.index(after: newline)...])
                }
            }
            if !pending.isEmpty { source.yield(String(decoding: pending, as: UTF8.self)) }
            try? handle.close()
            source.finish()
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
        input: String = "", limit: Duration = .patience
    ) async throws -> CommandResult {
        let log = folder.appending(path: "command-\(UUID().uuidString).log")
        let child = try ChildProcess(
            program, arguments, environment: environment, folder: folder, log: log, input: Data(input.utf8))
        return try await within(limit, "\(program.lastPathComponent) \(arguments.prefix(2)) to end") {
            try await child.result(errors: log)
        } otherwise: {
            child.send(SIGKILL)
        }
    }

    /// Waits until a program has ended whose standard output is watched.
    /// - Parameter log: the file that takes its standard error.
    func result(errors log: URL) async throws -> CommandResult {
        var output: [String] = []
        for await line in lines { output.append(line) }
        return CommandResult(
            ending: await wait(), output: output.joined(separator: "\n"),
            errors: try String(contentsOf: log, encoding: .utf8))
    }
}

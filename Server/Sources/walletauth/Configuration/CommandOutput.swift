import Foundation

/// What a shell command prints.
enum CommandOutput {
    /// How long the command may take: a vault that does not answer must not hang the start for ever.
    static let limit: Duration = .seconds(10)
    /// The most that is read of it.
    private static let maximumBytes = 4096

    /// Runs a command with `/bin/sh -c`; its standard error stays the program's.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - name: What it is called in messages.
    /// - Returns: What it printed on its standard output.
    /// - Throws: `Refusal` where it cannot be started, fails or takes longer than ``limit``; never with its output,
    ///   which is a key.
    static func of(_ command: String, named name: String = "the master key command") async throws(Refusal) -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        let (endings, source) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { source.yield($0.terminationStatus) }
        do {
            try process.run()
        } catch {
            throw Refusal("\(name) cannot be started: \(error)")
        }
        let identifier = process.processIdentifier
        let deadline = Task {
            try await Task.sleep(for: limit)
            kill(identifier, SIGKILL)
            source.finish()
        }
        defer { deadline.cancel() }
        var iterator = endings.makeAsyncIterator()
        guard let status = await iterator.next() else {
            throw Refusal("\(name) took longer than \(limit)")
        }
        guard status == 0 else {
            throw Refusal("\(name) failed with exit status \(status)")
        }
        // The command has ended, so what it wrote is in the pipe; a key is far below a pipe's capacity.
        guard let data = try? output.fileHandleForReading.read(upToCount: maximumBytes) else {
            throw Refusal("\(name) printed nothing")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

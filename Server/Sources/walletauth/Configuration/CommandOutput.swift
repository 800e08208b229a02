import Foundation

/// The output of a shell command.
enum CommandOutput {
    /// The time limit of the command. A vault that does not answer must not block the start forever.
    static let limit: Duration = .seconds(10)
    /// The most bytes to read.
    private static let maximumBytes = 4096

    /// Runs a command with `/bin/sh -c`. Its standard error is the program's own, its environment too, without secrets.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - name: the name of the command in messages.
    ///   - environment: the program's environment.
    /// - Returns: its standard output.
    /// - Throws: `Refusal` if it cannot be started, fails or exceeds ``limit``. The error never contains the output,
    ///   which is a key.
    static func of(
        _ command: String, named name: String = "the master key command",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(Refusal) -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = environment.filter { !isSecret($0.key) }
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
        // The command has ended, so all its output is in the pipe: a key is far smaller than a pipe's capacity.
        guard let data = try? output.fileHandleForReading.read(upToCount: maximumBytes) else {
            throw Refusal("\(name) printed nothing")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether a variable may hold a secret of the server: any setting, and libpq's password. A program of a vault needs
    /// none of them, and may log its environment or pass it on.
    private static func isSecret(_ variable: String) -> Bool {
        variable.hasPrefix("WALLETAUTH_") || variable == "PGPASSWORD"
    }
}

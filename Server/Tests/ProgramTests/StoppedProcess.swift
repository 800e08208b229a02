import Foundation

/// Another process, which is stopped while it holds a lock.
struct StoppedProcess {
    private static let program = "/usr/bin/flock"
    static let canLock = FileManager.default.isExecutableFile(atPath: program)

    private let process: Process
    /// The process also ends with this one.
    private let lifeline: Pipe

    /// Returns once it has the lock of a file.
    init(locking path: String) throws {
        let (process, lifeline, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["--no-fork", path, "sh", "-c", "echo locked; exec cat"]
        process.standardInput = lifeline
        process.standardOutput = output
        try process.run()
        (self.process, self.lifeline) = (process, lifeline)
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard answer == "locked\n" else {
            end()
            throw NoLock(answer: answer)
        }
        kill(process.processIdentifier, SIGSTOP)
    }

    /// Ends it. Harmless to repeat.
    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
    }

    private struct NoLock: Error {
        let answer: String
    }
}

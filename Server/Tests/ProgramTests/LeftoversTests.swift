import Foundation
import TestSupport
import Testing

@Suite("What a test process leaves behind") struct LeftoversTests {
    @Test("When the list ends, its folders are removed and its programs killed; one that was taken from it goes on")
    func clears() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "leftovers of \(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "inside"), withIntermediateDirectories: true)
        let left = try Self.sleeper()
        let ended = try Self.sleeper()
        defer { kill(ended.processIdentifier, SIGKILL) }
        let leftovers = try Leftovers()
        leftovers.add(folder: folder.path)
        leftovers.add(process: ended.processIdentifier)
        leftovers.add(process: left.processIdentifier)
        leftovers.remove(process: ended.processIdentifier)
        try leftovers.clear()
        left.waitUntilExit()
        #expect(left.terminationReason == .uncaughtSignal)
        #expect(ended.isRunning)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    private static func sleeper() throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["600"]
        try process.run()
        return process
    }
}

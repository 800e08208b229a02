import Foundation
import Kernel
import Testing

@testable import walletauth

@Suite(
    "Checkpoints of the audit log in a file", .threat("Tampering with the audit log"),
    .covers("a stopped process does not hold up others"))
struct CheckpointFileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("Each is a line behind the others, in a file of its owner's alone")
    func appends() async throws {
        let file = CheckpointFile(path: folder.path("checkpoints"))
        try await file.append("one")
        try await file.append("two")
        #expect(try text(file.path) == "one\ntwo\n")
        #expect(FileStatus(path: file.path)?.isOpenToOthers == false)
    }

    @Test("A line that a full disk cut short stays apart from the next")
    func torn() async throws {
        let file = CheckpointFile(path: try folder.write("one\ntw", to: "checkpoints"))
        try await file.append("three")
        #expect(try text(file.path) == "one\ntw\nthree\n")
    }

    @Test("A link in its place is not followed, and a missing folder is reported")
    func refusals() async throws {
        let target = try folder.write("somebody's", to: "target")
        let link = folder.path("checkpoints")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        await #expect(throws: AuditArchiveFailure.self) { try await CheckpointFile(path: link).append("one") }
        #expect(try text(target) == "somebody's")
        await #expect(throws: AuditArchiveFailure.self) {
            try await CheckpointFile(path: folder.path("none/checkpoints")).append("one")
        }
    }

    @Test(
        "A process that is stopped while it writes does not stop the others, and is named",
        .enabled(if: StoppedProcess.canLock, "takes flock of util-linux"))
    func stoppedWriter() async throws {
        let file = CheckpointFile(path: folder.path("checkpoints"), patience: .milliseconds(50))
        try await file.append("one")
        let other = try StoppedProcess(locking: file.path)
        defer { other.end() }
        let refused = await #expect(throws: AuditArchiveFailure.self) { try await file.append("two") }
        #expect(refused?.description.contains("`fuser \(file.path)` names it") == true)
        other.end()
        try await FileLock.holding(file.path, within: .seconds(300)) {}
        try await file.append("two")
        #expect(try text(file.path) == "one\ntwo\n")
    }
}

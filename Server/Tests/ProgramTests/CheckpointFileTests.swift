import AuthFoundation
import Foundation
import Testing

@testable import walletauth

@Suite("Checkpoints of the audit log in a file")
struct CheckpointFileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("Each is a line behind the others, in a file of its owner's alone")
    func appends() throws {
        let file = CheckpointFile(path: folder.path("checkpoints"))
        try file.append("one")
        try file.append("two")
        #expect(try text(file.path) == "one\ntwo\n")
        #expect(FileStatus(path: file.path)?.isOpenToOthers == false)
    }

    @Test("A line that a full disk cut short stays apart from the next")
    func torn() throws {
        let file = CheckpointFile(path: try folder.write("one\ntw", to: "checkpoints"))
        try file.append("three")
        #expect(try text(file.path) == "one\ntw\nthree\n")
    }

    @Test("A link in its place is not followed, and a missing folder is reported")
    func refusals() throws {
        let target = try folder.write("somebody's", to: "target")
        let link = folder.path("checkpoints")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(throws: AuditArchiveFailure.self) { try CheckpointFile(path: link).append("one") }
        #expect(try text(target) == "somebody's")
        #expect(throws: AuditArchiveFailure.self) {
            try CheckpointFile(path: folder.path("none/checkpoints")).append("one")
        }
    }
}

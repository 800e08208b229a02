import Core
import Foundation
import Testing

@testable import walletauth

@Suite("Failures of the disk that ended the server", .threat("Clocks, disks and crashes"))
struct DiskFailuresTests {
    let folder: TemporaryFolder
    let failures: DiskFailures

    init() throws {
        folder = try TemporaryFolder()
        failures = DiskFailures(DatabaseLocation(path: folder.path("walletauth.db")))
    }

    @Test("None, one and two of them let it start, and so do three that are far apart")
    func few() throws {
        try failures.check()
        for hour in 0..<5 {
            failures.record("disk I/O error", at: Timestamp(seconds: 1_800_000_000 + Int64(hour) * 1801))
            try failures.check()
        }
    }

    @Test("Three within an hour keep it down, and it says why, when, and what to do")
    func many() throws {
        for minute in 0..<3 {
            failures.record("disk I/O error (SQLite 1034)", at: Timestamp(seconds: 1_800_000_000 + Int64(minute) * 60))
        }
        let refusal = #expect(throws: DiskFailures.OutOfService.self) { try failures.check() }
        let text = refusal?.description ?? ""
        #expect(text.contains("failed 3 times within an hour"))
        #expect(text.contains("2027-01-15T08:02:00Z disk I/O error (SQLite 1034)"))
        #expect(text.contains("remove \(failures.path)"))
        try FileManager.default.removeItem(atPath: failures.path)
        try failures.check()
    }

    @Test("What a cut start left under an unfinished name is gone after the next one, and nothing else is")
    func unfinished() throws {
        let key = folder.path("walletauth.db.master-key")
        let left = try folder.write("secret", to: "walletauth.db.master-key.123456789.new")
        let other = try folder.write("note", to: "walletauth.db.master-key.mine.new")
        try DurableFile.create(key, with: Data("key".utf8))
        DurableFile.discardUnfinished(of: key)
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: other))
        #expect(FileManager.default.fileExists(atPath: key))
    }
}

import Foundation
import Testing

@testable import Outbound

@Suite("Searching a file of stolen passwords")
struct BreachFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "breaches-\(UUID().uuidString)").path

    private func digest(_ number: Int) -> String { BreachDigest("password \(number)").hexadecimal }

    /// A list of so many passwords in the format of the download, whose line ends differ by tool.
    private func lines(_ count: Int, end: String) -> String {
        (0..<count).map { "\(digest($0)):\($0 + 1)" }.sorted().map { $0 + end }.joined()
    }

    private func withFile<Value>(
        _ text: String, _ body: (BreachFile) async throws -> Value
    ) async throws -> Value {
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(BreachFile(path: path))
    }

    @Test("Each password is found with its count, the first and the last among them", arguments: ["\n", "\r\n"])
    func found(end: String) async throws {
        try await withFile(lines(200, end: end)) { file in
            for number in 0..<200 {
                let count = try await file.count(of: BreachDigest("password \(number)"))
                #expect(count == number + 1)
            }
            let problem = await file.examine()
            #expect(problem == nil)
        }
    }

    @Test("A password that is not in it is not found, wherever it would lie", arguments: ["\n", "\r\n"])
    func absent(end: String) async throws {
        try await withFile(lines(200, end: end)) { file in
            for number in 200..<400 {
                let count = try await file.count(of: BreachDigest("password \(number)"))
                #expect(count == 0)
            }
        }
    }

    @Test("A file of one line, without its end, in small letters, and an empty one are searched as well")
    func small() async throws {
        let line = "\(digest(0).lowercased()):5"
        for (text, expected) in [(line, 5), (line + "\n", 5), (line + "\r\n", 5), ("", 0)] {
            try await withFile(text) { file in
                let count = try await file.count(of: BreachDigest("password 0"))
                #expect(count == expected)
                let other = try await file.count(of: BreachDigest("password 1"))
                #expect(other == 0)
            }
        }
    }

    @Test("A last line that was cut short is as good as none; the others are found")
    func truncated() async throws {
        let whole = lines(50, end: "\n")
        for cut in [1, 2, 10, 43] {
            try await withFile(String(whole.dropLast(cut))) { file in
                let last = try #require(whole.split(separator: "\n").last)
                for number in 0..<50 where !last.hasPrefix(digest(number)) {
                    let count = try await file.count(of: BreachDigest("password \(number)"))
                    #expect(count == number + 1)
                }
            }
        }
    }

    @Test("What is no such list is reported: other hashes, no hashes, one long line, wrong order, nothing, no file")
    func unusable() async throws {
        let reversed = lines(50, end: "\n").split(separator: "\n").reversed().joined(separator: "\n")
        for (text, problem) in [
            (String(repeating: "32ED87BDB5FDC5E9CBA88547376818D4:1\n", count: 50), BreachFileFault.malformed),
            (String(repeating: "password\n", count: 50), .malformed),
            (String(repeating: "A", count: 5000), .malformed), (reversed, .unordered), ("", .empty),
        ] {
            try await withFile(text) { file in
                let told = await file.examine()
                #expect(told == problem.description)
            }
        }
        await #expect(throws: BreachFileFault.unreadable) {
            _ = try await BreachFile(path: path).count(of: BreachDigest("password"))
        }
        await #expect(throws: BreachFileFault.unreadable) {
            _ = try await BreachFile(path: "/").count(of: BreachDigest("password"))
        }
        await #expect(throws: BreachFileFault.malformed) {
            try await withFile(String(repeating: "password\n", count: 50)) {
                _ = try await $0.count(of: BreachDigest("password"))
            }
        }
    }
}

import Foundation
import Testing

/// The scripts of the repository with a mistyped argument or without a toolchain: they report it before they build, install or fetch
/// anything.
@Suite("Arguments of the scripts", .covers("a mistyped command or option is left unexplained"), .onceForAllEngines)
struct ScriptArgumentTests {
    /// A script and arguments that it does not take.
    private static let mistakes: [[String]] = [
        ["scripts/build", "--nope"], ["scripts/build", "wallet-backend"], ["scripts/build", "debug", "nope"],
        ["scripts/build", "--path", "nope"], ["scripts/demo", "nope"], ["scripts/demo", "sca", "native"],
        ["scripts/demo", "--nope"], ["scripts/fuzz", "nope"], ["scripts/fuzz", "transaction-link", "1", "2"],
        ["scripts/test", "nope"], ["scripts/test", "demos", "nope"], ["scripts/torture", "--nope"],
        ["scripts/torture", "--only", "nope"], ["scripts/torture", "--seed", "nope"], ["scripts/torture", "--seed"],
        ["scripts/lint", "nope"], ["scripts/build-docs", "nope"], ["scripts/install-system-packages", "nope"],
        ["scripts/python-environment", "nope"], ["scripts/glewlwyd-files", "nope"], ["scripts/pages", "nope"],
        ["scripts/precompile-headers", "nope"],
        ["scripts/check-lists", "nope"], ["scripts/make_common_passwords.py", "nope"], ["Benchmarks/run", "--nope"],
        ["Benchmarks/run", "--only", "nope"], ["Benchmarks/run", "--only"],
    ]

    @Test("A script refuses arguments that it does not take, in one line, before it does anything", arguments: mistakes)
    func refused(command: [String]) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script = Programs.repository.appending(path: command[0])
        let result = try await ChildProcess.run(script, Array(command.dropFirst()), folder: folder.url)
        #expect(result.ending == .exited(1), "\(command)")
        #expect(result.output.isEmpty, "\(result.output)")
        #expect(result.errorLines.count == 1, "\(result.errors)")
        #expect(result.errors.hasPrefix("error: ") && result.errors.contains(command[0]), "\(result.errors)")
    }

    @Test("A Swift toolchain that does not start is reported with its own words")
    func brokenToolchain() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let swift = folder.url.appending(path: "swift")
        try Data("#!/bin/sh\necho 'swift: cannot open libxml2.so.2' >&2\nexit 127\n".utf8).write(to: swift)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: swift.path)
        let path = folder.url.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let result = try await ChildProcess.run(
            Programs.repository.appending(path: "scripts/build-docs"), ["check"], environment: ["PATH": path],
            folder: folder.url)
        #expect(result.ending == .exited(1))
        #expect(result.errorLines.count == 1, "\(result.errors)")
        #expect(result.errors.hasPrefix("error: ") && result.errors.contains("libxml2.so.2"), "\(result.errors)")
    }

    @Test("The folder of the programs is printed without a build, and alone")
    func path() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try await ChildProcess.run(
            Programs.repository.appending(path: "scripts/build"), ["--path"], folder: folder.url)
        #expect(result.succeeded, "\(result.errors)")
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(FileManager.default.isExecutableFile(atPath: result.output + "/walletauth"), "\(result.output)")
    }
}

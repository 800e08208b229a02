import ArgumentParser
import Foundation
import Testing

@testable import wallet

@Suite("The file that the terminal wallet reads a PIN from")
struct PINFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func pin(in file: String) throws -> String {
        try PINSource.parse(["--pin-file", file]).answers().next(asking: "PIN: ", shown: .hidden)
    }

    private func refusal(of file: String) -> String? {
        let failure = #expect(throws: Failure.self) { _ = try pin(in: file) }
        return failure?.code
    }

    @Test("A link is as safe as the file that it leads to")
    func links() throws {
        for (name, mode) in [("own", 0o600), ("open", 0o644)] {
            let file = try folder.write("804613972558\nmore\n", to: name, mode: mode)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(name + "-link"), withDestinationPath: file)
        }
        #expect(try pin(in: folder.path("own-link")) == "804613972558")
        #expect(refusal(of: folder.path("open-link")) == "unsafe_file")
    }

    @Test("What is missing, no file or too long is refused and not read to its end")
    func unreadable() throws {
        for path in [folder.path("missing"), folder.url.path(percentEncoded: false), "/dev/zero"] {
            #expect(refusal(of: path) == "unreadable_file", "\(path)")
        }
        let long = try folder.write(String(repeating: "1", count: 4097), to: "long")
        #expect(refusal(of: long) == "unreadable_file")
    }
}

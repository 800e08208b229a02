import Foundation
import QRCodes
import Testing

@testable import wallet

@Suite("Pictures of codes that the terminal wallet reads")
struct CodePictureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func picture(_ bytes: [UInt8], _ name: String = "code.png") throws -> CodePicture {
        let path = folder.path(name)
        try Data(bytes).write(to: URL(filePath: path))
        var picture = CodePicture(path: path)
        picture.limit = .seconds(300)
        return picture
    }

    private func refusal(_ picture: CodePicture) async -> String? {
        await #expect(throws: Failure.self) { try await picture.text() }?.code
    }

    @Test(
        "A PNG of a code is read, whatever its file is called",
        arguments: ["code.png", "code.svg", "msl:code", "code[1].png", "-code", "%d.png"])
    func read(name: String) async throws {
        let text = "https://auth.example.com/t/0190b3f2-0000-7000-8000-000000000001#AAAAAAAAAAAAAAAAAAAAAA"
        let code = try #require(QRCode(text))
        #expect(try await picture(code.png(), name).text() == text)
    }

    @Test(
        "attack: what ImageMagick would read as another format is not given to it", .threat("Attacks on transactions"),
        arguments: [
            "", "hello", #"<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>"#,
            #"<?xml version="1.0"?><image><read filename="https://example.com"/></image>"#, "%!PS-Adobe-3.0", "GIF89a",
        ])
    func otherFormats(content: String) async throws {
        for name in ["code.png", "msl:code.png"] {
            #expect(await refusal(try picture(Array(content.utf8), name)) == "unknown_picture")
        }
    }

    @Test("attack: the start of a PNG does not choose another reader for the rest")
    func disguised() async throws {
        let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let drawing = #"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#
        #expect(await refusal(try picture(start + Array(drawing.utf8), "svg.png")) == "no_code")
    }

    @Test("What is no file, is missing or too large is refused before anything reads it")
    func unreadable() async throws {
        #expect(await refusal(CodePicture(path: folder.path("missing.png"))) == "unreadable_file")
        #expect(await refusal(CodePicture(path: folder.url.path(percentEncoded: false))) == "unreadable_file")
        #expect(await refusal(CodePicture(path: "/dev/zero")) == "unreadable_file")
        let large = try picture([0x89, 0x50])
        let file = try FileHandle(forWritingTo: URL(filePath: large.path))
        try file.truncate(atOffset: CodePicture.maximumBytes + 1)
        try file.close()
        #expect(await refusal(large) == "picture_too_large")
    }

    @Test("A reader that does not end is ended, and one that is missing is named")
    func readers() async throws {
        var endless = try picture([0xFF, 0xD8, 0xFF])
        // Without `exec` the sleep would outlive the shell.
        endless.reader = ["sh", "-c", "exec sleep 600"]
        endless.limit = .milliseconds(50)
        #expect(await refusal(endless) == "picture_timeout")
        var missing = try picture([0xFF, 0xD8, 0xFF])
        missing.reader = ["no-such-program-\(UUID().uuidString)"]
        #expect(await refusal(missing) == "no_picture_reader")
    }
}

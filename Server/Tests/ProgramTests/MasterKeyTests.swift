import Foundation
import Testing

@testable import Kernel
@testable import walletauth

@Suite("Master key", .threat("A stolen database or file system access"))
struct MasterKeyTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var database: DatabaseLocation { DatabaseLocation(path: folder.path("walletauth.db")) }

    @Test(
        "32 bytes are read in base64, base64url and hexadecimal, with or without a line break",
        arguments: [
            sampleMasterKey, sampleMasterKey + "\n", "3q2-7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs",
            "deadbeef000102030405060708090a0b0c0d0e0f101112131415161718191a1b",
        ])
    func encodings(_ text: String) throws {
        #expect(try MasterKeySource.keys(from: text, origin: "test").others.isEmpty)
    }

    @Test(
        "Several keys have spaces or lines between them; the first is the first, and each counts once",
        arguments: ["\n", "\r\n\n", " "])
    func several(separator: String) throws {
        let texts = [
            "deadbeef000102030405060708090a0b0c0d0e0f101112131415161718191a1c", sampleMasterKey, sampleMasterKey,
        ]
        let keys = try MasterKeySource.keys(from: texts.joined(separator: separator) + "\n", origin: "test")
        #expect(try keys.first == MasterKeySource.keys(from: texts[0], origin: "test").first)
        #expect(try keys.others == [MasterKeySource.keys(from: sampleMasterKey, origin: "test").first])
    }

    @Test("The refusal of one of several keys says which, and shows none")
    func brokenLine() {
        #expect {
            try MasterKeySource.keys(from: "\(sampleMasterKey)\nc2hvcnQ=", origin: "the file")
        } throws: { error in
            "\(error)".hasPrefix("key 2 of the file does not contain") && !"\(error)".contains(sampleMasterKey)
        }
    }

    @Test(
        "What is no 32 random bytes is refused",
        arguments: [
            "", "c2hvcnQ=", String(repeating: "00", count: 32), String(repeating: "A", count: 43),
            String(repeating: "zz", count: 32), String(repeating: "ab", count: 33),
        ])
    func refused(_ text: String) {
        #expect(throws: Refusal.self) { try MasterKeySource.keys(from: text, origin: "test") }
    }

    @Test("A file that this user may not read is given to that user, and not replaced by another key")
    func unreadable() throws {
        let path = try folder.write(sampleMasterKey, to: "master-key", mode: 0)
        let status = try #require(FileStatus(path: path))
        #expect(ReadableFile.Unreadable.accessRemedy(path, of: status, for: status.owner) == "Run `chmod u+r \(path)`")
        let other = ReadableFile.Unreadable.accessRemedy(path, of: status, for: Ownership.stranger)
        #expect(other.hasPrefix("It belongs to \(UserName.of(status.owner)), and this runs as "), "\(other)")
        #expect(other.hasSuffix("run `chown \(UserName.of(Ownership.stranger)) \(path)`"), "\(other)")
        // Root may read every file.
        guard !Ownership.isRoot else { return }
        let faults = MasterKeySource.file(path).faults(in: .production)
        #expect(faults.map(\.remedy) == ["Run `chmod u+r \(path)`"])
        let secret = SecretSource.file(path).faults(named: "email.smtp.password") { _ in true }
        #expect(secret.map(\.remedy) == ["Run `chmod u+r \(path)`"])
    }

    @Test("The recipe for a new master key leaves a file of the server's user with both keys, the new one first")
    func recipe() async throws {
        let guide = try String(contentsOf: operatingGuide, encoding: .utf8)
        let section = try #require(guide.components(separatedBy: "### A new master key\n").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```").dropFirst().first).dropFirst("sh\n".count)
        let path = try folder.write(sampleMasterKey + "\n", to: "master-key")
        if Ownership.isRoot { try #require(Ownership.give(path, to: Ownership.stranger)) }
        let owner = try #require(FileStatus(path: path)).owner
        let recipe = block.replacing("/etc/walletauth", with: folder.url.path(percentEncoded: false))
            .replacing("chown walletauth:", with: "chown \(owner)")
        // Elsewhere than in the folder of the key, as an operator may be.
        _ = try await CommandOutput.of("set -e\ncd /\n\(recipe)\necho done", named: "the recipe")
        let status = try #require(FileStatus(path: path))
        #expect(status.owner == owner && status.octalMode == "0600")
        let keys = try MasterKeySource.keys(from: String(contentsOfFile: path, encoding: .utf8), origin: "the file")
        #expect(try keys.others == [MasterKeySource.keys(from: sampleMasterKey, origin: "test").first])
    }

    private var operatingGuide: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/operating.md")
    }

    @Test("The sandbox makes its key once, for its owner alone, and finds it again")
    func generated() async throws {
        let path = database.generatedMasterKeyPath
        let source = MasterKeySource.generated(path)
        _ = try await source.read(for: database)
        let first = try String(contentsOfFile: path, encoding: .utf8)
        #expect(FileStatus(path: path)?.mode == 0o600)
        _ = try await source.read(for: database)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == first)
    }

    @Test("No new key is made for a database that is there already: it could not open it")
    func notForAnOldDatabase() async throws {
        _ = try folder.write("", to: "walletauth.db")
        let refusal = await #expect(throws: Refusal.self) {
            try await MasterKeySource.generated(database.generatedMasterKeyPath).read(for: database)
        }
        #expect(
            refusal?.description.contains("Specify the key that it was created with, using --master-key-file") == true)
        #expect(FileStatus(path: database.generatedMasterKeyPath) == nil)
    }

    @Test("A command's output is the key; one that fails is reported without its output")
    func command() async throws {
        _ = try await MasterKeySource.command("echo '\(sampleMasterKey)'").read(for: database)
        await #expect {
            try await MasterKeySource.command("echo '\(sampleMasterKey)'; exit 3").read(for: database)
        } throws: { error in
            !"\(error)".contains(sampleMasterKey) && "\(error)".contains("3")
        }
    }

    @Test("attack: a command reads the server's secrets from its environment: it gets none of them")
    func environmentOfACommand() async throws {
        let environment = [
            "PATH": "/usr/bin:/bin", "VAULT_ADDR": "https://vault.example", "WALLETAUTH_MASTER_KEY": sampleMasterKey,
            "WALLETAUTH_EMAIL_SMTP_PASSWORD": sampleMasterKey, "PGPASSWORD": sampleMasterKey,
        ]
        let output = try await CommandOutput.of("env", environment: environment)
        #expect(output.contains("VAULT_ADDR=https://vault.example"))
        #expect(!output.contains(sampleMasterKey) && !output.contains("WALLETAUTH_") && !output.contains("PGPASSWORD"))
    }
}

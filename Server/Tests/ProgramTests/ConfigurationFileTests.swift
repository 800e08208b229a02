import Foundation
import Testing

@testable import walletauth

@Suite(
    "The configuration file", .threat("A stolen database or file system access"),
    .covers("a configuration file or pipe that others can change is refused"))
struct ConfigurationFileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func faults(_ file: String, _ arguments: [String] = []) async throws -> [Fault] {
        let flags = try SettingFlags(
            taking: Settings.all,
            from: ["--database", "sqlite:\(folder.path("walletauth.db"))", "--config", file] + arguments)
        return await ServerConfiguration.readLeniently(for: .serving, flags: flags, environment: [:]).faults
    }

    @Test("A key that appears twice is reported together with the file's other faults")
    func doubled() async throws {
        let file = try folder.write("enviroment: sandbox\nport: abc\nport: 9\nfoo: bar\n", to: "c.yaml")
        let found = try await faults(file).map(\.problem)
        #expect(found.count == 4, "\(found)")
        for part in ["port appears in the file twice", "\"enviroment\"", "\"foo\"", "\"abc\" is not valid"] {
            #expect(found.contains { $0.contains(part) }, "\(part) in \(found)")
        }
    }

    @Test(
        "A mapping or a list that appears twice is reported with the file's other faults; the second one is left out",
        arguments: [
            "log:\n  level: info\n", "log:\n\n  # more\n# of it\n  level: info\n  format:\n    - json\n",
            "log:\n- json\n- text\n", "log: {level: info,\n  format: json}\n",
        ])
    func doubledMapping(_ second: String) async throws {
        let file = try folder.write(
            "prot: 80\nlog:\n  formatt: json\n  level: loud\n\(second)foo: bar\n", to: "c.yaml")
        let found = try await faults(file).map(\.problem)
        #expect(found.count == 5, "\(found)")
        for part in ["log appears in the file twice", "\"prot\"", "\"log.formatt\"", "\"loud\"", "\"foo\""] {
            #expect(found.contains { $0.contains(part) }, "\(part) in \(found)")
        }
    }

    @Test(
        "A fault in a file is reported in one line that says where and what",
        arguments: [
            ("port: [80\n", "line 2: this is not YAML"), ("port: 80\n host: a: b\n", "line 2: this is not YAML"),
            ("port: 80\nport: 81\n", "line 1: port appears in the file twice"),
            ("- port: 80\n", "line 1: the file is a list"), ("production\n", "line 1: the file is a text"),
            ("masterKey: abc\n", "line 1: masterKey itself cannot be in a file"),
            ("tls: on\n", "line 1: tls is a mapping"), ("port:\n  number: 80\n", "port is a value"),
            ("host: a\nprot: 80\n", "line 2: there is no setting \"prot\""),
            ("host: a\n\nport: eighty\n", "line 3: port \"eighty\" is not valid"),
        ])
    func faulty(_ text: String, _ expected: String) async throws {
        let file = try folder.write(text, to: "c.yaml")
        let found = try await faults(file)
        #expect(found.count == 1, "\(found)")
        #expect(
            found.first?.line.contains("\(file) \(expected)") == true || found.first?.line.contains(expected) == true)
        #expect(found.first?.line.contains("\n") == false)
        #expect(!"\(found)".contains("abc"))
    }

    /// A file with one setting.
    private func yaml(_ name: String, _ value: String) -> String {
        let components = name.split(separator: ".")
        return components.enumerated().map { String(repeating: "  ", count: $0) + "\($1):" }.joined(separator: "\n")
            + " \(value)\n"
    }

    @Test("A secret in the file is refused, with what takes it, and is not repeated")
    func secrets() async throws {
        let secrets = Settings.all.filter { $0.sources == .environment }
        #expect(secrets.count >= 4)
        for secret in secrets {
            let file = try folder.write(yaml(secret.name, "hunter2"), to: "c.yaml")
            let found = try await faults(file)
            let line = try #require(found.first?.line)
            #expect(found.count == 1, "\(found)")
            #expect(line.contains("\(secret.name) itself cannot be in a file"), "\(line)")
            #expect(line.contains(secret.environmentVariable), "\(line)")
            for other in ["\(secret.name).file", "\(secret.name).command"] {
                #expect(line.contains(other), "\(line)")
                #expect(Settings.all.contains { $0.name == other }, "\(other)")
            }
            #expect(!line.contains("hunter2"), "\(line)")
        }
        let files = Settings.all.map(\.name).filter { $0.hasSuffix("File") }
        #expect(files.contains("push.apns.keyFile") && files.contains("push.fcm.credentialsFile"))
        for setting in files {
            let file = try folder.write(yaml(String(setting.dropLast(4)), "hunter2"), to: "c.yaml")
            let found = try await faults(file)
            #expect(found.first?.line.contains("name that in \(setting)") == true, "\(found)")
            #expect(!"\(found)".contains("hunter2"))
        }
    }

    @Test(
        "A private key where its file belongs is not repeated",
        arguments: [
            "tls.key", "push.apns.keyFile", "push.fcm.credentialsFile", "email.smtp.password.file", "masterKey.file",
        ])
    func keyAsPath(_ name: String) async throws {
        for key in [#""-----BEGIN PRIVATE KEY-----\nMIIE""#, #"'{"private_key": "-----BEGIN PRIVATE KEY-----MIIE"}'"#] {
            let found = try await faults(try folder.write(yaml(name, key), to: "c.yaml")).map(\.line)
            #expect(found.contains { $0.contains("\(name) is the key itself") }, "\(found)")
            #expect(!"\(found)".contains("MIIE"), "\(found)")
        }
    }

    @Test("A setting that is misspelled by a letter or two comes with the one that was meant")
    func suggestion() async throws {
        let file = try folder.write("isuer: http://127.0.0.1:8700\nlog:\n  formatt: json\nfoo: bar\n", to: "c.yaml")
        let found = try await faults(file).map(\.line)
        #expect(found.contains { $0.contains("\"isuer\"") && $0.contains("Did you mean issuer?") }, "\(found)")
        #expect(
            found.contains { $0.contains("\"log.formatt\"") && $0.contains("Did you mean log.format?") }, "\(found)")
        #expect(found.contains { $0.contains("\"foo\"") && !$0.contains("Did you mean") }, "\(found)")
    }

    @Test("A file that is not there, a folder and what is no text are reported as such")
    func unreadable() async throws {
        let missing = try await faults(folder.path("none.yaml"))
        #expect(missing.map(\.problem) == ["the configuration file \(folder.path("none.yaml")) does not exist"])
        let place = try await faults(folder.url.path)
        #expect(place.map(\.problem) == ["the configuration file \(folder.url.path) is a folder"])
        let endless = try await faults("/dev/zero")
        #expect(endless.map(\.problem) == ["the configuration file /dev/zero is larger than 1024 KiB"])
    }

    @Test(
        "attack: a file that others can write is not used, in the sandbox either",
        arguments: [0o602, 0o606, 0o620, 0o660, 0o664, 0o666])
    func writableByOthers(mode: Int) async throws {
        let file = try folder.write("masterKey:\n  command: echo key\nport: abc\n", to: "c.yaml", mode: mode)
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))", "--config", file])
        let (configuration, found) = await ServerConfiguration.readLeniently(
            for: .serving, flags: flags, environment: [:])
        let digits = String(mode, radix: 8)
        #expect(
            found.map { $0.problem } == [
                "the configuration file \(file) has mode 0\(digits), so others can change it"
            ])
        #expect(configuration.isPartial)
        if case .command = configuration.masterKey { Issue.record("the file's command would run") }
    }

    @Test("A file of root's or of the user's is used, as containers mount it, and no one else's")
    func owners() async throws {
        for mode in [0o400, 0o440, 0o444, 0o600, 0o640, 0o644] {
            let file = try folder.write("host: 127.0.0.1\n", to: "c-\(mode).yaml", mode: mode)
            let found = try await faults(file)
            #expect(found.isEmpty, "\(found)")
        }
        let file = try folder.write("host: 127.0.0.1\n", to: "c.yaml", mode: 0o444)
        let own = try #require(FileStatus(path: file))
        let another = ConfigurationFile.accessFault(own, path: file, for: own.owner + 1)
        // As root, this test makes files of root's.
        #expect((another == nil) == Ownership.isRoot, "\(String(describing: another))")
        guard Ownership.isRoot else { return }
        try #require(Ownership.give(file, to: Ownership.stranger))
        let given = try #require(FileStatus(path: file))
        let stranger = ConfigurationFile.accessFault(given, path: file, for: 0)
        #expect(stranger?.problem.contains("belongs to user \(Ownership.stranger)") == true)
        #expect(ConfigurationFile.accessFault(given, path: file, for: Ownership.stranger) == nil)
    }

    @Test("attack: the file that was opened is checked, whatever its path leads to by then")
    func replaced() throws {
        let file = try folder.write("host: 127.0.0.1\n", to: "c.yaml", mode: 0o666)
        let opened = try ReadableFile.Opened(file)
        try FileManager.default.removeItem(atPath: file)
        _ = try folder.write("host: 127.0.0.1\n", to: "c.yaml")
        let fault = ConfigurationFile.accessFault(opened.status, path: file)
        #expect(fault?.problem.contains("has mode 0666") == true)
    }

    @Test("attack: a named pipe that others can write is not used, and not read")
    func openPipe() async throws {
        let pipe = folder.path("c.yaml")
        try #require(mkfifo(pipe, 0o600) == 0)
        try #require(chmod(pipe, 0o666) == 0)
        // Both ends, so that opening one of them does not wait for the other.
        let ends = open(pipe, O_RDWR)
        try #require(ends >= 0)
        defer { close(ends) }
        let found = try await faults(pipe)
        #expect(
            found.map { $0.problem } == ["the configuration file \(pipe) has mode 0666, so others can change it"])
    }

    @Test(
        "attack: what belongs to another user is not used, whatever kind of file it is, such as a terminal",
        .enabled(if: Ownership.isRoot))
    func strangersFile() throws {
        // Neither a file nor a pipe.
        let path = folder.path("c.yaml")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let own = try #require(FileStatus(path: path))
        #expect(ConfigurationFile.accessFault(own, path: path) == nil)
        try #require(Ownership.give(path, to: Ownership.stranger))
        let given = try #require(FileStatus(path: path))
        let fault = ConfigurationFile.accessFault(given, path: path)
        #expect(fault?.problem.contains("belongs to user \(Ownership.stranger)") == true)
    }

    @Test("A pipe from process substitution is used, and so is a named one of the user's own")
    func pipes() async throws {
        let substituted = Pipe()
        try substituted.fileHandleForWriting.write(contentsOf: Data("port: abc\n".utf8))
        try substituted.fileHandleForWriting.close()
        let named = folder.path("c.yaml")
        try #require(mkfifo(named, 0o600) == 0)
        Thread.detachNewThread {
            let writer = FileHandle(forWritingAtPath: named)
            try? writer?.write(contentsOf: Data("port: abc\n".utf8))
            try? writer?.close()
        }
        for pipe in ["/dev/fd/\(substituted.fileHandleForReading.fileDescriptor)", named] {
            let found = try await faults(pipe)
            #expect(found.count == 1, "\(found)")
            #expect(found.first?.problem.contains("\"abc\" is not valid") == true, "\(found)")
        }
    }

    @Test(
        "Where the file cannot be used, nothing that it may have held is called missing; a wrong flag is still reported"
    )
    func rootFault() async throws {
        let found = try await faults(folder.path("none.yaml"), ["--environment", "production", "--port", "x"])
        #expect(found.count == 2, "\(found)")
    }

    @Test("An empty file and one with comments alone say nothing")
    func empty() async throws {
        for text in ["", "# nothing\n", "---\n"] {
            #expect(try await faults(try folder.write(text, to: "c.yaml")) == [])
        }
    }

    @Test("All faults of a file are reported at once")
    func together() async throws {
        let file = try folder.write("prot: 80\nmasterKey: abc\nlog:\n  level: loud\nshutdownTimeout: 5\n", to: "c.yaml")
        let found = try await faults(file)
        #expect(found.count == 4, "\(found)")
    }
}

import Foundation
import Kernel
import Logging
import Operations
import ServiceLifecycle
import Testing

@testable import walletauth

@Suite("Attack: another user at the administration socket", .threat("A stolen database or file system access"))
struct AdminPeerTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "attack: whatever the socket's mode, a peer that is neither the server's user nor root gets no answer to any bytes",
        .enabled(if: Ownership.isRoot, "only root can become another user"))
    func otherUser() async throws {
        let flags = try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"])
        let configuration = try await ServerConfiguration.read(for: .administering, flags: flags, environment: [:])
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let opened = try await OpenedServer.open(configuration, logger: logger)
        let path = configuration.adminSocketPath
        let socket = AdminSocket(
            path: path, administration: opened.server.administration,
            status: ServerStatus(version: "test", processIdentifier: 1, environment: .sandbox, issuer: "http://x"),
            logger: logger)
        let (listening, source) = AsyncStream.makeStream(of: Void.self)
        let group = ServiceGroup(
            configuration: .init(services: [.namedByType(socket.makeService { source.yield() })], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in listening { break }
            // As if an operator had loosened it: from here on the mode protects nothing.
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder.url.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            let request = "GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let own = try await Self.answer(to: request, at: path, as: 0)
            #expect(own.contains("200 OK") && own.contains("\"version\":\"test\""))
            for words in [request, "", "GET", "\u{16}\u{3}\u{1}\r\n\r\n", "no request\r\n\r\n", request + request] {
                let stranger = try await Self.answer(to: words, at: path, as: Ownership.stranger)
                #expect(stranger == "connected, and closed without an answer", "\(words)")
            }
            let after = try await Self.answer(to: request, at: path, as: 0)
            #expect(after.contains("200 OK"))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        await opened.close()
    }

    @Test(
        "attack: another user's program listens where the server should, and is sent no command, password or key",
        .enabled(if: Ownership.isRoot, "only root can become another user"))
    func otherListener() async throws {
        let path = folder.path("admin.sock")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        // What was sent to it lies in the connections that it has not accepted yet.
        let program = """
            import os, socket, sys
            user = int(sys.argv[2])
            os.setgroups([]); os.setgid(user); os.setuid(user)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            listener.listen(16)
            print("listening", flush=True)
            sys.stdin.readline()
            listener.setblocking(False)
            connections = heard = 0
            while True:
                try:
                    connection, _ = listener.accept()
                except BlockingIOError:
                    break
                connections += 1
                connection.settimeout(300)
                while part := connection.recv(65536):
                    heard += len(part)
            print(connections > 0, heard, flush=True)
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program, path, String(Ownership.stranger)]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        let (said, source) = AsyncStream.makeStream(of: Data.self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                source.finish()
            } else {
                source.yield(data)
            }
        }
        try process.run()
        var words = said.makeAsyncIterator()
        var text = ""
        while !text.contains("listening"), let data = await words.next() {
            text += String(decoding: data, as: UTF8.self)
        }
        let secret = AdminRequest(["account", "set-password", "ada"], input: "not for you")
        var refusal: AdminClient.Unreachable?
        do { _ = try await AdminClient(path: path).answer(to: secret) } catch { refusal = error }
        input.fileHandleForWriting.write(Data("\n".utf8))
        while let data = await words.next() { text += String(decoding: data, as: UTF8.self) }
        guard case .notPermitted? = refusal else {
            Issue.record("it was asked: \(refusal?.description ?? "an answer")")
            return
        }
        #expect(text == "listening\nTrue 0\n")
    }

    /// What a user's program reads from the socket after it has sent a text.
    private static func answer(to words: String, at path: String, as user: UInt32) async throws -> String {
        let program = """
            import os, socket, sys
            user = int(sys.argv[2])
            os.setgroups([]); os.setgid(user); os.setuid(user)
            assert os.getuid() == user
            peer = socket.socket(socket.AF_UNIX)
            peer.settimeout(300)
            peer.connect(sys.argv[1])
            answer = b""
            try:
                peer.sendall(sys.argv[3].encode())
                while part := peer.recv(65536):
                    answer += part
            except (BrokenPipeError, ConnectionResetError):
                pass
            print(answer.decode() or "connected, and closed without an answer")
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program, path, String(user), words]
        let output = Pipe()
        process.standardOutput = output
        let (endings, source) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { source.yield($0.terminationStatus) }
        try process.run()
        for await status in endings {
            #expect(status == 0)
            break
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

import Foundation
import TestSupport
import Testing

/// HAProxy or nginx in front of two servers, with the configuration in Examples/Deployment.
struct ReverseProxy: Sendable {
    enum Kind: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case haproxy
        case nginx

        var testDescription: String { rawValue }
    }

    /// The configuration in the documentation is not the one that this file adapts.
    struct Undocumented: Error, CustomStringConvertible {
        let description: String
    }

    private let process: ChildProcess
    private let folder: TemporaryFolder
    private let file: URL
    /// What the file says at first.
    private let configuration: String
    /// The socket on which HAProxy takes commands.
    private var control: String { Self.control(in: folder.url) }

    /// - Parameters:
    ///   - port: its own, which the issuer names.
    ///   - servers: the ports of two servers.
    init(_ kind: Kind, port: Int, before servers: [Int]) throws {
        folder = try TemporaryFolder()
        // It runs without rights of its own.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        file = folder.url.appending(path: kind.rawValue + ".conf")
        let documented = try Self.documented(kind, port: port, servers: servers, control: Self.control(in: folder.url))
        configuration = Self.complete(documented, kind, in: folder.url)
        try Data(configuration.utf8).write(to: file)
        let program = "/usr/sbin/\(kind.rawValue)"
        let arguments: [String] =
            switch kind {
            case .haproxy: [program, "-db", "-f", file.path]
            case .nginx: [program, "-e", "stderr", "-p", folder.url.path, "-c", file.path]
            }
        let command = (getuid() == 0 ? PostgreSQLServer.unprivileged : []) + arguments
        process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), command, folder: folder.url, log: folder.url.appending(path: "proxy.log"))
    }

    func stop() async {
        process.send(SIGTERM)
        _ = await process.wait()
        folder.remove()
    }

    // MARK: HAProxy's commands

    /// Gives a server no new requests, and returns once it has none.
    /// - Parameter server: its name in the configuration.
    func drain(_ server: String) async throws {
        try await set(server, "drain")
        try await eventually("the end of the server's requests") { try await statistic("scur", of: server) == "0" }
    }

    /// Gives a drained server requests again, and returns once HAProxy knows that it is ready.
    func resume(_ server: String) async throws {
        try await set(server, "ready")
        try await waitUntilUp(server)
    }

    /// Returns once HAProxy knows that a server is ready.
    func waitUntilUp(_ server: String) async throws {
        try await eventually("the server to be up") { try await statistic("status", of: server) == "UP" }
    }

    private func statistic(_ name: String, of server: String) async throws -> String {
        let table = try await ask("show stat").split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }
        let row = try #require(table.first { $0.prefix(2) == ["servers", server] })
        let column = try #require(table.first?.firstIndex(of: name))
        return row[column]
    }

    private func set(_ server: String, _ state: String) async throws {
        let answer = try await ask("set server servers/\(server) state \(state)")
        // HAProxy says something only if it did nothing.
        try #require(answer.allSatisfy { $0.isWhitespace }, "\(answer)")
    }

    private func ask(_ command: String) async throws -> String {
        let script = """
            import socket, sys
            control = socket.socket(socket.AF_UNIX)
            control.connect(sys.argv[1])
            control.sendall(sys.argv[2].encode() + b"\\n")
            sys.stdout.write(control.makefile().read())
            """
        let result = try await ChildProcess.run(
            Programs.python, ["-c", script, control, command], folder: folder.url)
        try #require(result.succeeded, "\(result.errors)")
        return result.output
    }

    private static func control(in folder: URL) -> String { folder.appending(path: "admin.sock").path }

    // MARK: nginx's reload

    /// Marks one server in the file as down, or none, and has nginx read the file again, as an operator does. Returns once the
    /// former workers have ended: they end after their last request, and new ones have only the new file.
    /// - Parameter port: that of the server; `nil` for none.
    func reload(down port: Int? = nil) async throws {
        var text = configuration
        if let port {
            let server = "server 127.0.0.1:\(port) "
            guard text.contains(server) else { throw Undocumented(description: "\(server)is not in it") }
            text = text.replacing(server, with: server + "down ")
        }
        try Data(text.utf8).write(to: file)
        let former = try workers()
        process.send(SIGHUP)
        try await eventually("the former workers to end") {
            let present = try workers()
            return !present.isEmpty && present.isDisjoint(with: former)
        }
    }

    /// The processes that nginx's first one has started.
    private func workers() throws -> Set<Substring> {
        let master = process.processID
        // Read to its end: the file is longer than the size it claims.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(master)/task/\(master)/children"))
        let children = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        return Set(children.split(separator: " "))
    }

    // MARK: Its configuration

    /// The file in Examples/Deployment with the addresses of this machine, and without TLS, for which there is no
    /// certificate here.
    private static func documented(_ kind: Kind, port: Int, servers: [Int], control: String) throws -> String {
        let name = kind == .haproxy ? "haproxy.cfg" : "nginx.conf"
        var text = try String(
            contentsOf: Programs.repository.appending(path: "Examples/Deployment/\(name)"), encoding: .utf8)
        var changes = [
            (of: "10.0.0.5:8700", to: "127.0.0.1:\(servers[0])"), (of: "10.0.0.6:8700", to: "127.0.0.1:\(servers[1])"),
        ]
        switch kind {
        case .haproxy:
            changes += [
                (
                    of: "bind :443 ssl crt /etc/haproxy/id.example.com.pem alpn h2,http/1.1",
                    to: "bind 127.0.0.1:\(port)"
                ),
                (of: "X-Forwarded-Proto https", to: "X-Forwarded-Proto http"),
                (of: "/run/haproxy/admin.sock", to: control),
            ]
        case .nginx:
            changes += [
                (of: "listen 443 ssl http2;", to: "listen 127.0.0.1:\(port);"),
                (of: "ssl_certificate /etc/nginx/tls/fullchain.pem;", to: ""),
                (of: "ssl_certificate_key /etc/nginx/tls/privkey.pem;", to: ""),
            ]
        }
        for change in changes {
            guard text.contains(change.of) else { throw Undocumented(description: "\(change.of) is not in it") }
            text = text.replacing(change.of, with: change.to)
        }
        return text
    }

    /// nginx as a whole needs more than the file that an operator adds to Debian's configuration.
    private static func complete(_ text: String, _ kind: Kind, in folder: URL) -> String {
        guard kind == .nginx else { return text }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path)/\($0);"
        }
        return """
            daemon off;
            worker_processes 1;
            pid \(folder.path)/nginx.pid;
            error_log stderr;
            events { worker_connections 1024; }
            http {
                access_log off;
                \(temporary.joined(separator: "\n    "))
                \(text)
            }

            """
    }
}

import Foundation
import Testing

/// The program as an operator meets it.
@Suite("The walletauth program", .covers("production refuses unsafe configurations", "a graceful stop"))
struct ProgramTests {
    @Test("SIGTERM finishes the request in flight, takes no new one, and exits 0")
    func gracefulStop() async throws {
        // However long the machine makes this take.
        try await withServer(["--shutdown-timeout", "300s"]) { server in
            let client = try await server.makeConfidentialClient()
            let credentials = Data("\(client.id):\(client.secret ?? "")".utf8).base64EncodedString()
            let body = "grant_type=client_credentials&scope=wallet_operations"
            let port = await server.port
            let connection = try RawConnection(port: port)
            connection.send(
                Data(
                    """
                    POST /oauth2/token HTTP/1.1\r
                    Host: 127.0.0.1:\(port)\r
                    Authorization: Basic \(credentials)\r
                    Content-Type: application/x-www-form-urlencoded\r
                    Content-Length: \(body.utf8.count)\r
                    \r
                    \(body.prefix(10))
                    """.utf8))
            try await eventually("the server to read the half request") { try connection.isReadByPeer() }
            await server.terminate()
            connection.send(Data(body.utf8.dropFirst(10)))
            let reply = await connection.receive()
            #expect(reply.contains("access_token"))
            #expect(try await server.ended() == .exited(0))
            #expect(throws: RawConnection.Refused.self) { try RawConnection(port: port) }
        }
    }

    @Test("What the sandbox writes is readable by its owner alone")
    func filePermissions() async throws {
        try await withServer { server in
            let own = TestEngine.current == .sqlite ? ["a.db", "a.db.sock"] : ["walletauth.marks"]
            for name in [server.file("master-key")] + own {
                let path = server.folder.appending(path: name).path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
                #expect(mode & 0o077 == 0, "\(name) has mode \(String(mode, radix: 8))")
            }
        }
    }

    @Test(
        "A second server on the same database is refused with one clear line, which says how to start it on another one",
        .onlySQLite("several servers share a PostgreSQL database: “Several processes behind a proxy”"))
    func secondServer() async throws {
        try await withServer { server in
            let second = try await server.administer(["serve", "--port", "0"])
            #expect(second.ending == .exited(1))
            #expect(second.errorLines.count == 1, "\(second.errors)")
            #expect(second.errors.contains("already serves"), "\(second.errors)")
            #expect(second.errors.contains("--database sqlite:OTHER.db --port 0"), "\(second.errors)")
            let (web, ready) = (WebClient(ledger: server.ledger), await server.url("/health/ready"))
            try await eventually("the first to be ready") { try await web.get(ready).status == 200 }
        }
    }

    @Test(
        "A command that cannot be done says why in one line and exits 1; one that cannot be read exits 64",
        .onceForAllEngines)
    func commandEndings() async throws {
        try await withServer { server in
            let missing = try await server.administer(["client", "show", "nobody"])
            #expect(missing.ending == .exited(1))
            #expect(missing.errors.split(separator: "\n").count == 1, "\(missing.errors)")
            #expect(missing.errors.contains("There is no client nobody. See `walletauth client list`."))
            let usage = try await server.administer(["client", "create", "--no-such-option"])
            #expect(usage.ending == .exited(64) || usage.ending == .exited(2))
        }
    }

    @Test(
        "With --json, a failure is one document with code, message and hint, whichever part of the program refuses",
        .onceForAllEngines)
    func failureDocuments() async throws {
        try await withServer { server in
            for (arguments, status, code, hint) in [
                (["client", "show", "nobody"], 1, "not_found", "See `walletauth client list`."),
                (["client", "shw", "nobody"], 64, "usage", "Did you mean 'show'? See `walletauth client --help`"),
                (["client", "list", "--config", "/nonexistent/walletauth.yaml"], 78, "invalid_configuration", nil),
                (["transaction", "verify", "/nonexistent"], 1, "unreadable_file", nil),
            ] as [([String], Int32, String, String?)] {
                let failed = try await server.administer(arguments + ["--json"])
                #expect(failed.ending == .exited(status), "\(arguments): \(failed.errors)")
                #expect(try failed.failure["code"] as? String == code, "\(arguments): \(failed.output)")
                #expect(try (failed.failure["message"] as? String)?.isEmpty == false, "\(arguments)")
                if let hint { #expect(try failed.failure["hint"] as? String == hint, "\(arguments)") }
                #expect(failed.errors.hasPrefix("walletauth: "), "\(failed.errors)")
            }
            // A report that finds faults is the answer, and the only document.
            let doctor = try await server.administer(["doctor", "--json", "--environment", "nowhere"])
            #expect(doctor.ending == .exited(1), "\(doctor.errors)")
            #expect(try doctor.json["healthy"] as? Bool == false)
        }
    }

    @Test("doctor finds nothing wrong with a fresh sandbox, and a check of its database passes")
    func doctor() async throws {
        try await withServer { server in
            let doctor = try await server.administer(["doctor", "--port", "0"])
            #expect(doctor.succeeded, "\(doctor.output) \(doctor.errors)")
            // PostgreSQL checks its own files.
            guard TestEngine.current == .sqlite else { return }
            let check = try await server.administer(["database", "check"])
            #expect(check.succeeded, "\(check.output) \(check.errors)")
        }
    }
}

import Foundation
import Testing
import WalletAuth

@Suite("Moving in from another system", .covers("account import"))
struct AccountImportEndToEndTests {
    /// Of `correct horse battery`, with cost 5, by crypt(3).
    private static let bcrypt = "$2b$05$abcdefghijklmnopqrstuuD3mHdCr44zlIZ.VZCaYRpfQhXMYnEo."
    private static let password = "correct horse battery"

    /// A realm's export as Keycloak writes it, in many lines.
    private static let realm = #"""
        {
          "id" : "4d9a5f2e-30b4-4a5f-9e8e-3c1f3a1e2b77",
          "realm" : "wallet",
          "roles" : { "realm" : [ { "name" : "users", "users" : [ { } ] } ] },
          "users" : [ {
            "id" : "8c7d0a7e-7a4e-4a52-9d38-4f2f0f0a3b11",
            "username" : "ada",
            "enabled" : true,
            "credentials" : [ {
              "type" : "password",
              "secretData" : "{\"value\":\"yyMEdUYvycN8sW4MeGH4KSeWo1JXFhGHqFaiGoqx7kc=\",\"salt\":\"c2FsdHNhbHRzYWx0c2FsdA==\",\"additionalParameters\":{}}",
              "credentialData" : "{\"hashIterations\":27500,\"algorithm\":\"pbkdf2-sha256\",\"additionalParameters\":{}}"
            } ]
          }, {
            "id" : "cc0d5c3c-1f5f-4d5f-8f0e-7d3f4b5a6c7d",
            "username" : "bob",
            "enabled" : true,
            "credentials" : [ {
              "type" : "password",
              "secretData" : "{\"value\":\"AAAA\",\"salt\":\"AAAA\"}",
              "credentialData" : "{\"hashIterations\":1,\"algorithm\":\"md5\"}"
            } ]
          }, {
            "username" : "cyd",
            "credentials" : [ {
              "type" : "password",
              "secretData" : "{\"value\":\"yyMEdUYvycN8sW4MeGH4KSeWo1JXFhGHqFaiGoqx7kc=\",\"salt\":\"c2FsdHNhbHRzYWx0c2FsdA==\"}",
              "credentialData" : "{\"hashIterations\":27500,\"algorithm\":\"pbkdf2-sha256\"}"
            }, { "type" : "webauthn" } ]
          }, {
            "username" : "service-account-shop",
            "enabled" : true,
            "serviceAccountClientId" : "shop"
          } ]
        }
        """#

    private func lines(_ numbers: Range<Int>) -> String {
        numbers.map { number in
            #"{"externalId":"\#(number)","username":"person\#(number)","email":"person\#(number)@example.com","emailVerified":true,"name":"Person \#(number)","passwordHash":"\#(Self.bcrypt)"}"#
                + "\n"
        }.joined()
    }

    /// A name that no other test has at the server that they share.
    private static func name(_ beginning: String) -> String { "\(beginning)-\(randomText(4).lowercased())" }

    private func events(_ kind: String, at server: RunningServer) async throws -> Int {
        let entries = try await server.require(["audit", "tail", "--kind", kind, "--limit", "1000"])
        return entries == "No entries." ? 0 : entries.split(separator: "\n").count
    }

    @Test("A realm of Keycloak moves in while the server runs, and its person signs in with the former password")
    func keycloak() async throws {
        try await withServer { server in
            let file = server.folder.appending(path: "realm.json")
            try Self.realm.write(to: file, atomically: true, encoding: .utf8)
            let dry = try await server.administer(["account", "import", file.path, "--dry-run"])
            #expect(dry.ending == .exited(1))
            #expect(dry.output.contains("line 14 (bob): credentials have a password hashed by md5"), "\(dry.output)")
            #expect(dry.output.contains("Would import 1 account; 0 already there; 2 not imported."), "\(dry.output)")
            #expect(
                dry.output.contains("(cyd): the second factor cannot be imported (credentials of the type webauthn)"),
                "\(dry.output)")
            #expect(dry.output.contains("Left out are the service accounts of 1 client"), "\(dry.output)")
            let first = try await server.administer(["account", "import", file.path])
            #expect(first.output.contains("Imported 1 account; 0 already there; 2 not imported."), "\(first.output)")

            let client = try await server.makePublicClient()
            let person = Person(username: "ada", password: Self.password)
            let device = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let wallet = try device.wallet(issuer: await server.issuer, client: client)
            try await wallet.login(username: person.username, password: person.password).signedIn()
            let shown = try await server.require(["account", "show", "ada", "--json"])
            #expect(shown.contains("8c7d0a7e-7a4e-4a52-9d38-4f2f0f0a3b11"), "the id that backends know")

            let again = try await server.administer(["account", "import", file.path, "--without-second-factors"])
            #expect(again.output.contains("Imported 1 account; 1 already there; 1 not imported."), "\(again.output)")
            #expect(
                again.output.contains("People who had a second factor and have none here: 1."), "\(again.output)")
            let other = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let second = try other.wallet(issuer: await server.issuer, client: client)
            try await second.login(username: person.username, password: person.password).signedIn()
        }
    }

    @Test("The faults of a file are listed in its order, and a comma too many is named", .onceForAllEngines)
    func order() async throws {
        try await SharedServer.use { server, _ in
            let file = server.folder.appending(path: "order.jsonl")
            let (first, last) = (Self.name("ada"), Self.name("dee"))
            for name in [first, last] { _ = try await server.makeAccount(name) }
            let lines = [
                // The server finds the first and the last one, and the program those between.
                #"{"username":"\#(first)"}"#, #"{"username":"bob",}"#, #"{"username":"cyd","totpSecret":"1"}"#,
                #"{"username":"\#(last)"}"#,
            ]
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            let answer = try await server.administer(["account", "import", file.path])
            let told = (answer.output + answer.errors).matches(of: #/line (\d)(?: \([^)]+\))?: /#).map { String($0.1) }
            #expect(told == ["1", "2", "3", "4"], "\(answer.output) \(answer.errors)")
            #expect(answer.output.contains("a comma after the last member"), "\(answer.output)")
        }
    }

    @Test(
        "A dry run names all faults of an account by its user name, and once what the server lacks for many",
        .onceForAllEngines)
    func allFaults() async throws {
        try await SharedServer.use { server, _ in
            let name = Self.name("ada")
            _ = try await server.makeAccount(name)
            let identity = #""identities":[{"provider":"none","subject":"1"}]"#
            let lines = [
                #"{"username":"\#(name)","totpSecret":"1","colour":"red",\#(identity)}"#,
                #"{"username":"bob",\#(identity.replacing("1", with: "2"))}"#, #"{"username":"cyd"}"#,
            ]
            let file = server.folder.appending(path: "all-faults.jsonl")
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
            let answer = try await server.administer(["account", "import", file.path, "--dry-run"])
            for fault in ["colour is unknown", "totpSecret is not", "the user name \(name) is taken"] {
                #expect(answer.output.contains("line 1 (\(name)): \(fault)"), "\(answer.output)")
            }
            #expect(answer.output.contains("2 lines: there is no provider none here"), "\(answer.output)")
            #expect(answer.output.components(separatedBy: "no provider none").count == 2, "\(answer.output)")
            #expect(answer.output.contains("Would import 1 account; 0 already there; 2 not imported."))
        }
    }

    @Test("An import that is killed goes on when it is run again, and each account is made once")
    func killed() async throws {
        try await withServer { server in
            let all = 600
            let file = server.folder.appending(path: "people.jsonl")
            try lines(0..<all).write(to: file, atomically: true, encoding: .utf8)
            // It reads 64 KiB at a time, and waits for the second part that never comes.
            let child = try ChildProcess(
                Programs.walletauth, ["account", "import", "-"], environment: server.environment, folder: server.folder,
                log: server.folder.appending(path: "import.log"), input: nil)
            let watcher = try await server.startKilling(
                child.processID, once: "SELECT CASE WHEN COUNT(*) >= 100 THEN 1 ELSE 0 END FROM accounts")
            child.write(Data(lines(0..<all).utf8.prefix(70 * 1024)))
            #expect(await child.wait() == .killed(signal: SIGKILL))
            _ = await watcher.wait()

            let again = try await server.administer(["account", "import", file.path])
            #expect(again.succeeded, "\(again.errors)")
            let counts = try #require(
                again.output.firstMatch(of: /Imported (\d+) accounts; (\d+) already there; 0 not/))
            let (created, present) = (try #require(Int(counts.1)), try #require(Int(counts.2)))
            #expect(created + present == all && present >= 100)
            #expect(try await events("account.created", at: server) == all)
            #expect(
                try await events("accounts.imported", at: server) == 2, "the run that was cut off, and the whole one")
            let third = try await server.administer(["account", "import", file.path])
            #expect(
                third.output.contains("Imported 0 accounts; \(all) already there; 0 not imported."), "\(third.output)")
        }
    }

    @Test("Merchants, employees and consents of a long file pass a dry run, arrive, and arrive once")
    func grants() async throws {
        try await withServer { server in
            _ = try await server.makePublicClient()
            try await server.require([
                "client", "create", "crm", "--name", "CRM", "--public", "--redirect-uri",
                "https://crm.example.com/back",
                "--scope", "openid email",
            ])
            var text = lines(0..<150)
            text += #"{"kind":"merchant","id":"bakery","name":"Bakery","clients":["com.example.wallet"]}"# + "\n"
            for number in 0..<150 {
                text += #"{"kind":"employee","merchant":"bakery","externalId":"\#(number)"}"# + "\n"
                text += #"{"kind":"consent","client":"crm","scope":"openid","externalId":"\#(number)"}"# + "\n"
            }
            text += #"{"kind":"employee","merchant":"bakery","externalId":"7"}"# + "\n"
            let file = server.folder.appending(path: "people.jsonl")
            try text.write(to: file, atomically: true, encoding: .utf8)
            let counts = "150 accounts, 1 merchant, 150 employees, 150 consents; 0 already there; 1 not imported."
            let dry = try await server.administer(["account", "import", file.path, "--dry-run"])
            #expect(dry.output.contains("line 452 (7): merchant is the same as in line 166"), "\(dry.output)")
            #expect(dry.output.contains("Would import \(counts)"), "\(dry.output)")
            let first = try await server.administer(["account", "import", file.path])
            #expect(first.output.contains("Imported \(counts)"), "\(first.output)")
            let again = try await server.administer(["account", "import", file.path])
            #expect(again.output.contains("Imported 0 accounts; 451 already there; 1 not imported."), "\(again.output)")
        }
    }

    @Test(
        "A fault in an array on one line is named by the account's number; a form that is not the file's is refused",
        .onceForAllEngines)
    func oneLine() async throws {
        try await SharedServer.use { server, _ in
            let file = server.folder.appending(path: "one-line.json")
            let name = Self.name("ada")
            let users = [name, Self.name("bob"), name.uppercased()].map { #"{"username":"\#($0)","enabled":true}"# }
            try #"{"realm":"shop","users":[\#(users.joined(separator: ","))]}"#
                .write(to: file, atomically: true, encoding: .utf8)
            let realm = try await server.administer(["account", "import", file.path, "--format", "keycloak"])
            #expect(
                realm.output.contains(
                    "account 3, line 1 (\(name.uppercased())): username is the same as in account 1"),
                "\(realm.output)")
            #expect(realm.output.contains("Imported 2 accounts; 0 already there; 1 not imported."), "\(realm.output)")

            let own = server.folder.appending(path: "one-line.jsonl")
            try lines(0..<2).write(to: own, atomically: true, encoding: .utf8)
            let other = try await server.administer(["account", "import", own.path, "--format", "keycloak"])
            #expect(other.ending == .exited(1))
            #expect(
                other.errors.contains("looks like lines, not like keycloak; nothing was imported"), "\(other.errors)")
        }
    }

    @Test("attack: what is no account is named by its line, and the others are imported", .onceForAllEngines)
    func faulty() async throws {
        try await withServer { server in
            let file = server.folder.appending(path: "people.jsonl")
            var bytes = Data(lines(0..<1).utf8)
            bytes += Data("no JSON\n{\"username\":\"".utf8) + Data([0xFF, 0xFE]) + Data("\"}\n".utf8)
            bytes += Data("{\"username\":\"\(String(repeating: "x", count: 100_000))\"}\n".utf8)
            bytes += Data("{\"username\":\"bob\",\"colour\":\"red\"}\n".utf8)
            bytes += Data("{\"username\":\"PERSON0\",\"name\":\"=cmd|' /C calc'!A0\"}\n".utf8)
            bytes += Data("{\"username\":\"cyd\",\"name\":\"=cmd|' /C calc'!A0\"}\n".utf8)
            bytes += Data(
                "{\"username\":\"dee\",\"passwordHash\":\"$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\"}\n"
                    .utf8)
            try bytes.write(to: file)
            let result = try await server.administer(["account", "import", file.path, "--format", "lines"])
            #expect(result.ending == .exited(1))
            for fault in [
                "line 2: JSON", "line 3: JSON is not UTF-8", "line 4: the account is longer than 64 KiB",
                "line 5 (bob): colour is unknown", "line 6 (PERSON0): username is the same as in line 1",
                "line 8 (dee): passwordHash has bcrypt's cost 31",
                "Imported 2 accounts; 0 already there; 6 not imported.",
            ] {
                #expect(result.output.contains(fault), "\(result.output)")
            }
            #expect(!result.output.contains("line 7"))
            let unclear = try await server.administer(["account", "import", "-"], input: "name,email\n")
            #expect(unclear.ending == .exited(1) && unclear.errors.contains("--format"), "\(unclear.errors)")
        }
    }
}

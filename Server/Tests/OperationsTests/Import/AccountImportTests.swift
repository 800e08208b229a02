import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Importing accounts", .threat("Password guessing", "Account enumeration"), .covers("account import"))
struct AccountImportTests {
    private static let password = "correct horse battery"
    /// Of that password, with cost 4, by crypt(3).
    private static let bcrypt = "$2b$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS"

    private func add(
        _ lines: [JSONObject], to server: TestServer, run: String = "a", source: String = "file", _ options: String...
    ) async -> AdministrationAnswer {
        await server.importBatch(lines, run: run, source: source, options)
    }

    private func counts(_ answer: AdministrationAnswer) throws -> [Int64?] { try answer.importCounts() }

    private func reasons(_ answer: AdministrationAnswer) throws -> [String] { try answer.importFaults() }

    private func person(_ name: String = "ada", _ members: [String: JSONValue] = [:]) -> JSONObject {
        var object = JSONObject()
        object.set("username", name)
        object.set("passwordHash", Self.bcrypt)
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { object[name] = value }
        return object
    }

    private func events(_ kind: String, at server: TestServer) async throws -> [String] {
        try await server.context.database.read { connection in
            try connection.query(
                "SELECT details FROM security_events WHERE kind = $1 LIMIT 99", [.text(kind)]
            ).map { try $0.text("details") }
        }
    }

    private func hash(of account: AccountID, at server: TestServer) async throws -> String? {
        let record = try await server.record(of: account)
        return record.flatMap { AccountVault(server.context.sealing).open($0.password, .password, of: $0.id) }
    }

    @Test(
        "A person signs in with the former password, whose hash becomes one of ours, and a second import changes nothing"
    )
    func movesIn() async throws {
        let server = try await TestServer.start()
        let lines = [person("ada", ["externalId": "7"]), person("bob")]
        #expect(try counts(await add(lines, to: server, "--first")) == [2, 0, 0])
        let account = try #require(try await server.accountID())
        #expect(try await hash(of: account, at: server) == Self.bcrypt)

        let app = TestApp(client: try await server.publicClient())
        #expect(try await app.signIn(password: "correct horse batterx").errorCode == "invalid_credentials")
        #expect(try await hash(of: account, at: server) == Self.bcrypt)
        _ = try await app.signIn(password: Self.password).code()
        let upgraded = try #require(try await hash(of: account, at: server))
        #expect(upgraded.hasPrefix("$argon2id$"))
        _ = try await app.signIn(password: Self.password).code()

        #expect(try counts(await add(lines, to: server)) == [0, 2, 0])
        #expect(try await hash(of: account, at: server) == upgraded)
        #expect(try counts(await add([], to: server, "--last")) == [2, 2, 0])
        #expect(try await events("account.created", at: server).count == 2)
        let imports = try await events("accounts.imported", at: server)
        #expect(imports.count == 1 && imports.first?.contains(#""created":2"#) ?? false, "\(imports)")
    }

    @Test("People with neither a password nor an identity are counted, in a dry run as well")
    func withoutPassword() async throws {
        let server = try await TestServer.start()
        var bob = person("bob")
        bob["passwordHash"] = nil
        for option in ["--dry-run", "--first"] {
            let answer = await add([person(), bob], to: server, option)
            #expect(try counts(answer) == [2, 0, 0])
            #expect(try answer.document()["withoutPassword"]?.integer == 1)
        }
    }

    @Test("A hash that cannot be imported is a fault, which says what lets the person choose a new password")
    func unknownHash() async throws {
        let server = try await TestServer.start()
        let ada = person(
            "ada", ["passwordHash": "md5:abc", "email": "ada@example.com", "emailVerified": true])
        let found = try reasons(await add([ada], to: server, "--first"))
        #expect(found.count == 1)
        #expect(found.first?.contains("replace it with the hash of a random password") == true, "\(found)")
        let bob = person("bob", ["passwordHash": "md5:abc", "phone": "+35921234567", "phoneVerified": true])
        let withoutAddress = try reasons(await add([bob], to: server))
        #expect(withoutAddress.first?.contains("e-mail, at a confirmed address") == false, "\(withoutAddress)")
        #expect(withoutAddress.first?.contains("`walletauth account set-password`") == true, "\(withoutAddress)")
    }

    @Test("The audit log counts the faults that the program found, too")
    func faulty() async throws {
        let server = try await TestServer.start()
        let lines = [person("ada"), person("bob", ["nickname": "b"])]
        #expect(try counts(await add(lines, to: server, "--first")) == [1, 0, 1])
        _ = await add([], to: server, "--last", "--faulty=3")
        let imports = try await events("accounts.imported", at: server)
        #expect(imports.count == 1 && imports.first?.contains(#""faulty":3"#) ?? false, "\(imports)")
    }

    @Test("An account keeps its former id if that is a UUID, in each brand another one, and is never made again")
    func ids() async throws {
        let server = try await TestServer.start()
        let id = "6f2a4c1e-0d3b-4a57-9c1d-2e8f0a1b2c3d"
        #expect(
            try counts(await add([person("ada", ["externalId": .string(id)])], to: server, "--first")) == [1, 0, 0])
        #expect(try await server.accountID()?.rawValue == id)
        try await server.administer(["account", "erase", "--account", id])
        #expect(try counts(await add([person("ada", ["externalId": .string(id)])], to: server)) == [0, 1, 0])
        #expect(try await server.accountID() == nil, "what was erased stays erased")
        try await server.administer(["brand", "create", "blue", "--name", "Blue"])
        let other = await add(
            [person("ada", ["externalId": .string(id)])], to: server, run: "b", "--first", "--brand", "blue")
        #expect(try reasons(other).first?.contains("belongs to an account of the brand default") ?? false)
    }

    @Test("attack: a line whose name or identity another account has is refused, and takes nothing over")
    func taken() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider)
        _ = try await server.account("ada")
        let identity: JSONValue = [["provider": "example", "subject": "sub-1"]]
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.createAccount(app.signIn(at: provider).guest(), username: "kim").code()
        let answer = await add(
            [
                person("ada"), person("\u{FF21}DA", ["externalId": "8"]), person("eve", ["identities": identity]),
                person("zoe", ["identities": [["provider": "nowhere", "subject": "1"]]]), person("may"),
            ], to: server, "--first")
        #expect(try counts(answer) == [1, 0, 4])
        let reasons = try reasons(answer)
        #expect(reasons[0].contains("is taken by the account") && reasons[1].contains("is taken by the account"))
        #expect(reasons[2].contains("is linked to the account"))
        #expect(reasons[3].contains("--provider nowhere=ID"))
    }

    @Test("An imported identity signs in at once, and a code to the account's address counts as none after it")
    func identity() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider)
        let identity: JSONValue = [["provider": "example", "subject": "sub-1"]]
        let line = person("ada", ["email": "ada@example.com", "emailVerified": true, "identities": identity])
        #expect(try counts(await add([line], to: server, "--first")) == [1, 0, 0])
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.signIn(at: provider).code()
        let digests = try await server.context.database.read { connection in
            try connection.query("SELECT asserts_address FROM federated_identities LIMIT 9", [])
                .map { try $0.integer("asserts_address") }
        }
        #expect(digests == [1])
    }

    @Test(
        "A disabled account, an expired password, a number, a name in any form and an authenticator app arrive as they were"
    )
    func state() async throws {
        let server = try await TestServer.start()
        let lines = [
            person("ada", ["disabled": true]), person("bob", ["passwordExpired": true]),
            person("cyd", ["phone": "+359 2 123 4567", "phoneVerified": true, "name": "=HYPERLINK(\"http://x\")"]),
            person("dee", ["totpSecret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"]),
            person("eve", ["phone": "+35921234568"]),
        ]
        #expect(try counts(await add(lines, to: server, "--first")) == [5, 0, 0])
        let app = TestApp(client: try await server.publicClient())
        #expect(try await app.signIn("ada", password: Self.password).errorCode == "wallet_deactivated")
        #expect(try await app.signIn("ada", password: "a wrong one").errorCode == "invalid_credentials")
        #expect(try await app.signIn("bob", password: Self.password).errorCode == "password_change_required")
        let disabled = try await server.administer(["account", "explain", "ada"])
        #expect(disabled["verdict"]?.string?.hasSuffix(": the account was imported as disabled.") == true)
        #expect(disabled["hindrances"]?.array?.first?.object?["code"] == "imported_disabled")
        let cyd = try await server.administer(["account", "show", "cyd"])
        #expect(cyd["phone"]?.string == "+35921234567" && cyd["phoneState"]?.string == "verified")
        #expect(cyd["name"]?.string == "=HYPERLINK(\"http://x\")", "a formula is a text like any other")
        let eve = try await server.administer(["account", "show", "eve"])
        #expect(
            eve["phone"] == nil && eve["enteredPhone"]?.string == "+35921234568", "an unconfirmed number is no factor")
        let dee = try #require(try await server.accountID("dee").flatMap { UniqueID(bytes: $0.bytes) })
        let record = try #require(
            try await server.context.database.read { try TOTPSecrets.active(of: dee, on: $0) })
        let secret = try #require(
            AuthenticatorVault(server.context.sealing).openBytes(record.sealed, .secret, of: dee))
        #expect(Base32.encode(secret) == "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        #expect(record.lastStep == TOTP.stepNumber(at: server.clock.now()), "a code used before is used up here")
    }

    @Test(
        "attack: a line that would cost too much, deceive or mean nothing is refused by its member",
        arguments: [
            (["passwordHash": "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"], "passwordHash"),
            (["username": "p\u{0430}ypal"], "mixes scripts"), (["username": ""], "username"),
            (["username": .integer(7)], "username"), (["nickname": "a"], "nickname is unknown"),
            (["name": "Evil\u{202E}knab"], "name"), (["email": "no address"], "email"),
            (["emailVerified": true], "emailVerified needs an email"), (["phone": "030 123"], "phone"),
            (["phoneVerified": true], "phoneVerified needs a phone"), (["totpSecret": "1"], "totpSecret"),
            (["identities": "x"], "identities"),
            (["externalId": .string(String(repeating: "x", count: 257))], "externalId"),
        ] as [([String: JSONValue], String)])
    func refused(members: [String: JSONValue], reason: String) async throws {
        let server = try await TestServer.start()
        let answer = await add([person("ada", members)], to: server, "--first")
        #expect(try counts(answer) == [0, 0, 1])
        #expect(try reasons(answer).first?.contains(reason) ?? false, "\(answer.json)")
        #expect(try await server.accountID() == nil)
    }

    @Test("All faults of an account are named, and those that say what the server lacks are marked")
    func allFaults() async throws {
        let server = try await TestServer.start { $0.undeliverableFactors = [.email, .sms] }
        _ = try await server.account("ada")
        let ada = person(
            "ada",
            [
                "email": "ada@example.com", "phone": "+35921234567",
                "identities": [["provider": "nowhere", "subject": "1"], ["provider": "nowhere", "subject": "2"]],
            ])
        let answer = await add([ada], to: server, "--first", "--dry-run")
        let faults = try #require(try answer.document()["faults"]?.array?.compactMap(\.object))
        #expect(faults.map { $0["general"]?.bool } == [true, true, true, nil], "\(answer.json)")
        #expect(faults.last?["reason"]?.string?.contains("is taken by the account") == true)
        _ = await add([ada], to: server, "--first")
        _ = await add([], to: server, "--last")
        let imports = try await events("accounts.imported", at: server)
        #expect(imports.last?.contains(#""faulty":1"#) == true, "\(imports)")
    }

    @Test("What is left of a line with faults is looked at, and never made")
    func faultyRest() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("bob")
        let input = ["ada", "bob"].enumerated().map { number, name in
            var line = JSONObject()
            line.set("line", Int64(number + 1))
            line.set("faulty", true)
            line["account"] = .object(person(name))
            return JSONValue.object(line).text
        }.joined(separator: "\n")
        for options in [["--dry-run"], []] {
            let answer = await server.flows.administration.execute(
                AdminRequest(
                    ["account", "import-batch", "--source", "file", "--run", "a", "--first"] + options, input: input))
            #expect(try counts(answer) == [0, 0, 1])
            #expect(try reasons(answer).first?.contains("is taken by the account") == true)
        }
        #expect(try await server.accountID() == nil)
    }

    @Test("A dry run names the faults and changes nothing; a strict one writes no batch that has one")
    func dryAndStrict() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("bob")
        let writes = server.writes
        let lines = [person("ada"), person("bob")]
        #expect(try counts(await add(lines, to: server, "--first", "--dry-run")) == [1, 0, 1])
        #expect(server.writes == writes)
        #expect(try await server.accountID() == nil)
        let strict = await add(lines, to: server, "--first", "--strict")
        #expect(try counts(strict) == [0, 0, 1])
        #expect(try strict.document()["stopped"]?.bool == true)
        #expect(try await server.accountID() == nil)
        #expect(try counts(await add([person("cyd")], to: server, run: "b", "--first", "--strict")) == [1, 0, 0])
    }

    @Test(
        "One import runs at a time: the same file takes over from a run that was killed, another waits until that has expired"
    )
    func oneAtATime() async throws {
        let server = try await TestServer.start()
        #expect(try counts(await add([person("ada")], to: server, "--first")) == [1, 0, 0])
        let other = await add([person("bob")], to: server, run: "b", source: "other", "--first")
        #expect(other.refusal?.code == "import_running")
        #expect(try counts(await add([person("ada"), person("bob")], to: server, run: "c", "--first")) == [1, 1, 0])
        #expect(await add([person("cyd")], to: server).refusal?.code == "import_running", "the first run was overtaken")
        #expect(try counts(await add([], to: server, "--last")) == [0, 0, 0])
        #expect(try await events("accounts.imported", at: server).count == 1, "the run that was cut off")
        server.clock.advance(by: .seconds(61))
        #expect(try counts(await add([person("cyd")], to: server, run: "d", source: "other", "--first")) == [1, 0, 0])
        #expect(try await events("accounts.imported", at: server).count == 2)
    }

    @Test("A run whose first call is taken over between two writes stops, and the run that took over ends")
    func takenOverInFirstCall() async throws {
        let server = try await TestServer.start()
        let lines = (1...150).map { person("p\($0)") }
        server.beforeNextWrite {
            server.beforeNextWrite {
                let other = try counts(await add(lines, to: server, run: "b", "--first"))
                #expect(other == [50, 100, 0])
            }
        }
        #expect(await add(lines, to: server, "--first").refusal?.code == "import_running")
        #expect(try counts(await add([person("ada")], to: server, run: "b")) == [1, 0, 0])
        #expect(try counts(await add([], to: server, run: "b", "--last")) == [51, 100, 0])
        let imports = try await events("accounts.imported", at: server)
        let (cut, whole) = (
            imports.filter { $0.contains(#""whole":false"#) }, imports.filter { $0.contains(#""whole":true"#) }
        )
        #expect(cut.count == 1 && cut.first?.contains(#""created":100"#) ?? false, "\(imports)")
        #expect(whole.count == 1 && whole.first?.contains(#""created":51"#) ?? false, "\(imports)")
    }

    @Test("Each write of a call renews the run's lease, so that a slow call is not taken for a killed one")
    func slowCall() async throws {
        let server = try await TestServer.start()
        server.beforeNextWrite { server.beforeNextWrite { server.clock.advance(by: .seconds(61)) } }
        let lines = (1...150).map { person("p\($0)") }
        #expect(try counts(await add(lines, to: server, "--first")) == [150, 0, 0])
        let other = await add([person("bob")], to: server, run: "b", source: "other", "--first")
        #expect(other.refusal?.code == "import_running")
        #expect(try counts(await add([person("ada")], to: server)) == [1, 0, 0])
    }

    @Test("The entry about a run that was cut off names its brand, not that of the run which took over")
    func brandOfRun() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "create", "blue", "--name", "Blue"])
        #expect(try counts(await add([person("ada")], to: server, "--first", "--brand", "blue")) == [1, 0, 0])
        #expect(
            await add([person("bob")], to: server).refusal?.code == "import_running",
            "a run has one brand, and this is another")
        #expect(try counts(await add([person("cyd")], to: server, run: "b", "--first")) == [1, 0, 0])
        let cut = try await events("accounts.imported", at: server)
        #expect(cut.count == 1 && cut.first?.contains(#""brand":"blue""#) ?? false, "\(cut)")
        _ = await add([], to: server, run: "b", "--last", "--brand", "blue")
        let both = try await events("accounts.imported", at: server)
        #expect(both.count == 2 && both.contains { $0.contains(#""brand":"default""#) }, "\(both)")
    }

    @Test("A batch whose commit failed, and that runs again, makes each account once")
    func twice() async throws {
        let server = try await TestServer.start()
        server.undoNextWrite {}
        #expect(try counts(await add([person("ada"), person("bob")], to: server, "--first")) == [2, 0, 0])
        #expect(try await events("account.created", at: server).count == 2)
    }

    @Test("attack: a wrong password is compared with nothing imported at a name that has none, and told alike")
    func timing() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("bob")
        #expect(try counts(await add([person("ada")], to: server, "--first")) == [1, 0, 0])
        let client = try await server.publicClient()
        // The first comparison shows this process what there is.
        _ = try await TestApp(client: client).signIn("ada", password: "wrong horse battery")
        for name in ["ada", "bob", "eve"] {
            let before = server.context.passwords.hashesComputed
            let app = TestApp(client: client, address: "198.51.100.\(name.utf8.first ?? 0)")
            #expect(try await app.signIn(name, password: "wrong horse battery").errorCode == "invalid_credentials")
            // Elsewhere the time of a comparison passes, and here none does.
            #expect(server.context.passwords.hashesComputed - before == (name == "ada" ? 2 : 1), "\(name)")
        }
    }
}

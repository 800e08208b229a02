import HTTPTypes
import HummingbirdTesting
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Making an account in an app, over HTTP", .threat("Account enumeration"), .covers("POST /v1/registrations"))
struct RegistrationHTTPTests {
    private func account(_ name: String, _ server: TestServer) async throws -> AccountRecord? {
        try await server.server.context.database.read { try Accounts.find(named: name, brand: "default", on: $0) }
    }

    private func accounts(_ server: TestServer) async throws -> Int {
        try await server.server.context.database.read { try $0.query("SELECT id FROM accounts", []).count }
    }

    @Test("A newcomer proves an address, and is signed in to an account that has it as a confirmed factor")
    func whole() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let begun = try await newcomer.begin()
            #expect(begun.status == .ok, "\(begun.text)")
            #expect(begun.headers[.cacheControl] == "no-store")
            #expect(try begun.json["digits"]?.integer == 8)
            #expect(try begun.json["sent"] == .bool(true))
            #expect(try begun.json["expiresIn"]?.integer == 600)
            #expect(try await accounts(server) == 0)
            let session = try #require(try begun.member("authSession"))
            let early = try await newcomer.finish(session)
            #expect(try early.member("error") == "invalid_session", "nothing exists before the code")
            let confirmed = try await newcomer.confirm(session, try await newcomer.code(for: "ada@example.com"))
            #expect(confirmed.status == .ok, "\(confirmed.text)")
            #expect(try await accounts(server) == 0)
            let proved = try #require(try confirmed.member("authSession"))
            let done = try await newcomer.finish(proved)
            #expect(done.status == .ok, "\(done.text)")
            #expect(try done.member("authorization_code") != nil)
            let made = try #require(try await account("ada", server))
            #expect(made.emailState == .verified)
            #expect(AccountVault(server.server.context.sealing).email(of: made) == "ada@example.com")
        }
    }

    @Test("The new account's mailbox gets one message with the user name and no secret; a number gets none")
    func welcome() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let session = try await newcomer.proved()
            #expect(try await newcomer.finish(session, more: ",\"locale\":\"de\"").status == .ok)
            // The same end once more is the same account.
            #expect(try await newcomer.finish(session, more: ",\"locale\":\"de\"").status == .ok)
            let welcomes = try await newcomer.messages.filter { $0.kind == "registration_made" }
            #expect(welcomes.map(\.recipient) == ["ada@example.com"])
            let welcome = try #require(welcomes.first)
            #expect(welcome.subject == "Ihr Konto wurde angelegt")
            #expect(welcome.text.contains("ada"))
            #expect(!welcome.text.contains(NewcomerOverHTTP.password))
            #expect(welcome.code == nil)
            let other = NewcomerOverHTTP(server: server, client: client)
            #expect(try await other.finish(try await other.proved("+4930123456"), "eve").status == .ok)
            #expect(try await other.messages.count { $0.kind == "registration_made" } == 1)
        }
    }

    @Test("Without the operator's leave no one registers, and the answer says so")
    func off() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let answer = try await newcomer.begin()
            #expect(answer.status == .forbidden, "\(answer.text)")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(try answer.member("code") == "registration_off")
            #expect(try await newcomer.messages.isEmpty)
        }
    }

    @Test("attack: an address that has an account gets the same answer and one message, which only its holder reads")
    func enumeration() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            try await NewcomerOverHTTP.makeHolder(server)
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            var answers: [[String: JSONValue?]] = []
            var lengths: [Int] = []
            for address in ["maria@example.com", "MARIA@example.com", "clara@example.com"] {
                let before = try await newcomer.messages.count
                let answer = try await newcomer.begin(address)
                #expect(answer.status == .ok, "\(answer.text)")
                let isFirst = address != "MARIA@example.com"
                #expect(try await newcomer.messages.count == before + (isFirst ? 1 : 0))
                guard isFirst else { continue }
                let json = try answer.json
                answers.append(
                    Dictionary(
                        uniqueKeysWithValues: ["digits", "sent", "resendAfter", "expiresIn"].map { ($0, json[$0]) }))
                lengths.append(try #require(try answer.member("authSession")).utf8.count)
            }
            #expect(answers[0] == answers[1])
            #expect(lengths[0] == lengths[1], "both addresses have the same length")
            let told = try #require(try await newcomer.messages.first { $0.recipient == "maria@example.com" })
            #expect(told.kind == "registration_existing")
            #expect(told.code == nil)
            #expect(told.text.contains("maria"))
            // No code is right, whichever is tried; the answers are those of a free address.
            for address in ["maria@example.com", "dora@example.com"] {
                let other = NewcomerOverHTTP(server: server, client: client)
                let begun = try await other.begin(address)
                let session = try #require(try begun.member("authSession"))
                var codes: [String?] = []
                for _ in 0..<6 {
                    let wrong = try await other.confirm(session, "00000000")
                    #expect(wrong.status == .badRequest)
                    codes.append(try wrong.member("code"))
                }
                #expect(codes.prefix(4).allSatisfy { $0 == "invalid_code" }, "\(address) \(codes)")
                #expect(codes.suffix(2).allSatisfy { $0 == "invalid_session" }, "\(address) \(codes)")
            }
        }
    }

    @Test("An unconfirmed address of another account is free")
    func unconfirmed() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            var registration = AccountRegistration(username: "squatter", password: "correct horse battery")
            registration.email = "ada@example.com"
            try await server.execute { try await AccountAdministration($0).create(registration) }
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let done = try await newcomer.finish(try await newcomer.proved())
            #expect(done.status == .ok, "\(done.text)")
        }
    }

    @Test("An account from before registration was on is found by its address")
    func older() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await NewcomerOverHTTP.makeHolder(server)
            try await server.server.context.database.write { _ = try $0.execute("DELETE FROM account_digests", []) }
            try await server.execute(["brand", "update", "default", "--registration", "on"])
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            _ = try await newcomer.begin("maria@example.com")
            #expect(try await newcomer.messages.first?.kind == "registration_existing")
        }
    }

    @Test(
        "attack: mass assignment: no step takes a member that says more of the account",
        arguments: [
            #","emailVerified":true"#, #","role":"admin""#, #","id":"00000000-0000-4000-8000-000000000000""#,
            #","accountId":"1""#, #","brand":"acme""#, #","state":"active""#,
        ])
    func massAssignment(more: String) async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let session = try await newcomer.proved()
            for answer in [
                try await newcomer.begin(more: more), try await newcomer.confirm(session, "00000000", more: more),
                try await newcomer.finish(session, more: more),
            ] {
                #expect(answer.status == .badRequest, "\(answer.text)")
            }
            #expect(try await accounts(server) == 0)
        }
    }

    @Test("A taken name, and one that looks like it, get one answer, after which another name makes the account")
    func names() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            try await NewcomerOverHTTP.makeHolder(server, "paypal")
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let session = try await newcomer.proved()
            var texts: Set<String> = []
            // Cyrillic throughout, and the digit for the letter.
            for name in ["PayPal", "раураӏ", "paypa1"] {
                let taken = try await newcomer.finish(session, name)
                #expect(taken.status == .conflict, "\(name) \(taken.text)")
                #expect(try taken.member("error_code") == "username_taken")
                texts.insert(taken.text)
            }
            #expect(texts.count == 1)
            // Cyrillic and Latin letters in one name.
            #expect(try await newcomer.finish(session, "pаypal").status == .badRequest)
            #expect(try await newcomer.finish(session, "pavel").status == .ok)
        }
    }

    @Test("A name with an @ has to be the address that was proved")
    func nameOfAnother() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let session = try await newcomer.proved()
            let other = try await newcomer.finish(session, "boss@example.com")
            #expect(other.status == .badRequest, "\(other.text)")
            #expect(try await newcomer.finish(session, "ada@example.com").status == .ok)
        }
    }

    @Test("A password that breaks a rule is refused with its fault, and the registration goes on")
    func passwordRules() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let session = try await newcomer.proved()
            let short = try await newcomer.finish(session, password: "short")
            #expect(short.status == .forbidden, "\(short.text)")
            #expect(try short.member("password_fault") == "too_short")
            #expect(try await newcomer.finish(session, password: "ada@example.com").status == .forbidden)
            #expect(try await newcomer.finish(session).status == .ok)
        }
    }

    @Test("A lost answer costs nothing: the same code and the same end lead to the same account")
    func repeated() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let begun = try #require(try await newcomer.begin().member("authSession"))
            let code = try await newcomer.code(for: "ada@example.com")
            let first = try await newcomer.confirm(begun, code)
            let second = try await newcomer.confirm(begun, code)
            #expect(second.status == .ok, "\(second.text)")
            let (one, other) = (
                try #require(try first.member("authSession")), try #require(try second.member("authSession"))
            )
            #expect(try await newcomer.finish(one).status == .ok)
            #expect(try await newcomer.finish(one).status == .ok)
            #expect(try await newcomer.finish(other).status == .ok)
            #expect(try await accounts(server) == 1)
            // Neither another password nor another name makes a second account, or opens this one.
            for answer in [
                try await newcomer.finish(one, password: "another phrase 8"), try await newcomer.finish(other, "eve"),
            ] {
                #expect(answer.status == .conflict, "\(answer.text)")
                #expect(try answer.member("error_code") == "address_taken")
            }
            #expect(try await accounts(server) == 1)
        }
    }

    @Test("attack: once the account is made, its session has five guesses at the password")
    func guessing() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let session = try await newcomer.proved()
            #expect(try await newcomer.finish(session).status == .ok)
            for number in 0..<5 {
                let wrong = try await newcomer.finish(session, password: "another phrase \(number)")
                #expect(try wrong.member("error_code") == "address_taken", "\(wrong.text)")
            }
            for password in ["another phrase 8", NewcomerOverHTTP.password] {
                let over = try await newcomer.finish(session, password: password)
                #expect(try over.member("error") == "invalid_session", "\(over.text)")
            }
        }
    }

    @Test("Two registrations of one address, both with right codes, make one account")
    func oneAddress() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let (one, other) = (
                NewcomerOverHTTP(server: server, client: client), NewcomerOverHTTP(server: server, client: client)
            )
            let first = try #require(try await one.begin().member("authSession"))
            let code = try await one.code(for: "ada@example.com")
            let confirmed = try #require(try await one.confirm(first, code).member("authSession"))
            #expect(try await one.finish(confirmed).status == .ok)
            // The other comes too soon for a message, and no code is right for it.
            let second = try await other.begin()
            #expect(try second.json["sent"] == .bool(false))
            let session = try #require(try second.member("authSession"))
            #expect(try await other.confirm(session, code).status == .badRequest)
        }
    }

    @Test("attack: a session is of its key, its app and its step")
    func bound() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let thief = NewcomerOverHTTP(server: server, client: client)
            let begun = try #require(try await newcomer.begin().member("authSession"))
            let code = try await newcomer.code(for: "ada@example.com")
            #expect(try await thief.confirm(begun, code).member("code") == "invalid_session")
            let proved = try #require(try await newcomer.confirm(begun, code).member("authSession"))
            #expect(try await thief.finish(proved).member("error") == "invalid_session")
            #expect(try await accounts(server) == 0)
        }
    }

    @Test("One address gets one message in 30 seconds, and a network begins twenty registrations an hour")
    func limits() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            #expect(try await newcomer.begin("ada@example.com").json["sent"] == .bool(true))
            for address in ["ada@example.com", "ada+1@example.com"] {
                let again = try await newcomer.begin(address)
                #expect(try again.json["sent"] == .bool(false), "\(address)")
                #expect(try #require(try again.json["resendAfter"]?.integer) > 0)
            }
            for number in 0..<17 {
                #expect(try await newcomer.begin("ada\(number)@example.org").status == .ok)
            }
            let held = try await newcomer.begin("last@example.org")
            #expect(held.status == .tooManyRequests, "\(held.text)")
            #expect(held.headers[.retryAfter] != nil)
            #expect(try await newcomer.messages.count == 18)
        }
    }

    @Test(
        "A number gets its code by SMS, and is the account's confirmed one; text that is none is refused with the reason"
    )
    func phone() async throws {
        try await NewcomerOverHTTP.serve { server, client in
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            #expect(try await newcomer.begin("0301234567").status == .badRequest)
            let done = try await newcomer.finish(try await newcomer.proved("+4930123456"))
            #expect(done.status == .ok, "\(done.text)")
            let message = try #require(try await newcomer.messages.last { $0.kind == "registration_code" })
            #expect(message.channel == "sms")
            #expect(message.text.count <= 240)
            let made = try #require(try await account("ada", server))
            let vault = AccountVault(server.server.context.sealing)
            #expect(vault.open(made.phone, .phone, of: made.id) == "+4930123456")
            #expect(vault.profile(of: made).isPhoneVerified)
        }
    }
}

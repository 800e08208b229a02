import Apple
import Testing
import WalletAuthWire

@testable import Operations

@Suite("Commands as messages", .covers("commands over HTTP"))
struct CommandFormTests {
    private static let offered = (Administration.nouns.flatMap { $0.commands } + AppleFlows.commands).filter {
        $0.access.isOffered
    }

    /// What makes sense at the machine alone.
    private static let local: Set = [
        "checkpoints", "passwordStdin", "clientSecretStdin", "follow", "json", "help", "version", "yes",
    ]

    private func words(_ command: any AdminCommand.Type, _ request: JSONValue, page: String? = nil) throws -> [String] {
        try CommandForm.of(command).command(try #require(request.object), page: page).words
    }

    @Test("Each offered command has members with names of their own, in camel case, and none for files or the terminal")
    func names() throws {
        for command in Self.offered {
            let form = try CommandForm.of(command)
            let names = form.described.map(\.name)
            #expect(Set(names).count == names.count, "\(command.title): \(names)")
            let letters = names.joined()
            #expect(letters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }, "\(command.title): \(names)")
            #expect(Set(names).isDisjoint(with: Self.local), "\(command.title)")
        }
        #expect(try CommandForm.of(AccountShow.self).described.map(\.name) == ["username", "brand", "account"])
        #expect(try CommandForm.of(AccountList.self).described.map(\.name) == ["brand", "prefix", "limit", "cursor"])
        let create = try CommandForm.of(ClientCreate.self)
        #expect(create.described.first { $0.name == "name" }?.isRequired == true)
        #expect(create.described.first { $0.name == "redirectUri" }?.shape == .array(.text(nil)))
        #expect(create.described.first { $0.name == "confidential" }?.shape == .truth)
    }

    @Test("attack: a value that looks like an option stays a value")
    func values() throws {
        let show = try words(AccountShow.self, ["username": "--account=x", "brand": "--json"])
        #expect(show == ["account", "show", "--brand=--json", "--", "--account=x"])
        let request = AdminRequest(show)
        let command = try AccountShow.parse(request)
        #expect(command.account.id == nil)
        let create: JSONValue = [
            "id": "---completion", "name": "---x", "confidential": true, "public": false, "firstParty": false,
            "scope": ["a b", "--first-party"], "accessTokenLifetime": 60,
        ]
        let parsed = try ClientCreate.parse(AdminRequest(words(ClientCreate.self, create)))
        #expect(parsed.id == "---completion" && parsed.name == "---x")
        #expect(parsed.kind == .confidential && !parsed.firstParty)
        #expect(parsed.scopes == ["a b", "--first-party"])
    }

    @Test("A flag that has a contrary is set by false as well, and the contrary is no member")
    func contrary() throws {
        let form = try CommandForm.of(ClientUpdate.self)
        #expect(!form.described.contains { $0.name == "noFirstParty" })
        let no = try words(ClientUpdate.self, ["id": "app", "firstParty": false])
        #expect(no == ["client", "update", "--no-first-party", "--", "app"])
        let yes = try words(ClientUpdate.self, ["id": "app", "firstParty": "true"])
        #expect(yes == ["client", "update", "--first-party", "--", "app"])
    }

    @Test(
        "attack: a member that a command does not have is refused by its name, such as a role of an account",
        arguments: ["role", "emailVerifiedAt", "json", "help", "passwordStdin", "no-such", "after"])
    func unknown(name: String) throws {
        var request = JSONObject(strings: ["username": "ada"])
        request[name] = "owner"
        let message = JSONValue.object(request)
        let fault = #expect(throws: MalformedValue.self) { try words(AccountUpdate.self, message) }
        // A name with other characters could deceive the reader.
        let shown = name == "no-such" ? "request" : name
        #expect(fault?.field == shown)
        #expect(fault?.reason.hasPrefix("is not a member; known: username, ") == true)
    }

    @Test("A missing or wrong value is refused by the name of its member")
    func wrong() throws {
        for (request, field) in [
            (["confidential": true], "name"), (["name": ["a"]], "name"), (["name": .null], "name"),
            (["name": "A", "firstParty": "yes"], "firstParty"), (["name": "A", "scope": [true]], "scope"),
        ] as [(JSONValue, String)] {
            let fault = #expect(throws: MalformedValue.self) { try words(ClientCreate.self, request) }
            #expect(fault?.field == field)
        }
    }

    @Test("A secret or a file is a member, and its content is not among the words")
    func inputs() throws {
        let add = try CommandForm.of(ProviderAddOIDC.self)
        #expect(add.described.first { $0.name == "clientSecret" }?.shape == .text(nil))
        let request: JSONValue = [
            "id": "x", "issuer": "https://id.example.com", "clientId": "a", "clientSecret": "--b",
        ]
        let secret = try add.command(try #require(request.object))
        #expect(secret.input == "--b" && secret.words.contains("--client-secret-stdin"))
        #expect(!secret.words.contains { $0.contains("--b") })
        #expect(try ProviderAddOIDC.parse(secret).input == "--b")
        let keys: JSONValue = ["id": "app", "jwks": ["keys": []]]
        let update = try CommandForm.of(ClientUpdate.self).command(try #require(keys.object))
        #expect(update.words == ["client", "update", "--jwks=jwks", "--", "app"])
        #expect(update.input == #"{"keys":[]}"#)
        let apple = try #require(Self.offered.first { $0.title == "provider add apple" })
        let key = try #require(CommandForm.of(apple).described.first { $0.name == "privateKey" })
        #expect(key.isRequired && key.shape == .text(nil))
    }

    @Test("A secret that is missing, empty or no text is refused by its member")
    func wrongInputs() throws {
        let google = try CommandForm.of(ProviderAddGoogle.self)
        for (request, reason) in [
            (["clientId": "a"], "is missing"), (["clientId": "a", "clientSecret": ""], "is empty"),
            (["clientId": "a", "clientSecret": 1], "is not a text"),
        ] as [(JSONValue, String)] {
            let members = try #require(request.object)
            let fault = #expect(throws: MalformedValue.self) { try google.command(members) }
            #expect(fault?.field == "clientSecret" && fault?.reason == reason)
        }
        let text: JSONValue = ["id": "app", "jwks": "{}"]
        let members = try #require(text.object)
        let fault = #expect(throws: MalformedValue.self) { try CommandForm.of(ClientUpdate.self).command(members) }
        #expect(fault?.reason == "is not an object")
    }

    @Test("The place of a page goes into the option of the command, whatever the request calls it")
    func pages() throws {
        let second = try words(AccountList.self, ["limit": 2], page: "ada")
        #expect(second == ["account", "list", "--limit=2", "--after=ada"])
        #expect(throws: MalformedValue.self) { try words(AccountList.self, ["after": "ada"]) }
    }
}

import Core
import Crypto
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

/// Calls as the endpoints make them, after the token was checked.
@Suite("Calls under a role", .covers("roles of operators"), .threat("An operator's rights over HTTP"))
struct OperatorCallTests: OperatorCalls {
    private func entries(_ kind: String, at server: TestServer) async throws -> [JSONObject] {
        let tail = try await server.administer(["audit", "tail", "--kind", kind, "--limit", "100"])
        return tail["entries"]?.array?.compactMap { $0.object?["details"]?.object } ?? []
    }

    @Test("A call is recorded once with its caller, command and account, and a refusal with its code, without values")
    func recorded() async throws {
        let server = try await TestServer.start()
        try await make("bob", "maria", at: server)
        try await grant("bob", "support", at: server)
        let (bob, maria) = (try await id("bob", at: server).uuid, try await id("maria", at: server).uuid)
        #expect(try await code(["account", "show", "maria"], by: "bob", at: server) == nil)
        #expect(try await code(["account", "deactivate", "maria"], by: "bob", at: server) == nil)
        let called = try await entries("operator.called", at: server)
        #expect(called.map { $0["command"]?.string } == ["account show", "account deactivate"])
        for details in called {
            #expect(details["operator"]?.string == bob)
            #expect(details["about"]?.string == maria)
            #expect(details["role"] == "support")
            #expect(details["brand"] == "default")
        }
        #expect(try await code(["account", "erase", "maria"], by: "bob", at: server) == "forbidden_role")
        #expect(try await code(["account", "show", "secret-name"], by: "bob", at: server) == "not_found")
        let refused = try await entries("operator.refused", at: server)
        #expect(refused.map { $0["code"]?.string } == ["forbidden_role", "not_found"])
        #expect(refused.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("secret-name") })
    }

    @Test("A person's history has what operators did or were refused, with their names, but not who only looked")
    func history() async throws {
        let server = try await TestServer.start()
        try await make("bob", "maria", "paul", at: server)
        try await grant("bob", "support", at: server)
        for words: AdminRequest in [
            ["account", "show", "maria"], ["account", "deactivate", "maria"], ["account", "erase", "maria"],
            ["account", "deactivate", "paul"],
        ] { _ = try await call(words, by: "bob", at: server) }
        let start = AuditPartition.all.map { _ in "0" }.joined(separator: ",")
        for options in [[], ["--cursor", start]] {
            let tail = try await server.administer(AdminRequest(["audit", "tail", "--account", "maria"] + options))
            let entries = (tail["entries"]?.array ?? []).compactMap(\.object)
            let kinds = entries.compactMap { $0["kind"]?.string }
            #expect(
                kinds.sorted() == ["account.created", "account.deactivated", "operator.called", "operator.refused"])
            let calls = entries.filter { $0["kind"]?.string?.hasPrefix("operator.") == true }
            #expect(calls.allSatisfy { $0["operatorUsername"] == "bob" }, "\(calls)")
        }
        let printed = await server.flows.administration.execute(
            ["audit", "tail", "--account", "maria", "--kind", "operator.called"])
        #expect(printed.lines.count == 1 && printed.lines.first?.contains("operator=bob") == true, "\(printed.lines)")
    }

    @Test("An operator of one brand sees the ids of other brands' operators, and not their names")
    func namesOfOthers() throws {
        let entry = JSONObject(strings: ["operatorUsername": "bob", "operatorBrand": "default"])
        var answer = JSONObject()
        answer["entries"] = .array([.object(entry)])
        for (brand, name) in [(nil, "bob"), ("default", "bob"), ("blue", nil)] as [(String?, String?)] {
            let seen = AuditOperators.reached(by: OperatorGrant(.auditor, brand: brand), answer)
            #expect(seen["entries"]?.array?.first?.object?["operatorUsername"]?.string == name)
        }
    }

    @Test("attack: a role revoked between the check of a call and its write wins", arguments: Deployment.allCases)
    func revokedMeanwhile(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await make("bob", "maria", at: one)
            try await grant("bob", "support", at: one)
            one.beforeNextWrite {
                // The other's write, under no condition of this call.
                _ = try await WriteCondition.$current.withValue(nil) {
                    try await other.administer(["operator", "revoke", "bob"])
                }
            }
            #expect(try await code(["account", "deactivate", "maria"], by: "bob", at: one) == "forbidden_role")
            let maria = try await one.administer(["account", "show", "maria"])
            #expect(maria["state"] == "active")
            #expect(try await entries("operator.called", at: one).isEmpty)
            #expect(try await code(["account", "show", "maria"], by: "bob", at: one) == "forbidden_role")
        }
    }

    @Test(
        "attack: a role lowered between two writes of a call ends it, although the operator still has a role",
        arguments: Deployment.allCases)
    func loweredMeanwhile(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await make("ada", "bob", at: one)
            for name in ["ada", "bob"] { try await grant(name, "owner", "--all-brands", at: one) }
            try await one.administer([
                "client", "create", "shop", "--name", "Shop", "--confidential", "--scope", "transactions",
            ])
            one.beforeNextWrite {
                // Before the second write, which withdraws the client's operations.
                one.beforeNextWrite {
                    _ = try await WriteCondition.$current.withValue(nil) {
                        try await other.administer(["operator", "grant", "bob", "--role", "auditor", "--all-brands"])
                    }
                }
            }
            #expect(try await code(["client", "delete", "shop"], by: "bob", at: one) == "forbidden_role")
            let called = try await entries("operator.called", at: one)
            #expect(called.map { $0["command"]?.string } == ["client delete"])
            let refused = try await entries("operator.refused", at: one)
            #expect(refused.map { $0["code"]?.string } == ["forbidden_role"])
        }
    }

    @Test("attack: a role that is another one at the first write refuses the call, even if that role runs the command")
    func changedMeanwhile() async throws {
        let server = try await TestServer.start()
        try await make("ada", "bob", "maria", at: server)
        for name in ["ada", "bob"] { try await grant(name, "owner", "--all-brands", at: server) }
        server.beforeNextWrite {
            _ = try await WriteCondition.$current.withValue(nil) {
                try await server.administer(["operator", "grant", "bob", "--role", "support"])
            }
        }
        #expect(try await code(["account", "deactivate", "maria"], by: "bob", at: server) == "forbidden_role")
        #expect(try await server.administer(["account", "show", "maria"])["state"] == "active")
        #expect(try await code(["account", "deactivate", "maria"], by: "bob", at: server) == nil)
    }

    @Test("attack: of two owners who close each other's account at once, one wins", arguments: Deployment.allCases)
    func mutual(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await make("ada", "bob", at: one)
            for name in ["ada", "bob"] { try await grant(name, "owner", "--all-brands", at: one) }
            for _ in 0..<20 {
                async let mine = code(["account", "deactivate", "ada"], by: "bob", at: one)
                async let theirs = code(["account", "deactivate", "bob"], by: "ada", at: other)
                let codes = try await [mine, theirs]
                #expect(codes.count { $0 == nil } == 1)
                #expect(codes.compactMap { $0 } == ["forbidden_role"])
                try await one.administer(["account", "reactivate", codes[0] == nil ? "ada" : "bob"])
            }
        }
    }

    @Test("attack: a role of one brand reaches nothing of another, by name or by id")
    func otherBrand() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "create", "red", "--name", "Red"])
        try await make("bob", "ada", at: server)
        try await server.administer(["account", "create", "maria", "--brand", "red"])
        try await grant("bob", "support", at: server)
        try await grant("ada", "developer", at: server)
        let maria = try await id("maria", "red", at: server).uuid
        #expect(
            try await code(["account", "show", "maria", "--brand", "red"], by: "bob", at: server) == "forbidden_role")
        #expect(try await code(["account", "list", "--brand", "red"], by: "bob", at: server) == "forbidden_role")
        for words in [
            ["account", "show", "--account", maria], ["account", "deactivate", "--account", maria],
            ["device", "list", "--account", maria], ["account", "explain", "--account", maria],
        ] {
            let answer = try await call(AdminRequest(words), by: "bob", at: server)
            #expect(answer.refusal?.code == "not_found", "\(words)")
            #expect(answer.refusal?.message == "There is no account \(maria).", "\(words)")
        }
        #expect(try await code(["outbox", "list"], by: "bob", at: server) == "forbidden_role")
        #expect(try await code(["client", "list"], by: "ada", at: server) == "forbidden_role")
        try await server.administer([
            "client", "create", "shop", "--name", "Shop", "--confidential", "--brand", "red", "--scope", "transactions",
        ])
        #expect(try await code(["client", "show", "shop"], by: "ada", at: server) == "not_found")
        #expect(try await code(["client", "delete", "shop"], by: "ada", at: server) == "not_found")
        #expect(try await code(["brand", "text", "red"], by: "ada", at: server) == "forbidden_role")
        #expect(try await code(["brand", "text", "default"], by: "ada", at: server) == nil)
    }

    @Test("attack: support reaches no operator by id, and no one changes their own account or role")
    func operators() async throws {
        let server = try await TestServer.start()
        try await make("ada", "bob", "eve", at: server)
        try await grant("ada", "owner", "--all-brands", at: server)
        try await grant("bob", "support", "--all-brands", at: server)
        try await grant("eve", "owner", at: server)
        let ada = try await id("ada", at: server).uuid
        for words in [["account", "expire-password", "--account", ada], ["account", "deactivate", "ada"]] {
            #expect(try await code(AdminRequest(words), by: "bob", at: server) == "forbidden_role", "\(words)")
            #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)")
            #expect(try await code(AdminRequest(words), by: "ada", at: server) == "forbidden_role", "\(words)")
        }
        #expect(
            try await code(["operator", "grant", "eve", "--role", "owner", "--all-brands"], by: "eve", at: server)
                == "forbidden_role")
        #expect(
            try await code(["operator", "grant", "bob", "--role", "owner"], by: "bob", at: server) == "forbidden_role")
        #expect(try await code(["operator", "revoke", "ada"], by: "ada", at: server) == "forbidden_role")
        #expect(try await code(["operator", "revoke", "eve"], by: "ada", at: server) == nil)
    }

    @Test("attack: a developer makes no client that administers the server, and changes none")
    func clients() async throws {
        let server = try await TestServer.start()
        try await make("ada", "eve", at: server)
        try await grant("ada", "owner", "--all-brands", at: server)
        try await grant("eve", "developer", "--all-brands", at: server)
        let console = [
            "client", "create", "console", "--name", "Console", "--public", "--first-party", "--redirect-uri",
            "com.example.console:/callback", "--scope", "openid admin",
        ]
        #expect(try await code(AdminRequest(console), by: "eve", at: server) == "forbidden_role")
        #expect(try await code(AdminRequest(console), by: "ada", at: server) == nil)
        for words in [
            ["client", "update", "console", "--add-redirect-uri", "com.evil.app:/callback"],
            ["client", "delete", "console"],
        ] { #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)") }
        let app = [
            "client", "create", "app", "--name", "App", "--public", "--redirect-uri", "com.example.app:/callback",
            "--scope", "openid",
        ]
        #expect(try await code(AdminRequest(app), by: "eve", at: server) == nil)
        #expect(
            try await code(["client", "update", "app", "--add-scope", "admin"], by: "eve", at: server)
                == "forbidden_role")
    }

    @Test(
        "attack: a developer changes a client that administers the server with a change that concerns every brand",
        arguments: ["--introspection", "--token-exchange"])
    func everyBrand(right: String) async throws {
        let server = try await TestServer.start()
        try await make("eve", "dora", at: server)
        try await grant("eve", "developer", "--all-brands", at: server)
        try await grant("dora", "developer", at: server)
        try await server.administer([
            "client", "create", "console", "--name", "Console", "--public", "--first-party", "--redirect-uri",
            "com.example.console:/callback", "--scope", "openid admin",
        ])
        try await server.administer([
            "client", "create", "shop", "--name", "Shop", "--confidential", "--scope", "openid", "--resource",
            "https://shop.example.com",
        ])
        func update(_ id: String, by name: String, _ options: String...) async throws -> String? {
            let words = ["client", "update", id, right] + options
            return try await code(AdminRequest(words), by: name, at: server)
        }
        #expect(
            try await update("console", by: "eve", "--add-redirect-uri", "com.evil.app:/callback") == "forbidden_role")
        let console = try await server.administer(["client", "show", "console"])
        #expect(console["redirectUris"]?.array == ["com.example.console:/callback"])
        #expect(try await update("shop", by: "dora") == "forbidden_role")
        #expect(try await update("shop", by: "eve") == nil)
        for words in [
            ["client", "rotate-secret", "shop"], ["client", "update", "shop", "--name", "Mine"],
            ["client", "delete", "shop"],
        ] { #expect(try await code(AdminRequest(words), by: "dora", at: server) == "forbidden_role", "\(words)") }
        #expect(try await code(["client", "show", "shop"], by: "dora", at: server) == nil)
        #expect(try await code(["client", "rotate-secret", "shop"], by: "eve", at: server) == nil)
    }

    @Test("attack: a backend whose role had ended has it again in a restored copy", .threat("Restored databases"))
    func restored() async throws {
        let server = try await TestServer.start()
        let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        let key = try #require(signer.publicJWK)
        _ = try await server.confidentialClient("helpdesk") {
            $0.authenticationMethod = "private_key_jwt"
            $0.keySet = JSONValue.object(JWKSet([key]).json).text
            $0.scopes = ["admin"]
            $0.requiresDPoP = true
            $0.adminRole = "support"
        }
        func role(at server: TestServer) async throws -> OperatorRole? {
            let caller = OperatorCaller(
                identity: .backend(try ClientID("helpdesk")), clientID: try ClientID("helpdesk"),
                origin: TestServer.origin, now: server.clock.now(), shortcoming: nil)
            return try await OperatorCall.grant(of: caller, in: server.flows.administration)?.role
        }
        #expect(try await role(at: server) == .support)
        let copy = try await server.backup()
        try await server.administer(["client", "delete", "helpdesk"])
        #expect(try await role(at: server) == nil)
        server.clock.advance(by: .minutes(1))
        let restored = try await server.restarted(epoch: 1, from: copy)
        #expect(try await role(at: restored) == nil)
        restored.clock.advance(by: .seconds(1))
        try await restored.administer(["client", "update", "helpdesk", "--name", "Help desk"])
        #expect(try await role(at: restored) == .support)
        #expect(try await role(at: restored.restarted(epoch: 1)) == .support)
    }

    @Test("attack: a developer makes an app the operator's own, or takes over the codes and the secret of one that is")
    func firstParty() async throws {
        let server = try await TestServer.start()
        try await make("ada", "eve", at: server)
        try await grant("ada", "owner", "--all-brands", at: server)
        try await grant("eve", "developer", "--all-brands", at: server)
        let uri = "com.example.app:/callback"
        for (id, options) in [
            ("wallet", ["--public", "--first-party", "--redirect-uri", uri]),
            ("own", ["--confidential", "--first-party"]), ("app", ["--public", "--redirect-uri", uri]),
            ("shop", ["--confidential"]),
        ] {
            let words = ["client", "create", id, "--name", id, "--scope", "openid"] + options
            try await server.administer(AdminRequest(words))
        }
        let attacks = [
            ["client", "create", "evil", "--name", "Evil", "--first-party"],
            [
                "client", "create", "evil", "--name", "Evil", "--confidential", "--guest-tokens",
                "--loyalty-merchant", "1",
            ],
            ["client", "update", "app", "--first-party"],
            ["client", "update", "shop", "--guest-tokens", "--add-loyalty-merchant", "1"],
            ["client", "update", "shop", "--guest-passwords"],
            // It would close and change accounts.
            ["client", "update", "shop", "--add-scope", "scim"],
            ["client", "update", "shop", "--add-scope", "scim_groups"],
            ["client", "create", "evil", "--name", "Evil", "--confidential", "--scope", "scim"],
            ["client", "update", "wallet", "--add-redirect-uri", "com.evil.app:/callback"],
            ["client", "update", "wallet", "--remove-redirect-uri", uri],
            ["client", "update", "wallet", "--redeemer", "shop"],
            ["client", "rotate-secret", "own"],
        ]
        for words in attacks {
            #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)")
        }
        for words in [
            ["client", "update", "app", "--add-redirect-uri", "com.example.app:/other"],
            ["client", "update", "wallet", "--name", "Wallet"], ["client", "rotate-secret", "shop"],
        ] { #expect(try await code(AdminRequest(words), by: "eve", at: server) == nil, "\(words)") }
        #expect(try await code(["client", "rotate-secret", "own"], by: "ada", at: server) == nil)
    }

    @Test("A deactivated operator's next call is refused, as if there were no role")
    func deactivated() async throws {
        let server = try await TestServer.start()
        try await make("bob", at: server)
        try await grant("bob", "auditor", "--all-brands", at: server)
        #expect(try await code(["client", "list"], by: "bob", at: server) == nil)
        try await server.administer(["account", "deactivate", "bob"])
        #expect(try await code(["client", "list"], by: "bob", at: server) == "forbidden_role")
    }
}

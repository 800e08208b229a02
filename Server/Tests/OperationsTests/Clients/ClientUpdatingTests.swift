import ArgumentParser
import FlowSupport
import Foundation
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Changing a client", .covers("walletauth client update", "an operator is shown a flag they did not type"))
struct ClientUpdatingTests {
    private func update(
        _ server: TestServer, _ id: String, _ edit: (inout ClientChange) -> Void
    ) async throws -> AdministrationAnswer {
        var change = try ClientChange.parse([])
        edit(&change)
        return await server.flows.administration.execute { try await ClientAdministration($0).update(id, change) }
    }

    private func shown(_ server: TestServer, _ id: String) async throws -> JSONObject {
        let answer = await server.flows.administration.execute(["client", "show", id])
        return try JSONValue.object(parsing: Array(answer.json.utf8))
    }

    @Test("What is named changes at once, everything else stays, and the audit log records what was named")
    func changes() async throws {
        let server = try await TestServer.start()
        let session = try await TestLongSession.start(on: server) { _ in }
        let refused = try await session.issue()
        #expect(refused.refusal == .unsupported)
        let id = session.device.app.client.id.rawValue
        let before = try await shown(server, id)
        let answer = try await update(server, id) {
            $0.deviceTokens = true
            $0.addedScopes = ["payments"]
            $0.pages.addedRedirectURIs = ["https://app.example.com/second"]
        }
        #expect(answer.status == .done, "\(answer.lines)")
        // The session that was opened before goes on, and may from now on.
        let token = try await session.issue().get().token
        _ = try await session.signIn(token).code()
        let after = try await shown(server, id)
        #expect(after["deviceTokens"]?.bool == true)
        #expect(after["scope"]?.string?.hasSuffix(" payments") == true)
        for kept in ["name", "kind", "brand", "firstParty", "accessTokenLifetime", "createdAt"] {
            #expect(after[kept] == before[kept], "\(kept)")
        }
        let details = try await server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE kind = 'client.changed'", [])
                .map { try $0.text("details") }
        }
        #expect(details.count == 1)
        #expect(details.first?.contains(#""deviceTokens":true"#) == true)

        let off = try await update(server, id) { $0.deviceTokens = false }
        #expect(off.lines.count == 2, "\(off.lines)")
        let held = try await session.signIn(token)
        #expect(held.errorCode == "device_authentication_unsupported")
        _ = try await update(server, id) { $0.deviceTokens = true }
        _ = try await session.signIn(token).code()
    }

    @Test("Scopes with a comma between them are refused, and an id that is taken is said first")
    func typedScopes() async throws {
        let server = try await TestServer.start()
        var registration = ClientRegistration(name: "Aurora", kind: .public)
        registration.id = "aurora"
        registration.redirectURIs = ["https://app.example.com/callback"]
        registration.scopes = ["openid,profile"]
        let refused = await server.flows.administration.execute {
            try await ClientAdministration($0).create(registration)
        }
        #expect(refused.status == .refused)
        #expect(refused.lines.contains { $0.contains("separate scopes with spaces") }, "\(refused.lines)")
        registration.scopes = ["openid", "profile"]
        #expect(
            await server.flows.administration.execute { try await ClientAdministration($0).create(registration) }.status
                == .done)
        registration.redirectURIs = []
        let taken = await server.flows.administration.execute {
            try await ClientAdministration($0).create(registration)
        }
        #expect(taken.lines.contains { $0.contains("already exists") }, "\(taken.lines)")
        let added = try await update(server, "aurora") { $0.addedScopes = ["email,phone"] }
        #expect(added.lines.contains { $0.contains("separate scopes with spaces") }, "\(added.lines)")
    }

    @Test(
        "A scope one letter off a known one is refused with the one that was meant; any other is the operator's own",
        arguments: [
            ("opneid", "openid"), ("OpenID", "openid"), ("offline-access", "offline_access"),
            ("transaction", "transactions"), ("wallet_operation", "wallet_operations"), ("login_nonce", "login_nonces"),
        ])
    func misspelledScopes(typed: String, meant: String) async throws {
        let server = try await TestServer.start()
        var registration = ClientRegistration(name: "Backend", kind: .confidential)
        registration.id = "backend"
        registration.scopes = ["payments", typed]
        let created = await server.flows.administration.execute {
            try await ClientAdministration($0).create(registration)
        }
        #expect(created.status == .refused)
        #expect(created.lines.contains { $0.contains("did you mean \(meant)?") }, "\(created.lines)")
        let id = try await server.confidentialClient().id.rawValue
        let added = try await update(server, id) { $0.addedScopes = [typed] }
        #expect(added.lines.contains { $0.contains("--add-scope") && $0.contains(meant) }, "\(added.lines)")
        let own = try await update(server, id) { $0.addedScopes = ["payments", meant] }
        #expect(own.status == .done, "\(own.lines)")
    }

    @Test("A refused name of a client names the option that it came by")
    func names() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient().id.rawValue
        for name in ["", String(repeating: "a", count: 101), "Aurora\u{202E}"] {
            var registration = ClientRegistration(name: name, kind: .public)
            registration.redirectURIs = ["https://app.example.com/callback"]
            let created = await server.flows.administration.execute {
                try await ClientAdministration($0).create(registration)
            }
            #expect(created.status == .refused && created.lines.first?.contains("--name ") == true, "\(created.lines)")
            let changed = try await update(server, id) { $0.name = name }
            #expect(changed.status == .refused && changed.lines.first?.contains("--name ") == true, "\(changed.lines)")
        }
    }

    @Test("Whether an app requires DPoP is switched, and both ways the answer says what follows")
    func tokenBinding() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient().id.rawValue
        let allowed = try await update(server, id) { $0.binding.flags = [.allowBearer] }
        #expect(allowed.status == .done, "\(allowed.lines)")
        #expect(allowed.lines.contains { $0.hasPrefix("Warning: the app accepts bearer tokens") })
        #expect(try await shown(server, id)["warnings"]?.array?.compactMap(\.string) == ["bearer_tokens"])
        let required = try await update(server, id) { $0.binding.flags = [.requireDPoP] }
        #expect(required.lines.contains { $0.contains("can no longer be renewed") })
        let after = try await shown(server, id)
        #expect(after["requiresDpop"]?.bool == true)
        #expect(after["warnings"] == nil)
        let renamed = try await update(server, id) { $0.name = "Another name" }
        #expect(renamed.lines.count == 1, "what was not switched is not spoken of: \(renamed.lines)")
    }

    @Test("An app becomes the operator's own and a third party's again, and each time the answer says what follows")
    func firstParty() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient { $0.firstParty = false }.id.rawValue
        let own = try await update(server, id) { $0.firstParty = true }
        #expect(own.lines.contains { $0.contains("sign people in natively") }, "\(own.lines)")
        #expect(own.lines.contains { $0.hasPrefix("Warning: the app accepts bearer tokens") }, "\(own.lines)")
        #expect(try await shown(server, id)["firstParty"]?.bool == true)
        _ = try await update(server, id) { $0.deviceTokens = true }
        let kept = try await update(server, id) { $0.firstParty = false }
        #expect(kept.status == .refused, "only an own app has long-lived sessions: \(kept.lines)")
        let foreign = try await update(server, id) {
            $0.firstParty = false
            $0.deviceTokens = false
        }
        #expect(foreign.lines.contains { $0.contains("can no longer sign people in") }, "\(foreign.lines)")
        #expect(try await shown(server, id)["firstParty"]?.bool == false)
    }

    @Test("attack: a client with guest tokens keeps an own app's powers while the operator believes them taken away")
    func firstPartyByGuestTokens() async throws {
        let server = try await TestServer.start()
        var registration = ClientRegistration(name: "Integrator", kind: .confidential)
        registration.id = "integrator"
        registration.firstParty = true
        registration.guestTokens = true
        registration.loyaltyMerchants = [10_101_010]
        try await server.administer { try await ClientAdministration($0).create(registration) }
        let kept = try await update(server, "integrator") { $0.firstParty = false }
        #expect(kept.status == .refused, "\(kept.lines)")
        #expect(try await shown(server, "integrator")["firstParty"]?.bool == true)
        let foreign = try await update(server, "integrator") {
            $0.firstParty = false
            $0.guests.guestTokens = false
        }
        #expect(foreign.status == .done, "\(foreign.lines)")
        #expect(try await shown(server, "integrator")["firstParty"]?.bool == false)
    }

    /// The long options in a command's help.
    private func options<Command: AdminCommand>(of command: Command.Type) -> Set<String> {
        let names = Subcommand<Command>.helpMessage(columns: 200).split(separator: "\n").filter { $0.hasPrefix("  --") }
            .flatMap { $0.drop { $0 == " " }.prefix { $0 != " " }.split(separator: "/") }
        return Set(names.map { String($0.dropFirst(2)) }).subtracting(["json", "help"])
    }

    @Test("What can be set for a new client can be changed later, or the help says that it needs a new client")
    func settable() {
        let changeable = options(of: ClientUpdate.self)
        let fixed: Set = [
            "public", "confidential", "auth-method", "require-merchant", "brand", "admin-role", "admin-all-brands",
        ]
        let settable = options(of: ClientCreate.self)
        #expect(fixed.isSubset(of: settable))
        for option in settable {
            let isChangeable = !changeable.isDisjoint(with: [option, "add-\(option)", "no-\(option)"])
            #expect(isChangeable == !fixed.contains(option), "--\(option)")
        }
        for option in fixed { #expect(ClientUpdate.discussion.contains("--\(option)"), "--\(option)") }
    }

    @Test(
        "Lifetimes and the algorithm of ID tokens change, within the limits of a new client, and the log records them")
    func tokens() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient().id.rawValue
        let words = [
            "client", "update", id, "--access-token-lifetime", "120", "--refresh-idle-lifetime", "3600",
            "--refresh-absolute-lifetime", "7200", "--id-token-algorithm", "ES256",
        ]
        try await server.administer(AdminRequest(words))
        let after = try await shown(server, id)
        #expect(after["accessTokenLifetime"] == 120)
        #expect(after["refreshIdleLifetime"] == 3600)
        #expect(after["refreshAbsoluteLifetime"] == 7200)
        #expect(after["idTokenAlgorithm"] == "ES256")
        let details = try await server.context.database.read {
            try $0.query("SELECT details FROM security_events WHERE kind = 'client.changed'", [])
                .map { try $0.text("details") }
        }
        #expect(details.first?.contains(#""refreshIdleLifetime":3600"#) == true, "\(details)")
        for wrong in [
            ["--refresh-idle-lifetime", "7201"], ["--id-token-algorithm", "none"], ["--jwks", "keys.json"],
        ] {
            let request = AdminRequest(["client", "update", id] + wrong, input: wrong[0] == "--jwks" ? "{}" : nil)
            let answer = await server.flows.administration.execute(request)
            #expect(answer.status == .refused, "\(wrong)")
        }
        #expect(try await shown(server, id) == after)
    }

    @Test("A backend keeps its secret")
    func secret() async throws {
        let server = try await TestServer.start()
        var registration = ClientRegistration(name: "Backend", kind: .confidential)
        registration.id = "backend"
        registration.scopes = ["login_nonces"]
        try await server.administer { try await ClientAdministration($0).create(registration) }
        func hash() async throws -> [UInt8]? {
            try await server.context.database.read { try Clients.find("backend", on: $0)?.secretHash }
        }
        let before = try await hash()
        let answer = try await update(server, "backend") { $0.introspection = true }
        #expect(answer.status == .done, "\(answer.lines)")
        #expect(before != nil)
        let after = try await hash()
        #expect(after == before)
    }

    @Test("What a new client may not be, a changed one may not either; nothing changes then")
    func refused() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient().id.rawValue
        let before = try await shown(server, id)
        for edit in [
            { $0.introspection = true }, { $0.pages.addedRedirectURIs = ["http://example.com/"] },
            { $0.addedScopes = ["two words"] }, { $0.pages.removedRedirectURIs = ["https://not.registered.example"] },
            { $0.name = "" }, { _ in },
        ] as [(inout ClientChange) -> Void] {
            let answer = try await update(server, id, edit)
            #expect(answer.status == .refused, "\(answer.lines)")
        }
        let after = try await shown(server, id)
        #expect(after == before)
        let unknown = try await update(server, "nobody") { $0.name = "Somebody" }
        #expect(unknown.status == .refused)
    }

    @Test("A refused value is named with the flag that it was given to")
    func flags() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient().id.rawValue
        for (flag, edit) in [
            ("--add-redirect-uri foo ", { $0.pages.addedRedirectURIs = ["foo"] }),
            ("--add-consent-return-url foo ", { $0.pages.addedConsentReturnURLs = ["foo"] }),
            ("--add-post-logout-redirect-uri foo ", { $0.signOut.addedPostLogoutRedirectURIs = ["foo"] }),
            ("--add-reset-credentials-url ", { $0.pages.addedResetCredentialsURLs = ["foo"] }),
            ("--add-scope 'two words' ", { $0.addedScopes = ["two words"] }),
        ] as [(String, (inout ClientChange) -> Void)] {
            let answer = try await update(server, id, edit)
            #expect(answer.status == .refused)
            #expect(answer.lines.first?.hasPrefix(flag) == true, "\(answer.lines)")
        }
    }

    @Test("Another redeemer redeems the codes from then on, and only a confidential client can be one")
    func redeemer() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.bearerClient()
        let backend = try await server.confidentialClient { $0.scopes = ["openid", "wallet"] }
        func redeem(_ code: AuthorizationCode) async throws -> TokenOutcome {
            try await backend.token(
                .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), scope: nil)
        }
        #expect(try await redeem(app.code(for: account)).refusal == .invalidGrant)
        let set = try await update(server, "app") { $0.redeemer = "backend" }
        #expect(set.status == .done, "\(set.lines)")
        #expect(set.lines.contains { $0.contains("From now on backend redeems codes") }, "\(set.lines)")
        let tokens = try await redeem(app.code(for: account)).tokens()
        for wrong in ["app", "unknown"] {
            let refused = try await update(server, "app") { $0.redeemer = wrong }
            #expect(refused.status == .refused, "\(wrong)")
        }
        #expect(try await shown(server, "app").string("redeemer") == "backend")
        _ = try await update(server, "app") { $0.redeemer = "" }
        #expect(try await shown(server, "app")["redeemer"] == nil)
        #expect(try await redeem(app.code(for: account)).refusal == .invalidGrant)
        // What it opened before goes on.
        _ = try await backend.refresh(try #require(tokens.refreshToken)).tokens()
    }

    @Test("Resources are added and taken away, and renewal issues no token for one that is gone")
    func resources() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.bearerClient()
        let (loans, cards) = ("https://loans.example.com", "https://cards.example.com")
        let added = try await update(server, "app") { $0.addedResources = [loans, cards] }
        #expect(added.status == .done, "\(added.lines)")
        #expect(try await shown(server, "app").strings("resources") == [loans, cards])
        let tokens = try await app.signIn(account)
        let first = try await app.refresh(try #require(tokens.refreshToken)).tokens()
        let removed = try await update(server, "app") { $0.removedResources = [loans] }
        #expect(removed.lines.contains { $0.contains("can no longer be renewed") }, "\(removed.lines)")
        let second = try await app.refresh(try #require(first.refreshToken)).tokens()
        _ = try await update(server, "app") { $0.removedResources = [cards] }
        #expect(try await app.refresh(try #require(second.refreshToken)).refusal != nil)
        for edit in [
            { $0.removedResources = [loans] }, { $0.addedResources = ["loans"] },
        ] as [(inout ClientChange) -> Void] {
            let answer = try await update(server, "app", edit)
            #expect(answer.status == .refused, "\(answer.lines)")
        }
    }

    @Test("A site is set where all redirect URIs lie under it, and taken away; reset URLs and Apple App IDs go as well")
    func siteAndRemovals() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient {
            $0.resetCredentialsURLs = ["https://app.example.com/reset"]
            $0.appleAppIDs = ["ABCDE12345.com.example.wallet"]
        }.id.rawValue
        let elsewhere = try await update(server, id) { $0.pages.siteURL = "https://other.example.com" }
        #expect(elsewhere.status == .refused, "\(elsewhere.lines)")
        let set = try await update(server, id) { $0.pages.siteURL = "https://app.example.com" }
        #expect(set.status == .done, "\(set.lines)")
        #expect(try await shown(server, id).string("siteUrl") == "https://app.example.com")
        let outside = try await update(server, id) {
            $0.pages.addedRedirectURIs = ["https://other.example.com/callback"]
        }
        #expect(outside.status == .refused, "\(outside.lines)")
        let gone = try await update(server, id) {
            $0.pages.siteURL = ""
            $0.pages.removedResetCredentialsURLs = ["https://app.example.com/reset"]
            $0.pages.removedAppleAppIDs = ["ABCDE12345.com.example.wallet"]
        }
        #expect(gone.status == .done, "\(gone.lines)")
        let after = try await shown(server, id)
        #expect(after["siteUrl"] == nil)
        #expect(after["resetCredentialsUrls"] == nil)
        #expect(after["appleAppIds"] == nil)
    }

    @Test("Return URLs are added and taken away; one of no kind, too long or outside of the site is refused")
    func consentReturnURLs() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient {
            $0.siteURL = "https://app.example.com"
            $0.consentReturnURLs = ["https://app.example.com/agreed"]
        }.id.rawValue
        let added = try await update(server, id) { $0.pages.addedConsentReturnURLs = ["com.example.wallet:/agreed"] }
        #expect(added.status == .done, "\(added.lines)")
        let removed = try await update(server, id) {
            $0.pages.removedConsentReturnURLs = ["https://app.example.com/agreed"]
        }
        #expect(removed.status == .done, "\(removed.lines)")
        let json = try JSONValue.object(parsing: Array(removed.json.utf8))
        #expect(json["consentReturnUrls"]?.array?.compactMap(\.string) == ["com.example.wallet:/agreed"])
        for edit in [
            { $0.pages.addedConsentReturnURLs = ["http://example.com/"] },
            { $0.pages.addedConsentReturnURLs = ["javascript:alert(1)"] },
            { $0.pages.addedConsentReturnURLs = ["https://evil.example/agreed"] },
            { $0.pages.addedConsentReturnURLs = ["https://app.example.com/" + String(repeating: "a", count: 512)] },
            { $0.pages.removedConsentReturnURLs = ["https://app.example.com/agreed"] },
        ] as [(inout ClientChange) -> Void] {
            let answer = try await update(server, id, edit)
            #expect(answer.status == .refused, "\(answer.lines)")
        }
    }
}

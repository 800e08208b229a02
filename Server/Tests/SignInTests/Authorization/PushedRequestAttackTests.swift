import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Attacks on pushed authorization requests", .threat("a pushed request used twice"))
struct PushedRequestAttackTests {
    private let server: TestServer
    private let client: TestClient

    init() async throws {
        // More than a browser does in an hour.
        server = try await TestServer.start { $0.sessions.silentSignIns = 1_000 }
        _ = try await server.account()
        client = try await server.bearerClient()
    }

    private static var password: SignInPage.Action {
        get throws { .signIn(username: "ada", password: try Password("correct horse battery")) }
    }

    @Test(
        "attack: a reference that has got its code opens nothing more, in any browser",
        .conformance("fapi2-security-profile-final-par-attempt-reuse-request_uri"))
    func replay() async throws {
        let (browser, link) = (TestBrowser(server), try await client.pushed())
        _ = try await browser.signIn(link).code()
        #expect(try await browser.open(link).fault == .unusableRequestURI)
        #expect(try await TestBrowser(server).open(link).fault == .unusableRequestURI)
    }

    @Test(
        "attack: of two browsers that have opened one reference, the first to sign in gets the code, and the other none"
    )
    func twoBrowsers() async throws {
        let link = try await client.pushed()
        let (holder, thief) = (TestBrowser(server), TestBrowser(server))
        let (page, copy) = (try await holder.open(link).page(), try await thief.open(link).page())
        _ = try await holder.submit(page, Self.password).code()
        #expect(try await thief.submit(copy, Self.password).fault == .unusableRequestURI)
        // Nor another person in the holder's browser.
        _ = try await server.account("eve")
        let other = SignInPage.Action.signIn(username: "eve", password: try Password("correct horse battery"))
        let outcome = try await holder.submit(page, other)
        #expect((try? outcome.code()) == nil)
    }

    @Test("attack: 64 uses of one reference at the same moment, in signed-in browsers, get one code")
    func race() async throws {
        let first = try await server.bearerClient("first")
        let browsers = [TestBrowser(server), TestBrowser(server), TestBrowser(server), TestBrowser(server)]
        for browser in browsers { _ = try await browser.signIn(first.request()).code() }
        let (link, cookies) = (try await client.pushed(), browsers.map(\.cookies))
        let outcomes = try await withThrowingTaskGroup(of: AuthorizationAnswer.Outcome.self) { group in
            for number in 0..<64 {
                group.addTask { [server] in
                    try await server.flows.signIn.authorization.begin(
                        link, cookies: cookies[number % 4], origin: TestServer.origin
                    ).outcome
                }
            }
            return try await group.reduce(into: [AuthorizationAnswer.Outcome]()) { $0.append($1) }
        }
        let codes = outcomes.compactMap { try? $0.redirect()["code"] }
        #expect(Set(codes).count == 1)
        #expect(outcomes.count { $0.fault == .unusableRequestURI } == 64 - codes.count)
        // Of four browsers, three got nothing.
        #expect(codes.count <= 16)
    }

    @Test(
        "attack: a reference is another client's, expired, made up, or too long",
        .conformance(
            "fapi2-security-profile-final-par-attempt-to-use-expired-request_uri",
            "fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client"))
    func unusable() async throws {
        let link = try await client.pushed()
        let uri = try #require(link["request_uri"])
        let other = try await server.bearerClient("other")
        func open(_ id: ClientID, _ uri: String) async throws -> AuthorizationFault? {
            var form = FormParameters()
            form.append("client_id", id)
            form.append("request_uri", uri)
            return try await TestBrowser(server).open(form).fault
        }
        #expect(try await open(other.id, uri) == .unusableRequestURI)
        #expect(try await open(ClientID("unknown"), uri) == .unknownClient)
        for made in [
            uri + "A", String(uri.dropLast()), PushedRequestURI.prefix, uri + String(repeating: "A", count: 600),
        ] {
            #expect(try await open(client.id, made) == .unusableRequestURI)
        }
        server.clock.advance(by: PushedRequests.lifetime)
        #expect(try await open(client.id, uri) == .unusableRequestURI)
    }

    @Test(
        "attack: a request_uri inside a pushed request is refused, whatever it is",
        .conformance("fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param"))
    func nested() async throws {
        let uri = try #require(try await client.pushed()["request_uri"])
        for nested in [uri, "https://evil.example/request"] {
            #expect(try await client.push(client.request { $0["request_uri"] = nested }).error == "invalid_request")
        }
    }

    @Test(
        "attack: a request_uri with https is refused and never fetched",
        .conformance("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported"))
    func foreign() async throws {
        // A call to any server outside would throw.
        for uri in ["https://evil.example/request", "https://auth.example.com/request", "URN:IETF:params:x"] {
            let redirect = try await TestBrowser(server).open(client.request { $0["request_uri"] = uri }).redirect()
            #expect(redirect["error"] == "request_uri_not_supported")
        }
    }

    @Test("attack: a client with a secret cannot be passed for, and no one pushes in another client's name")
    func clients() async throws {
        let backend = try await server.confidentialClient {
            $0.redirectURIs = ["https://app.example.com/callback"]
        }
        let form = try backend.request()
        _ = try await backend.push(form).response()
        #expect(try await backend.push(form, as: .none(backend.id)).error == "invalid_client")
        #expect(try await backend.push(form, as: .basic(backend.id, ClientSecret("guess"))).error == "invalid_client")
    }

    @Test(
        "attack: a proof of another key than dpop_jkt, or one that was used before, pushes nothing",
        .conformance("fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails"))
    func proofs() async throws {
        let key = TestKey()
        let form = try client.request { $0["dpop_jkt"] = TestKey().thumbprint.rawValue }
        #expect(try await client.push(form, proof: key).error == "invalid_dpop_proof")
        let proof = try key.present(to: server, at: Endpoints.pushedRequests.path)
        var errors: [String?] = []
        for _ in 0..<2 {
            errors.append(
                try await server.flows.signIn.pushing.push(
                    client.request(), from: client.authentication, proof: proof, origin: TestServer.origin
                ).error)
        }
        #expect(errors == [nil, "invalid_dpop_proof"])
    }

    @Test(
        "attack: one network cannot fill the table in a public client's name, and holds up no other network or client")
    func flood() async throws {
        var accepted = 0
        while try await client.push(client.request()).error == nil, accepted < 1_000 { accepted += 1 }
        #expect(accepted == 100)
        let elsewhere = RequestOrigin(address: "198.51.100.7", traceID: "00000000000000000000000000000002")
        _ = try await client.push(client.request(), from: elsewhere).response()
        let other = try await server.bearerClient("other")
        _ = try await other.push(other.request()).response()
        server.clock.advance(by: .minutes(5))
        _ = try await client.push(client.request()).response()
    }
}

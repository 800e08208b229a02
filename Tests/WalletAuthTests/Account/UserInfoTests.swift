import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("The person's claims", .covers("the person's claims (OpenID Connect Core §5.3)"))
struct UserInfoTests {
    private static let path = "/oauth2/userinfo"

    private func inject(_ body: String, type: String? = "application/json", in world: World) {
        var headers = HTTPFields()
        headers["Content-Type"] = type
        world.server.inject(
            .answer(HTTPResponse(status: 200, headers: headers, body: Data(body.utf8))), at: Self.path)
    }

    /// A server that names its userinfo endpoint at another origin than its own, or not at all.
    private func standard(_ endpoint: JSONValue?, dpop: ScriptedServer.Settings.DPoP = .unavailable) -> StandardWorld {
        let standard = StandardWorld { $0.dpop = dpop }
        standard.odd.changeMetadata { $0["userinfo_endpoint"] = endpoint }
        return standard
    }

    private static let elsewhere = "https://claims.example.com/oauth2/userinfo"

    @Test("Those that the session's scopes cover come typed, and all of them as JSON")
    func typed() async throws {
        var settings = ScriptedServer.Settings()
        settings.scopes.formUnion(["email", "phone", "address"])
        let world = World(settings)
        world.server.setClaims(
            of: "alice",
            [
                "name": "Alice Example", "given_name": "Alice", "family_name": "Example",
                "email": "alice@example.com", "email_verified": true, "phone_number": "+441632960000",
                "phone_number_verified": false, "address": ["formatted": "1 Example Street\nLondon"],
                "locale": "en-GB", "updated_at": 1_799_000_000, "https://example.com/tier": "gold",
            ])
        var configuration = world.configuration()
        configuration.scopes = ["openid", "profile", "email", "phone", "address"]
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        let person = try await wallet.userInfo()
        #expect(person.subject == "sub-alice")
        #expect(person.name == "Alice Example")
        #expect(person.givenName == "Alice")
        #expect(person.familyName == "Example")
        #expect(person.email == "alice@example.com")
        #expect(person.isEmailVerified == true)
        #expect(person.phoneNumber == "+441632960000")
        #expect(person.isPhoneNumberVerified == false)
        #expect(person.address?.formatted == "1 Example Street\nLondon")
        #expect(person.address?.country == nil)
        #expect(person.locale == "en-GB")
        #expect(person.updatedAt == NumericDate(clamping: 1_799_000_000))
        #expect(person.claims["https://example.com/tier"] == "gold")
        let call = try #require(world.server.requests.last)
        #expect(call.method == "GET")
        #expect(call.path == Self.path)
        #expect(call.headers["Authorization"]?.hasPrefix("DPoP ") == true)
        #expect(call.headers["DPoP"] != nil)
    }

    @Test("A claim that no scope covers is missing; without the scope openid, the error names it")
    func scopes() async throws {
        let world = World()
        world.server.setClaims(of: "alice", ["name": "Alice Example"])
        let person = try await world.signedIn().userInfo()
        #expect(person.subject == "sub-alice")
        #expect(person.name == nil)
        let other = World()
        var configuration = other.configuration()
        configuration.scopes = ["profile"]
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .insufficientScope)
        #expect(error?.outcome == .refused)
        #expect(error?.operation == .userInfo)
        #expect(wallet.isLoggedIn)
    }

    @Test("attack: claims of anyone but the session's person are not returned")
    func anotherPerson() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        inject(#"{"sub":"sub-bob","name":"Bob"}"#, in: world)
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .malformedAnswer)
        #expect(error?.outcome == .misconfigured)
        #expect(error?.reason.contains("another person") == true)
        #expect(wallet.isLoggedIn)
    }

    @Test("A signed or encrypted answer is refused, with what to change in the registration")
    func signed() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        inject("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzdWItYWxpY2UifQ.c2lnbmF0dXJl", type: "application/jwt", in: world)
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .unsupportedByServer)
        #expect(error?.outcome == .misconfigured)
        #expect(error?.operation == .userInfo)
        #expect(error?.reason.contains("userinfo_signed_response_alg") == true)
    }

    @Test("Only application/json is read", arguments: ["text/html", "application/json-seq", "text/json", "", nil])
    func otherTypes(_ type: String?) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        inject(#"{"sub":"sub-alice"}"#, type: type, in: world)
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .malformedAnswer)
        #expect(error?.reason.contains("not application/json") == true)
    }

    @Test(
        "Its type is read in either case and with parameters",
        arguments: ["Application/JSON", "application/json; charset=utf-8"])
    func sameType(_ type: String) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        inject(#"{"sub":"sub-alice"}"#, type: type, in: world)
        let person = try await wallet.userInfo()
        #expect(person.subject == "sub-alice")
    }

    @Test(
        "An answer that is no claims, or longer than 64 KiB, is a fault of the server",
        arguments: [
            "", "[]", "<html></html>", "{}", #"{"sub":""}"#, #"{"sub":7}"#, #"{"sub":"sub-alice","sub":"sub-alice"}"#,
            #"{"sub":"sub-alice","picture":""# + String(repeating: "x", count: 65_536) + #""}"#,
        ])
    func noClaims(_ body: String) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        inject(body, in: world)
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .malformedAnswer)
        #expect(error?.outcome == .misconfigured)
        #expect(error?.operation == .userInfo)
    }

    @Test("A server without the endpoint, or with one that may not be used, is a misconfiguration that the error names")
    func noEndpoint() async throws {
        let endpoints: [JSONValue?] = [nil, .string("http://auth.example.com/oauth2/userinfo"), .integer(7)]
        for endpoint in endpoints {
            let wallet = try await standard(endpoint).signedIn()
            let error = await failure { try await wallet.userInfo() }
            #expect(error?.code == .unsupportedByServer)
            #expect(error?.outcome == .misconfigured)
            #expect(error?.operation == .userInfo)
            #expect(error?.reason.contains("userinfo_endpoint") == true)
        }
    }

    @Test("It is none while only a part of the metadata can be read")
    func partOfMetadata() async throws {
        let standard = standard(nil)
        _ = try await standard.signedIn()
        let wallet = try standard.wallet()
        standard.server.inject(
            .unavailable(503, retryAfter: .seconds(60)), at: Endpoints.oauthMetadata.path, times: 1000)
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .temporarilyUnavailable)
        #expect(error?.outcome == .temporarilyUnavailable(retryAfter: nil))
    }

    @Test("attack: a bearer token goes to an endpoint of another origin only if the app lists that origin")
    func bearerElsewhere() async throws {
        let standard = standard(.string(Self.elsewhere))
        let wallet = try await standard.signedIn()
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .requestRefused)
        #expect(error?.outcome == .misconfigured)
        #expect(error?.operation == .userInfo)
        #expect(error?.reason.contains("https://claims.example.com") == true, "it says which origin to list")
        #expect(!standard.server.requests.contains { $0.path == Self.path })

        var configuration = standard.world.configuration(ports: standard.ports)
        configuration.resources = .only([try url("https://claims.example.com")])
        let listing = try Wallet(configuration: configuration)
        try await listing.setUp()
        let person = try await listing.userInfo()
        #expect(person.subject == "sub-alice")
        #expect(standard.server.requests.last?.headers["Authorization"]?.hasPrefix("Bearer ") == true)
    }

    @Test("A bound token goes there, with its proof, unless the app lists other origins")
    func boundElsewhere() async throws {
        let standard = standard(.string(Self.elsewhere), dpop: .offeredWithNonces)
        let person = try await standard.signedIn().userInfo()
        #expect(person.subject == "sub-alice")
        var configuration = standard.world.configuration(ports: standard.ports)
        configuration.resources = .only([try url("https://api.example.com")])
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .requestRefused)
    }

    @Test("An expired token is renewed first, and a lost answer is asked for again")
    func repeated() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.loseAnswer, at: Self.path)
        let running = Task { try await wallet.userInfo().subject }
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(2))
        let subject = try await running.value
        #expect(subject == "sub-alice")
        #expect(world.refreshes == 1)
    }

    @Test("A refusal that only WWW-Authenticate explains has its code, and the session goes on")
    func refusalInHeader() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let challenge = #"Bearer error="invalid_token", error_description="No such audience""#
        world.server.inject(
            .answer(HTTPResponse(status: 401, headers: ["WWW-Authenticate": challenge])), at: Self.path, times: 2)
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.code == .invalidToken)
        #expect(error?.outcome == .refused)
        #expect(error?.reason == "No such audience")
        #expect(world.refreshes == 1)
        #expect(wallet.isLoggedIn)
    }

    @Test("A 401 that requires a stronger sign-in says which")
    func stepUp() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let challenge = #"DPoP error="insufficient_user_authentication", acr_values="urn:wallet-auth:acr:2fa""#
        world.server.inject(
            .answer(HTTPResponse(status: 401, headers: ["WWW-Authenticate": challenge])), at: Self.path)
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.outcome == .stepUp(AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:2fa"])))
        #expect(error?.operation == .userInfo)
    }

    @Test("Where no one is signed in, nothing is sent")
    func signedOut() async throws {
        let world = World()
        let wallet = try world.wallet()
        let error = await failure { try await wallet.userInfo() }
        #expect(error?.outcome == .signedOut(.neverSignedIn))
        #expect(error?.operation == .userInfo)
        #expect(world.server.requests.isEmpty)
    }
}

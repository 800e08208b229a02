import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "A kept session at a standard server, whatever its renewal is answered",
    .covers("an app with a stored session never reaches its sign-in page"))
struct KeptSessionTests {
    @Test(
        "A refresh token that is refused for good, with whatever error, ends the session, and setUp shows the sign-in page",
        arguments: [
            (400, "invalid_grant"), (401, "invalid_grant"), (400, "invalid_request"), (400, "invalid_token"),
            (401, "invalid_token"), (400, "access_denied"),
        ])
    func refusedForGood(status: Int, error: String) async throws {
        let standard = StandardWorld()
        _ = try await standard.signedIn()
        standard.expireToken()
        standard.answer(status, #"{"error":"\#(error)","error_description":"Token is spent"}"#)
        let next = try standard.wallet()
        #expect(try await next.setUp() == .signedIn)
        #expect(standard.world.userAgent.presented.count == 2)
        #expect(next.isLoggedIn)
    }

    @Test("The error that ends a session has the server's own words")
    func wordsOfTheEnd() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        standard.expireToken()
        standard.answer(400, #"{"error":"invalid_request","error_description":"Token is spent"}"#)
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.outcome == .signedOut(.sessionEnded))
        #expect(error?.reason.contains("invalid_request: Token is spent") == true, "\(error?.reason ?? "")")
        #expect(error?.answeredBy?.absoluteString == "https://auth.example.com/oauth2/token")
    }

    @Test(
        "A refusal that is not about the session keeps it: setUp restores it, and a later renewal goes on",
        arguments: [
            (400, #"{"error":"invalid_client"}"#), (401, #"{"error":"invalid_client"}"#),
            (400, #"{"error":"unauthorized_client"}"#), (400, #"{"error":"unsupported_grant_type"}"#),
            (400, #"{"error":"invalid_scope"}"#), (400, ""), (400, "<html>sign in to the hotel's network</html>"),
            (403, "<html>blocked</html>"), (403, #"{"error":"access_denied"}"#), (401, #"{"error":"access_denied"}"#),
            (401, #"{"error":"invalid_request"}"#), (413, #"{"error":"invalid_request"}"#),
            (403, #"{"error":"invalid_token"}"#), (404, ""), (302, ""), (200, "<html>hotel</html>"),
            (200, #"{"error":"invalid_grant"}"#), (200, ""), (500, #"{"error":"invalid_grant"}"#),
            (429, #"{"error":"invalid_grant"}"#),
        ])
    func notAboutTheSession(status: Int, body: String) async throws {
        let standard = StandardWorld()
        _ = try await standard.signedIn()
        standard.expireToken()
        standard.answer(status, body)
        let next = try standard.wallet()
        #expect(try await next.setUp() == .restored)
        #expect(next.isLoggedIn)
        #expect(next.renewalFailure != nil)
        #expect(standard.world.userAgent.presented.count == 1)
        standard.world.clock.advance(by: .seconds(61))
        _ = try await next.accessToken()
        #expect(next.renewalFailure == nil)
        #expect(standard.world.living.count == 1)
    }

    @Test("At this project's own server only invalid_grant ends a session")
    func ownServer() async throws {
        for error in ["invalid_request", "invalid_token", "access_denied"] {
            let world = World()
            let wallet = try await world.signedIn()
            world.expireToken()
            world.server.inject(
                .answer(HTTPResponse(status: 400, body: Data(#"{"error":"\#(error)"}"#.utf8))), at: "/oauth2/token")
            #expect(await failure { try await wallet.accessToken() } != nil)
            #expect(wallet.isLoggedIn)
            #expect(try await world.wallet().setUp() == .restored)
        }
    }

    @Test("Signing out leads to the sign-in page out of every one of them, though the server is never right")
    func signingOutLeadsOut() async throws {
        let standard = StandardWorld()
        _ = try await standard.signedIn()
        standard.expireToken()
        standard.answer(400, #"{"error":"invalid_client"}"#)
        let next = try standard.wallet()
        #expect(try await next.setUp() == .restored)
        try await next.logout()
        #expect(try await next.setUp() == .signedIn)
        #expect(standard.server.count(grant: "refresh_token") == 1)
    }

    @Test("A refusal ends nothing that another process has meanwhile renewed: its token is used")
    func renewedElsewhere() async throws {
        let standard = StandardWorld()
        _ = try await standard.signedIn()
        standard.world.expireToken()
        // Two processes whose locks do not reach each other.
        let refusing = LateRefusal(standard.odd)
        var ports = standard.ports
        ports.store = ForgetfulLocks(standard.world.store)
        ports.transport = refusing
        let late = try standard.world.wallet(ports: ports)
        let waiting = Task { try await late.accessToken() }
        await refusing.isAsked()
        let token = try await standard.wallet().accessToken()
        refusing.answer()
        #expect(try await waiting.value == token)
        #expect(late.isLoggedIn)
        #expect(standard.world.userAgent.presented.count == 1)
    }

    @Test(
        "A session without a refresh token ends by its end, unless another process has a newer token; the scope to try is named"
    )
    func withoutRefreshToken() async throws {
        let standard = StandardWorld()
        standard.odd.changeGrants { $0["refresh_token"] = nil }
        let wallet = try await standard.signedIn()
        let early = await failure { try await wallet.refresh() }
        #expect(early?.code == .unsupportedByServer)
        #expect(early?.reason.contains("offline_access") == true)
        standard.expireToken()
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.outcome == .signedOut(.tokenExpired))
        #expect(error?.reason.contains("offline_access") == true)
    }

    @Test("A 401 of the app's API leaves a session without a refresh token as it is, and one of the issuer ends it")
    func refusedWithoutRefreshToken() async throws {
        let standard = StandardWorld()
        standard.odd.changeGrants { $0["refresh_token"] = nil }
        var configuration = standard.world.configuration(ports: standard.ports)
        configuration.resources = .only([try url("https://api.example.com")])
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        standard.server.inject(.answer(HTTPResponse(status: 401)), at: "/me", times: 2)
        let (_, response) = try await wallet.perform(request(to: "https://api.example.com/me"))
        #expect(response.status == 401)
        #expect(wallet.isLoggedIn)
        let call = try request("/me")
        let error = await failure { try await wallet.perform(call) }
        #expect(error?.outcome == .signedOut(.tokenExpired))
        #expect(!wallet.isLoggedIn)
    }

    @Test("The error about a missing ID token names the scope to leave out")
    func noOpenID() async throws {
        let standard = StandardWorld()
        standard.odd.changeGrants { $0["id_token"] = nil }
        let wallet = try standard.wallet()
        let error = await failure { try await wallet.setUp() }
        #expect(error?.code == .invalidIDToken)
        #expect(error?.reason.contains("openid") == true)
    }
}

/// A store whose locks hold for one process alone.
final class ForgetfulLocks: SecureStore {
    private let base: InMemoryStore
    private let locks = InMemoryStore()

    init(_ base: InMemoryStore) { self.base = base }

    func get(_ key: SecureStoreKey) async throws -> Data? { try await base.get(key) }
    func put(_ value: Data, for key: SecureStoreKey) async throws { try await base.put(value, for: key) }
    func remove(_ key: SecureStoreKey) async throws { try await base.remove(key) }

    func withExclusiveLock<T: Sendable>(
        _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
    ) async throws -> T { try await locks.withExclusiveLock(lock, body) }
}

/// Holds a request for tokens until a test lets it go, and then refuses it.
private final class LateRefusal: HTTPTransport {
    private let base: any HTTPTransport
    private let asked = AsyncStream<Void>.makeStream()
    private let answered = AsyncStream<Void>.makeStream()

    init(_ base: any HTTPTransport) { self.base = base }

    func isAsked() async { for await _ in asked.stream { return } }
    func answer() { answered.continuation.yield() }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.url.path == Endpoints.token.path else { return try await base.send(request) }
        asked.continuation.yield()
        for await _ in answered.stream { break }
        return HTTPResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
    }
}

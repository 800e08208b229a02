import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

/// A server that hangs everything of a person on one session of its own, as Keycloak does: whichever of its refresh tokens is
/// revoked, all of them are over until the person signs in again.
private final class SharedSession: Sendable {
    /// The `sid` of the next ID tokens; nil for a server that names none.
    let sessionID: LockedValue<String?>
    /// Whether the next sign-ins are answered with an ID token that is to be refused.
    let refusesNext = LockedValue(false)
    private let hasEnded = LockedValue(false)
    private let counter = LockedValue(0)

    init(at standard: StandardWorld, sessionID: String?) {
        self.sessionID = LockedValue(sessionID)
        standard.odd.rewrite { [self] in try answer($0, $1) }
    }

    private func answer(_ request: HTTPRequest, _ response: HTTPResponse) throws -> HTTPResponse {
        guard response.status == 200 else { return response }
        switch request.url.path {
        case Endpoints.revoke.path:
            hasEnded.withLock { $0 = true }
            return response
        case Endpoints.token.path: return try grant(request, response)
        default: return response
        }
    }

    private func grant(_ request: HTTPRequest, _ response: HTTPResponse) throws -> HTTPResponse {
        let form = try FormParameters(parsing: Array(request.body ?? Data()))
        if form["grant_type"] == "authorization_code" { hasEnded.withLock { $0 = false } }
        guard !hasEnded.withLock({ $0 }) else {
            return HTTPResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
        }
        var object = try JSONValue.object(parsing: Array(response.body))
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        object["access_token"] = .string("opaque-\(number)")
        if let text = object["id_token"]?.string {
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            claims["at_hash"] = nil
            claims["sid"] = sessionID.withLock { $0 }.map { .string($0) }
            if refusesNext.withLock({ $0 }) { claims["nonce"] = "another" }
            object["id_token"] = .string(idToken(claims))
        }
        var changed = response
        changed.body = Data(object.bytes)
        return changed
    }
}

@Suite(
    "A server that hangs all tokens of a person on one session of its own",
    .covers("a revocation ends the live session"))
struct SharedSessionTests {
    private static let needed = AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:2fa"], maximumAge: 300)
    private static let names: [String?] = ["browser-session", nil]

    /// The tokens that the server was asked to end.
    private func revoked(_ standard: StandardWorld) -> [String?] {
        standard.server.requests.filter { $0.path == Endpoints.revoke.path && $0.status == 200 }
            .map { $0.form["token"] }
    }

    /// Has every revocation that waits sent, and renews in this process and in another one.
    private func goesOn(_ standard: StandardWorld, _ wallet: Wallet) async throws {
        _ = await wallet.sendQueuedRevocations()
        for process in [wallet, try standard.wallet()] {
            standard.expireToken()
            _ = try await process.accessToken()
        }
    }

    @Test("A step-up whose response is refused here keeps the person signed in at the server too", arguments: names)
    func refusedStepUp(name: String?) async throws {
        let standard = StandardWorld()
        let shared = SharedSession(at: standard, sessionID: name)
        let wallet = try await standard.signedIn()
        shared.refusesNext.withLock { $0 = true }
        #expect(await failure { try await wallet.stepUp(to: Self.needed) }?.code == .invalidIDToken)
        try await goesOn(standard, wallet)
        #expect(revoked(standard).isEmpty)
    }

    @Test("A step-up does not end the session that it opened by revoking the one before", arguments: names)
    func stepUp(name: String?) async throws {
        let standard = StandardWorld()
        _ = SharedSession(at: standard, sessionID: name)
        let wallet = try await standard.signedIn()
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        try await goesOn(standard, wallet)
        #expect(revoked(standard).isEmpty)
        // Its own sign-out ends it, and with it all that the server hangs on it. Another server with the same names may
        // have a grant for each, so the former one is revoked as well.
        #expect(try await wallet.logout() == .revoked)
        #expect(revoked(standard).count == 2)
    }

    @Test("A step-up that returns the same refresh token leaves nothing else to revoke", arguments: names)
    func sameToken(name: String?) async throws {
        let standard = StandardWorld()
        standard.odd.changeGrants { object in
            object["refresh_token"] = "the-only-one"
            guard let text = object["id_token"]?.string else { return }
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            claims["sid"] = name.map { .string($0) }
            object["id_token"] = .string(idToken(claims))
        }
        let wallet = try await standard.signedIn()
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        _ = await wallet.sendQueuedRevocations()
        #expect(revoked(standard).isEmpty)
        #expect(try await wallet.logout() == .revoked)
        #expect(revoked(standard) == ["the-only-one"])
    }

    @Test(
        "A revocation that still waits is not sent once the person has signed in to the same session", arguments: names)
    func waitingRevocation(name: String?) async throws {
        let standard = StandardWorld()
        _ = SharedSession(at: standard, sessionID: name)
        let former = try await standard.signedIn()
        standard.server.inject(.answer(HTTPResponse(status: 503)), at: Endpoints.revoke.path, times: 10)
        #expect(try await former.logout() == .queued)
        // The next start tries it once more, in parallel with the sign-in.
        let wallet = try await standard.signedIn()
        _ = await wallet.sendQueuedRevocations()
        standard.server.withdrawFaults()
        try await goesOn(standard, wallet)
        #expect(revoked(standard).isEmpty)
    }

    @Test("A refresh of the former session that comes late is not revoked where that would end the new one")
    func lateRefresh() async throws {
        let standard = StandardWorld()
        _ = SharedSession(at: standard, sessionID: "browser-session")
        let wallet = try await standard.signedIn()
        standard.expireToken()
        standard.server.inject(.delay(.seconds(5)), at: Endpoints.token.path)
        let late = Task { await failure { try await wallet.accessToken() } }
        await standard.world.clock.waitForSleepers()
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        standard.world.clock.advance(by: .seconds(5))
        #expect(await late.value?.outcome == .signedOut(.replacedByAnotherSignIn))
        try await goesOn(standard, wallet)
        #expect(revoked(standard).isEmpty)
    }

    @Test("A session of another sid is another one: what a step-up replaces is revoked")
    func anotherSession() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        _ = await wallet.sendQueuedRevocations()
        #expect(standard.server.sessions.map(\.endedBecause) == [.revoked, nil])
    }

    @Test(
        "attack: an ID token of another issuer does not save its tokens by naming the live session",
        .threat("A queued revocation that ends the next session"))
    func anotherIssuersName() async throws {
        let standard = StandardWorld()
        let wallet = try await standard.signedIn()
        let sessionID = try #require(wallet.identity?.sessionID)
        var claims = renewedClaims(at: standard.world.clock)
        claims["iss"] = "https://evil.example"
        claims["sid"] = .string(sessionID)
        standard.odd.changeGrants { [claims] object in
            object["refresh_token"] = "anothers-refresh-token"
            object["access_token"] = "anothers-access-token"
            object["id_token"] = .string(idToken(claims))
        }
        standard.expireToken()
        #expect(await failure { try await wallet.accessToken() }?.code == .malformedAnswer)
        standard.odd.rewrite(nil)
        _ = await wallet.sendQueuedRevocations()
        #expect(revoked(standard) == ["anothers-refresh-token"])
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

/// Each sign-in has a grant of its own, and no token says so: as django-oauth-toolkit does it.
@Suite(
    "A server whose sign-ins each have a grant of their own, which no sid tells apart",
    .threat("A queued revocation that ends the next session"),
    .covers("sessions that a step-up replaced outlive the sign-out"))
struct ReplacedSessionTests {
    private static let needed = AuthenticationRequirements(maximumAge: 300)

    private let standard = StandardWorld()
    private let refusesNext = LockedValue(false)
    /// The `sid` of all ID tokens; nil for none.
    private let sessionID = LockedValue<String?>(nil)

    init() {
        let counter = LockedValue(0)
        standard.odd.changeGrants { [refusesNext, sessionID] object in
            let number = counter.withLock { counter in
                counter += 1
                return counter
            }
            object["access_token"] = .string("opaque-\(number)")
            guard let text = object["id_token"]?.string else { return }
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            claims["at_hash"] = nil
            claims["sid"] = sessionID.withLock { $0 }.map { .string($0) }
            if refusesNext.withLock({ $0 }) { claims["nonce"] = "another" }
            object["id_token"] = .string(idToken(claims))
        }
    }

    private func steppedUp() async throws -> Wallet {
        let wallet = try await standard.signedIn()
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        refusesNext.withLock { $0 = true }
        #expect(await failure { try await wallet.stepUp(to: Self.needed) }?.code == .invalidIDToken)
        refusesNext.withLock { $0 = false }
        return wallet
    }

    @Test("A step-up alone ends none, whether it succeeded or was refused here")
    func stepUpAlone() async throws {
        let wallet = try await steppedUp()
        _ = await wallet.sendQueuedRevocations()
        #expect(standard.world.living.count == 3)
    }

    @Test(
        "Sessions that a step-up replaced end at the server with the sign-out, if it was unknown whether they share one"
    )
    func signOut() async throws {
        let wallet = try await steppedUp()
        #expect(try await wallet.logout() == .revoked)
        #expect(standard.world.living.isEmpty)
    }

    @Test("They also end with the sign-out if the server gives all of them the same sid")
    func sameName() async throws {
        sessionID.withLock { $0 = "the-browser's" }
        let wallet = try await steppedUp()
        _ = await wallet.sendQueuedRevocations()
        #expect(standard.world.living.count == 3)
        #expect(try await wallet.logout() == .revoked)
        #expect(standard.world.living.isEmpty)
    }

    @Test("Two sign-outs at once send each token once, and both say that nothing is left", .timeLimit(.minutes(10)))
    func atOnce() async throws {
        _ = try await steppedUp()
        let processes = [try standard.wallet(), try standard.wallet()]
        standard.server.inject(.delay(.seconds(1)), at: Endpoints.revoke.path)
        let first = Task { try await processes[0].logout() }
        // The limit of the sign-out, and the delayed request.
        await standard.world.clock.waitForSleepers(2)
        let second = Task { try await processes[1].logout() }
        await standard.world.clock.waitForSleepers(3)
        standard.world.clock.advance(by: .seconds(1))
        #expect(try await first.value == .revoked)
        #expect(try await second.value == .notSignedIn)
        #expect(await processes[1].sendQueuedRevocations())
        #expect(standard.world.living.isEmpty)
        #expect(standard.server.requests.count { $0.path == Endpoints.revoke.path } == 3)
    }

    @Test("They survive a restart, before the sign-out and after it")
    func restart() async throws {
        _ = try await steppedUp()
        let next = try standard.wallet()
        try await next.setUp()
        standard.server.inject(.unavailable(), at: Endpoints.revoke.path, times: 100)
        #expect(try await next.logout() == .queued)
        #expect(standard.world.living.count == 3)
        standard.server.withdrawFaults()
        let last = try standard.wallet()
        #expect(await last.sendQueuedRevocations())
        #expect(standard.world.living.isEmpty)
    }

    @Test("A sign-out confirmed only for the session itself is called queued, and the rest is sent later")
    func onlyItsOwn() async throws {
        let wallet = try await steppedUp()
        let isFirst = LockedValue(true)
        standard.odd.rewrite { [standard] request, response in
            if request.url.path == Endpoints.revoke.path,
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            {
                standard.server.inject(.unavailable(), at: Endpoints.revoke.path, times: 100)
            }
            return response
        }
        #expect(try await wallet.logout() == .queued)
        #expect(standard.world.living.count == 2)
        standard.server.withdrawFaults()
        #expect(await wallet.sendQueuedRevocations())
        #expect(standard.world.living.isEmpty)
    }

    @Test("At most 16 wait, whatever the number of step-ups; the newest stay, and the sign-out counts the others")
    func bounded() async throws {
        let wallet = try await standard.signedIn()
        for _ in 0..<19 { #expect(try await wallet.stepUp(to: Self.needed) == .signedIn) }
        #expect(wallet.unrevokedSessionCount == 0)
        #expect(try await wallet.logout() == .revoked)
        // The session's own is one of the 16.
        #expect(standard.server.sessions.map { $0.endedBecause == .revoked } == (0..<20).map { $0 >= 4 })
        #expect(wallet.unrevokedSessionCount == 4)
        // Each is reported once.
        #expect(try await wallet.logout() == .notSignedIn)
        #expect(wallet.unrevokedSessionCount == 0)
    }
}

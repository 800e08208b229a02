import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

/// Each sign-in is a session of its own, and no token says so: as django-oauth-toolkit does it.
@Suite("A server that sends a sub and no sid")
struct ReplacedSessionTests {
    private static let needed = AuthenticationRequirements(maximumAge: 300)

    private let standard = StandardWorld()
    private let refusesNext = LockedValue(false)

    init() {
        let counter = LockedValue(0)
        standard.odd.changeGrants { [refusesNext] object in
            let number = counter.withLock { counter in
                counter += 1
                return counter
            }
            object["access_token"] = .string("opaque-\(number)")
            guard let text = object["id_token"]?.string else { return }
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            claims["at_hash"] = nil
            claims["sid"] = nil
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

    @Test("A step-up alone ends none, whether it led in or was refused here")
    func stepUpAlone() async throws {
        let wallet = try await steppedUp()
        _ = await wallet.sendQueuedRevocations()
        #expect(standard.world.living.count == 3)
    }

    @Test(
        "Sessions that a step-up replaced end at the server with the sign-out, where it was not known whether they share one"
    )
    func signOut() async throws {
        let wallet = try await steppedUp()
        #expect(try await wallet.logout() == .revoked)
        #expect(standard.world.living.isEmpty)
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

    @Test("At most 16 wait, whatever the number of step-ups; the newest stay")
    func bounded() async throws {
        let wallet = try await standard.signedIn()
        for _ in 0..<19 { #expect(try await wallet.stepUp(to: Self.needed) == .signedIn) }
        #expect(try await wallet.logout() == .revoked)
        // The session's own is one of the 16.
        #expect(standard.server.sessions.map { $0.endedBecause == .revoked } == (0..<20).map { $0 >= 4 })
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// An app's tests meet the refusals of the project's own server (protocol section 4), or they prove nothing about it.
@Suite("The scripted server's limits of a consent")
struct ScriptedConsentTests {
    /// A payment whose consent was asked for.
    private struct Asked {
        let shop: Shop
        let wallet: Wallet
        let required: SCA.Required

        init(by ways: [SCA.Verification]) async throws {
            shop = try Shop(by: .sms)
            try shop.requireConsent(by: ways)
            wallet = try await shop.world.signedIn()
            let (data, response) = try await wallet.perform(shop.payment())
            required = try #require(SCA.Required(data: data, response: response))
        }

        func challenge(_ way: SCA.Verification) async throws -> SCA.Challenge {
            try await wallet.authentication.sendSCAChallenge(
                eventID: required.eventID,
                request: SCA.ChallengeRequest(walletOperationID: required.walletOperationID, verification: way))
        }

        var sends: Int? { shop.server.consents.first?.sends }
    }

    @Test("Codes lie half a minute apart, whatever is challenged between them; asked for too soon, nothing is sent")
    func codesApart() async throws {
        let asked = try await Asked(by: [.sms, .email, .authenticator])
        let clock = asked.shop.world.clock
        let first = try await asked.challenge(.sms)
        #expect(first.resendAfter == .seconds(30))
        clock.advance(by: .seconds(10))
        let again = try await asked.challenge(.sms)
        #expect(again.resendAfter == .seconds(20))
        #expect(again.expiresAt == first.expiresAt)
        let other = await failure { try await asked.challenge(.email) }
        #expect(other?.outcome == .temporarilyUnavailable(retryAfter: .seconds(20)))
        #expect(other?.reachedServer == true)
        _ = try await asked.challenge(.authenticator)
        for way in [SCA.Verification.sms, .email] {
            let early = await failure { try await asked.challenge(way) }
            #expect(early?.outcome == .temporarilyUnavailable(retryAfter: .seconds(20)))
        }
        #expect(asked.sends == 1)
        clock.advance(by: .seconds(20))
        let later = try await asked.challenge(.email)
        #expect(later.resendAfter == .seconds(30))
        #expect(asked.sends == 2)
    }

    @Test("An event is challenged twenty times, over all ways, and what was challenged last can be answered")
    func withoutEnd() async throws {
        let asked = try await Asked(by: [.authenticator, .sms])
        _ = try await asked.challenge(.sms)
        for _ in 2..<20 { _ = try await asked.challenge(.authenticator) }
        let last = try await asked.challenge(.authenticator)
        asked.shop.world.clock.advance(by: .seconds(30))
        for way in [SCA.Verification.authenticator, .sms] {
            let refused = await failure { try await asked.challenge(way) }
            #expect(refused?.code == .noCodeLeft)
        }
        let attempt = try await asked.wallet.authentication.submitSCAAttempt(.code(Shop.code), to: last)
        #expect(attempt.status == .verified)
        #expect(asked.sends == 1)
    }
}

import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import WalletAuthTransport

/// What the device decides by itself.
@Suite("A long-lived session, before anything is sent", .covers("1003 on a device that was never enrolled"))
struct DeviceTokenOnDeviceTests {
    /// Counts, and never answers.
    private final class Silence: HTTPTransport {
        let sent = LockedValue(0)

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            sent.withLock { $0 += 1 }
            throw TransportFailure(.offline, reason: "the test has no network")
        }
    }

    @Test("If the device is not enrolled there is none, and nothing is sent or asked")
    func notEnrolled() async throws {
        let (silence, presence) = (Silence(), ScriptedUserPresence())
        let issuer = try #require(URL(string: "https://auth.example.com"))
        let wallet = try Wallet(
            configuration: .init(
                environment: .production(issuer: issuer), clientID: "com.example.wallet",
                signIn: .partial(codeResponse: nil),
                ports: Wallet.Ports(
                    transport: silence, store: InMemoryStore(), userAgent: ScriptedUserAgent { _ in .opened },
                    keys: InMemoryDeviceKeys(), presence: presence, time: ManualClock())))
        let state = try await wallet.deviceAuthenticationToken
        #expect(state == .none)
        let login = await #expect(throws: WalletError.self) {
            try await wallet.loginWithDeviceAuthenticationToken(pin: "493817")
        }
        #expect(login?.code == .deviceNotEnrolled && login?.operation == .loginWithDeviceToken)
        #expect(login?.statusCode == 1003)
        let expiring = await #expect(throws: WalletError.self) { try await wallet.expireDeviceAuthenticationToken() }
        #expect(expiring?.code == .deviceNotEnrolled && expiring?.operation == .expireDeviceToken)
        #expect(expiring?.statusCode == 1003)
        let checked = await #expect(throws: WalletError.self) { try await wallet.checkDeviceAuthenticationToken() }
        #expect(checked?.outcome == .signedOut(.neverSignedIn) && checked?.operation == .generateDeviceToken)
        let impossible = await #expect(throws: WalletError.self) {
            try await wallet.generateDeviceAuthenticationToken(username: "", password: "")
        }
        #expect(impossible?.statusCode == 419)
        #expect(presence.reasons.isEmpty)
        #expect(silence.sent.withLock { $0 } == 0)
    }
}

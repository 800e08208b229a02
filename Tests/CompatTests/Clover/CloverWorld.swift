import CloverCompat
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// A device with an app that used the Clover SDK, a server and a person called alice, for one test.
struct CloverWorld: Sendable {
    let clock = ManualClock()
    let server: ScriptedServer
    let store = InMemoryStore()
    let keys = InMemoryDeviceKeys()
    let browser: ScriptedUserAgent

    static let redirectURI = "https://app.example.com/callback"

    init() {
        server = ScriptedServer(clock: clock)
        server.addPerson("alice", password: "correct horse")
        server.addPerson("bob", password: "battery staple")
        browser = server.browser(of: "alice")
    }

    /// Starts the app: another process on the same device.
    func launch(
        adjusting adjust: @escaping @Sendable (inout Wallet.Configuration) -> Void = { _ in }
    ) -> CloverPaymentSDK {
        let sdk = CloverPaymentSDK { $0 == "WalletAuthIssuer" ? "https://auth.example.com" : nil }
        let ports = Wallet.Ports(
            transport: server, store: store, userAgent: browser, keys: keys, presence: ScriptedUserPresence(),
            time: clock)
        sdk.configure { configuration in
            configuration.ports = ports
            adjust(&configuration)
        }
        return sdk
    }

    func configuration(
        _ flow: any OAuthFlowType = FullOAuth(redirectURI: CloverWorld.redirectURI)
    ) -> CloverPaymentSDK.Configuration {
        CloverPaymentSDK.Configuration(environment: .production, appID: "com.example.wallet", oauthFlowType: flow)
    }

    /// The app's own sign-in for the Partial flow, as far as the code.
    func codeResponse() throws -> CloverPaymentSDK.OAuthCodeResponse {
        let challenge = CloverPaymentSDK.OAuthCodeChallenge()
        let request = [
            "response_type=code", "client_id=com.example.wallet", "redirect_uri=\(Self.redirectURI)", "scope=openid",
            "state=state-of-the-app-123", "code_challenge=\(challenge.challenge)", "code_challenge_method=S256",
        ]
        let page = try #require(
            URL(string: "https://auth.example.com/oauth2/authorize?" + request.joined(separator: "&")))
        let answer = try FormParameters(parsing: try server.signIn(at: page, as: "alice").query() ?? "")
        return CloverPaymentSDK.OAuthCodeResponse(code: try #require(answer["code"]), challenge: challenge)
    }

    /// The app's own token for the NoOAuth flow.
    func token(
        for username: String = "alice", lifetime: Duration = .seconds(300), merchantID: String? = nil
    ) throws -> String {
        try server.accessToken(for: username, lifetime: lifetime, merchantID: merchantID).reveal()
    }

    /// The sessions that are active at the server.
    var activeSessions: Int { server.sessions.count { $0.endedBecause == nil } }
    /// The codes that became tokens.
    var redemptions: Int { server.requests.count { $0.form["code"] != nil && $0.status == 200 } }
}

/// Counts the calls of token change callbacks.
@MainActor
final class CloverCalls {
    private(set) var names: [String] = []

    func note(_ name: String) {
        MainActor.assertIsolated()
        names.append(name)
    }

    /// Waits for so many calls in all.
    func wait(for count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(300)
        while names.count < count {
            try #require(ContinuousClock.now < deadline, "waited in vain for \(count) calls, got \(names)")
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// The error of a call; nil if it threw none, or another.
func cloverFailure(_ call: () async throws -> Void) async -> CloverGenericError? {
    do {
        try await call()
        return nil
    } catch { return error as? CloverGenericError }
}

import Foundation
import PaysafeCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "Calls under Paysafe's names", .threat("Apps that moved here from another vendor"),
    .covers("their own names, by a changed import", "a redirect URI with http"))
@MainActor
struct PaysafeCallTests {
    private func details(
        _ redirectURI: String = "https://app.example.com/callback", challenge: String
    ) -> PaysafeCompat.Wallet.AuthenticationDetailsRequest {
        .init(
            clientIdentifier: "com.example.wallet", codeChallenge: challenge,
            resetCredentialsURL: "https://app.example.com/forgot", state: "the-state", redirectURI: redirectURI,
            locale: "en-US", loginHint: "alice", loginStrategy: .password)
    }

    @Test("Without a configuration every call fails as not configured, and nothing traps")
    func notConfigured() async throws {
        let world = try PaysafeWorld()
        let wallet = PaysafeCompat.Wallet()
        #expect(wallet.walletAuth == nil)
        let services = (wallet.authenticationService, wallet.standaloneAuthenticationService)
        let request = try world.payment()
        let way = PaysafeCompat.Wallet.SCAAuthenticationEventAttemptVerification(method: .otp, channel: .sms)
        let failures: [PaysafeCompat.WalletError?] = [
            await world.result { wallet.authenticate(.init("token"), completion: $0) }.failure,
            await world.result { wallet.perform(request, completion: $0) }.failure,
            await world.result {
                services.0.getAuthenticationDetails(
                    brandIdentity: "b", request: details(challenge: "c"), completion: $0)
            }.failure,
            await world.result {
                services.0.sendSCAChallenge(
                    eventID: "e", request: .init(walletOperationID: "o", verification: way), completion: $0)
            }.failure,
            await world.result {
                services.0.submitSCAAttempt(
                    eventID: "e", request: .init(walletOperationID: "o", verification: way, value: "1"), completion: $0)
            }.failure,
            await world.result {
                services.1.loginWithPassword(
                    clientIdentifier: "c", brandIdentity: "b", request: .init(username: "u", password: "p"),
                    completion: $0)
            }.failure,
            await world.result {
                services.1.loginWithPin(
                    clientIdentifier: "c", brandIdentity: "b", request: .init(username: "u", pin: "1"), completion: $0)
            }.failure,
        ]
        #expect(failures == Array(repeating: .notConfigured, count: 7))
        #expect(failures.allSatisfy { $0?.errorDescription?.isEmpty == false })
        #expect(world.server.requests.isEmpty)
    }

    @Test("Results arrive after their calls have returned, in the order of the calls, also if the caller is gone")
    func order() async throws {
        let world = try PaysafeWorld()
        let token = try world.server.accessToken(for: "alice").reveal()
        var steps: [String] = []
        let payment = try world.payment()
        var wallet: PaysafeCompat.Wallet? = PaysafeCompat.Wallet()
        try wallet?.configure(world.configuration)
        // The first call takes longest, and the second needs its session.
        world.server.inject(.delay(.seconds(5)), at: Endpoints.oauthMetadata.path)
        wallet?.authenticationService.getAuthenticationDetails(
            brandIdentity: "default", request: details(challenge: OAuthCodeChallenge().challenge.rawValue)
        ) { result in steps.append(result.failure == nil ? "details" : "\(result)") }
        wallet?.authenticate(.init(accessToken: token)) { result in
            steps.append(result.failure == nil ? "authenticated" : "\(result)")
        }
        let last = await withCheckedContinuation { continuation in
            wallet?.perform(payment) { continuation.resume(returning: $0) }
            wallet = nil
            steps.append("called")
        }
        #expect(steps == ["called", "details", "authenticated"])
        #expect(try world.event(last).availableVerifications.count == 1)
    }

    @Test("The page's URL carries the app's challenge and state, and the verifier is nowhere in the SDK")
    func authenticationDetails() async throws {
        let world = try PaysafeWorld()
        let pair = OAuthCodeChallenge()
        let response = try await world.result {
            world.wallet.authenticationService.getAuthenticationDetails(
                brandIdentity: "default", request: details(challenge: pair.challenge.rawValue), completion: $0)
        }.get()
        let callback = try world.server.signIn(at: response.authenticationURL, as: "alice")
        let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
        #expect(items.first { $0.name == "state" }?.value == "the-state")
        #expect(items.contains { $0.name == "code" })
        let page = response.authenticationURL.absoluteString
        #expect(page.contains(pair.challenge.rawValue))
        #expect(page.contains("alice"))
        let sent = world.server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        let stored = world.store.items.values.map { String(decoding: $0, as: UTF8.self) }.joined()
        for place in [page, sent, stored] { #expect(!place.contains(pair.verifier.reveal())) }
    }

    @Test("A redirect URI with http is refused with a sentence, before anything is sent")
    func http() async throws {
        let world = try PaysafeWorld()
        let sentences = [
            "http://www.partner.com/wallet/dashboard": "redirect_uri is http, so others on the network could read",
            "HTTP://www.partner.com/": "redirect_uri has a scheme in upper case",
        ]
        for (uri, sentence) in sentences {
            let error = await world.result {
                world.wallet.authenticationService.getAuthenticationDetails(
                    brandIdentity: "brand-identity",
                    request: details(uri, challenge: OAuthCodeChallenge().challenge.rawValue), completion: $0)
            }.failure
            guard case .misconfigured(let failure) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.reason.contains(sentence))
        }
        #expect(world.server.requests.isEmpty)
    }

    @Test("A configuration that cannot work is thrown as misconfigured")
    func wrongConfiguration() throws {
        let world = try PaysafeWorld()
        var configuration = world.configuration
        configuration.clientID = ""
        let error = #expect(throws: PaysafeCompat.WalletError.self) {
            try PaysafeCompat.Wallet().configure(configuration)
        }
        guard case .misconfigured? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("No network is unavailable, and a session that ended is not authenticated")
    func outcomes() async throws {
        let world = try PaysafeWorld()
        guard case .failure(.notAuthenticated) = try await world.pay() else {
            Issue.record("no one is signed in")
            return
        }
        try await world.authenticate()
        world.server.network = .offline
        guard case .failure(.unavailable(let failure)) = try await world.pay() else {
            Issue.record("there is no network")
            return
        }
        #expect(failure.code == "offline")
        #expect(failure.retryAfter == nil)
    }

    @Test("No description and no dump shows a password, PIN, token or code")
    func redacted() throws {
        let secret = "a-secret"
        let way = PaysafeCompat.Wallet.SCAAuthenticationEventAttemptVerification(method: .otp, channel: .sms)
        let values: [Any] = [
            PaysafeCompat.PasswordTokenRequest(username: "alice", password: secret),
            PaysafeCompat.PinTokenRequest(username: "alice", pin: secret),
            PaysafeCompat.AuthenticationConfiguration(secret),
            PaysafeCompat.Wallet.SCAAuthenticationEventAttemptEmbeddedHybridRequest(
                walletOperationID: "o", verification: way, value: secret),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains(secret)) }
        }
    }
}

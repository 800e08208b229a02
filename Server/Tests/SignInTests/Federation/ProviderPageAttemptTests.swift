import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Failures at a provider on the hosted pages")
struct ProviderPageAttemptTests {
    @Test("A code that the provider refuses is charged to the network that it came from")
    func charged() async throws {
        let pages = try await ProviderPages.setUp { $0.lockout.network.failures = 3 }
        pages.provider.answerCode(400, #"{"error":"invalid_grant"}"#)
        for _ in 0..<3 {
            let page = try await pages.browser.arrive(pages.leave().state).page()
            #expect(page.notice == .providerFailed(name: "Example"))
        }
        let departed = try await pages.leave()
        let held = try await pages.browser.arrive(departed.state).page()
        guard case .networkHeld = held.notice else {
            Issue.record("not held: \(String(describing: held.notice))")
            return
        }
        #expect(pages.provider.asked("/token") == 3)
    }

    @Test(
        "attack: failures in the network hold up no app or browser in which the person signed in with the provider before"
    )
    func knownDevices() async throws {
        let pages = try await ProviderPages.setUp { $0.lockout.network.failures = 3 }
        let provider = pages.provider
        try await pages.makeAccount()
        let app = TestApp(client: try await pages.server.publicClient("wallet"))
        _ = try await app.redeem(app.signIn(at: provider).code()).tokens()
        let stranger = TestApp(client: app.client)
        for _ in 0..<3 {
            let wrong = try await stranger.signIn(at: provider) { $0.set("aud", "another-client") }
            #expect(wrong.errorCode == "invalid_credentials")
        }
        let held = try await stranger.signIn(at: provider).refusal
        #expect(held?.status == 429)
        let other = pages.another
        let told = try await other.arrive(other.leave()).page()
        guard case .networkHeld = told.notice else {
            Issue.record("not held: \(String(describing: told.notice))")
            return
        }
        _ = try await app.signIn(at: provider).code()
        let now = pages.server.clock.now()
        _ = try await pages.arrive(pages.leave { $0["prompt"] = "login" }) { $0.signIn(at: now) }.code()
    }

    @Test(
        "attack: a known device that fails at a provider is charged itself, and cannot claim to be another person's",
        .threat("Locking the holder out"))
    func knownDeviceFails() async throws {
        let pages = try await ProviderPages.setUp {
            $0.lockout.network.failures = 3
            $0.lockout.sharedFailures = 3
        }
        let provider = pages.provider
        try await pages.makeAccount()
        let app = TestApp(client: try await pages.server.publicClient("wallet"))
        _ = try await app.redeem(app.signIn(at: provider).code()).tokens()
        for _ in 0..<3 {
            let wrong = try await app.signIn(at: provider) { $0.set("aud", "another-client") }
            #expect(wrong.errorCode == "invalid_credentials")
        }
        let own = try await app.signIn(at: provider).refusal
        #expect(own?.status == 429)
        // As someone else it counts in its network, where nothing has failed yet.
        for _ in 0..<3 { _ = try await app.signIn(at: provider, as: "sub-2") { $0.set("aud", "another-client") } }
        let other = try await app.signIn(at: provider, as: "sub-2").refusal
        #expect(other?.status == 429)
    }
}

import CloverCompat
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport

@Suite(
    "The three flows of the Clover SDK", .threat("Apps that moved here from another vendor"),
    .covers("logout() without await"))
struct CloverFlowTests {
    // MARK: FullOAuth

    @Test("With the page in another app, setup returns, and the URL of the scene delegate signs in")
    func urlHandler() async throws {
        let world = CloverWorld()
        world.browser.setBehavior { _ in .opened }
        let sdk = world.launch()
        try await sdk.setup(configuration: world.configuration())
        #expect(!sdk.isLoggedIn)
        let url = try world.server.signIn(at: try #require(world.browser.presented.first), as: "alice")
        try await sdk.receivedOAuthCodeOrToken(url.absoluteString).value
        #expect(sdk.isLoggedIn)
        try await sdk.receivedOAuthCodeOrToken(url).value
        try await sdk.setup(configuration: world.configuration())
        #expect(world.browser.presented.count == 1)
        #expect(world.redemptions == 1)
    }

    @Test("A URL that starts the app is kept for its first setup, which opens no second page")
    func coldStart() async throws {
        let world = CloverWorld()
        world.browser.setBehavior { _ in .opened }
        try await world.launch().setup(configuration: world.configuration())
        let url = try world.server.signIn(at: try #require(world.browser.presented.first), as: "alice")

        let sdk = world.launch()
        sdk.receivedOAuthCodeOrToken(url)
        try await sdk.setup(configuration: world.configuration())
        #expect(sdk.isLoggedIn)
        #expect(world.browser.presented.count == 1)
    }

    @Test("After a refusal that starts the app, setup fails and does not ask the person again")
    func declined() async throws {
        let world = CloverWorld()
        world.browser.setBehavior { _ in .opened }
        try await world.launch().setup(configuration: world.configuration())
        let url = try world.server.refuse(try #require(world.browser.presented.first))

        let sdk = world.launch()
        sdk.receivedOAuthCodeOrToken(url)
        let error = await cloverFailure { try await sdk.setup(configuration: world.configuration()) }
        #expect(error?.walletError?.code == .accessDenied)
        #expect(world.browser.presented.count == 1)
    }

    @Test("A URL of the app's own that starts the app does not disturb the session")
    func unrelatedURL() async throws {
        let world = CloverWorld()
        try await world.launch().setup(configuration: world.configuration())
        let sdk = world.launch()
        sdk.receivedOAuthCodeOrToken("https://app.example.com/menu?table=7")
        try await sdk.setup(configuration: world.configuration())
        #expect(sdk.isLoggedIn)
        #expect(world.browser.presented.count == 1)
    }

    @Test("A text that is no URL is an error of the call")
    func notAURL() async {
        let sdk = CloverWorld().launch()
        #expect(
            await cloverFailure { try await sdk.receivedOAuthCodeOrToken("").value }?.message.contains("URL") == true)
    }

    @Test("A page that the person closes is an error whose outcome says so")
    func closed() async {
        let world = CloverWorld()
        world.browser.setBehavior { _ in throw UserAgentFailure(.cancelledByPerson, reason: "closed") }
        let sdk = world.launch()
        let error = await cloverFailure { try await sdk.setup(configuration: world.configuration()) }
        #expect(error?.walletError?.outcome == .cancelledByPerson)
    }

    // MARK: PartialOAuth

    @Test("The app's own code is redeemed once, and without a code the next start restores its session")
    func partial() async throws {
        let world = CloverWorld()
        let first = world.configuration(PartialOAuth(codeResponse: try world.codeResponse()))
        let sdk = world.launch()
        try await sdk.setup(configuration: first)
        try await sdk.setup(configuration: first)
        try await world.launch().setup(configuration: first)
        #expect(world.redemptions == 1)

        let next = world.launch()
        try await next.setup(configuration: world.configuration(PartialOAuth(codeResponse: nil)))
        #expect(next.isLoggedIn)
        #expect(next.employeeID == "sub-alice")
        #expect(world.redemptions == 1)
        #expect(world.browser.presented.isEmpty)
    }

    @Test("Without a code and a session, setup says that no one is signed in")
    func partialWithoutSession() async {
        let world = CloverWorld()
        let error = await cloverFailure {
            try await world.launch().setup(configuration: world.configuration(PartialOAuth(codeResponse: nil)))
        }
        #expect(error?.walletError?.outcome == .signedOut(.neverSignedIn))
    }

    // MARK: NoOAuth

    @Test("The app's token is used and replaced, and another merchant's or person's is refused and changes nothing")
    func noOAuth() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        try await sdk.setup(configuration: world.configuration(NoOAuth(token: try world.token(merchantID: "m-1"))))
        #expect(sdk.isLoggedIn)
        #expect(sdk.merchantID == "m-1")
        let newer = try world.token(lifetime: .seconds(600), merchantID: "m-1")
        try await sdk.updateToken(newer)
        let other = try world.token(merchantID: "m-2")
        #expect(await cloverFailure { try await sdk.updateToken(other) }?.walletError?.code == .anotherMerchant)
        let bobs = try world.token(for: "bob", merchantID: "m-1")
        #expect(await cloverFailure { try await sdk.updateToken(bobs) }?.walletError?.code == .anotherPerson)
        #expect(try await sdk.wallet.accessToken().reveal() == newer)
    }

    @Test("updateToken is refused in the flows whose token the SDK renews")
    func wrongFlow() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        try await sdk.setup(configuration: world.configuration())
        let token = try world.token()
        #expect(await cloverFailure { try await sdk.updateToken(token) }?.message.contains("NoOAuth") == true)
        sdk.logout()
        #expect(await cloverFailure { try await sdk.updateToken(token) }?.message.contains("NoOAuth") == true)
        #expect(!sdk.isLoggedIn)
    }

    @Test("A token that has expired or was signed out begins no second session, so that a callback cannot loop")
    func uselessToken() async throws {
        let world = CloverWorld()
        let signedOut = world.configuration(NoOAuth(token: try world.token()))
        let expired = world.configuration(NoOAuth(token: try world.token(lifetime: .seconds(10))))
        let another = world.configuration(NoOAuth(token: try world.token(lifetime: .seconds(600))))
        let sdk = world.launch()
        let changes = LockedValue(0)
        _ = sdk.addOnTokenChangeCallback { changes.withLock { $0 += 1 } }
        try await sdk.setup(configuration: signedOut)
        sdk.logout()
        #expect(
            await cloverFailure { try await sdk.setup(configuration: signedOut) }?.message.contains("signed out")
                == true)
        world.clock.advance(by: .seconds(11))
        for _ in 0..<3 {
            #expect(
                await cloverFailure { try await sdk.setup(configuration: expired) }?.message.contains("expired") == true
            )
        }
        #expect(!sdk.isLoggedIn)
        try await sdk.setup(configuration: another)
        #expect(sdk.isLoggedIn)
        #expect(changes.withLock { $0 } <= 4, "a new one, a deleted one, the expired one and another")
    }

    // MARK: logout

    @Test("After logout no one is signed in at once, and the server revokes the session")
    func logout() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        try await sdk.setup(configuration: world.configuration())
        sdk.logout()
        #expect(!sdk.isLoggedIn)
        // It ends the sign-out before it looks for a session.
        try await sdk.setup(configuration: world.configuration())
        #expect(sdk.isLoggedIn)
        #expect(world.browser.presented.count == 2)
        #expect(world.server.sessions.map(\.endedBecause) == [.revoked, nil])
    }

    @Test("A logout before the first setup signs the stored session out")
    func logoutBeforeSetup() async throws {
        let world = CloverWorld()
        try await world.launch().setup(configuration: world.configuration())
        let sdk = world.launch()
        sdk.logout()
        let restoring = world.configuration(PartialOAuth(codeResponse: nil))
        let error = await cloverFailure { try await sdk.setup(configuration: restoring) }
        #expect(error?.walletError?.outcome == .signedOut(.loggedOut))
        #expect(world.activeSessions == 0)
        try await sdk.setup(configuration: world.configuration())
        #expect(sdk.isLoggedIn, "that logout is over")
    }
}

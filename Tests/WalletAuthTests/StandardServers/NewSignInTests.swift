import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@Suite(
    "A call that requires a new sign-in, by max_age 0",
    .covers("a step-up with max_age 0 mistakes the sign-in of a moment ago for a new one"))
struct NewSignInTests {
    private static let needed = AuthenticationRequirements(maximumAge: 0)

    /// Signs in, and has the server answer later sign-ins by this one.
    private func signedIn(_ standard: StandardWorld) async throws -> Wallet {
        let wallet = try await standard.signedIn()
        let signedInAt = Int64(try #require(wallet.identity?.authenticatedAt).timeIntervalSince1970)
        standard.odd.changeGrants { object in
            guard let text = object["id_token"]?.string else { return }
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            claims.set("auth_time", signedInAt)
            object["id_token"] = .string(idToken(claims))
        }
        standard.world.clock.advance(by: .seconds(10))
        return wallet
    }

    @Test("The sign-in before it, however recent, is refused, and the session goes on")
    func former() async throws {
        let standard = StandardWorld()
        let wallet = try await signedIn(standard)
        let before = wallet.identity
        let error = await failure { try await wallet.stepUp(to: Self.needed) }
        #expect(error?.code == .invalidIDToken)
        #expect(error?.reason.contains("auth_time") == true)
        #expect(wallet.identity == before)
        // A new one leads in.
        standard.odd.rewrite(nil)
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        #expect(wallet.unconfirmed(of: Self.needed) == nil)
    }

    @Test(
        "For a higher max_age, so is one that was older when the step-up began, with ten seconds of tolerance for clocks"
    )
    func olderThanAllowed() async throws {
        let standard = StandardWorld()
        let wallet = try await signedIn(standard)
        let needed = AuthenticationRequirements(maximumAge: 5)
        #expect(try await wallet.stepUp(to: needed) == .signedIn)
        standard.world.clock.advance(by: .seconds(10))
        let error = await failure { try await wallet.stepUp(to: needed) }
        #expect(error?.code == .invalidIDToken)
        #expect(error?.reason.contains("auth_time") == true)
        #expect(wallet.isLoggedIn)
    }

    @Test("So is one for another app in the same browser, where the server did not say when the person had signed in")
    func otherApp() async throws {
        let standard = StandardWorld()
        let signedInAt = LockedValue<Int64?>(nil)
        standard.odd.changeGrants { object in
            guard let text = object["id_token"]?.string else { return }
            var claims = try JSONValue.object(parsing: Base64URL.decode(String(text.split(separator: ".")[1])) ?? [])
            claims["auth_time"] = signedInAt.withLock { $0 }.map { .integer($0) }
            object["id_token"] = .string(idToken(claims))
        }
        let wallet = try await standard.signedIn()
        #expect(wallet.identity?.authenticatedAt == nil)
        standard.world.clock.advance(by: .seconds(10))
        signedInAt.withLock { $0 = Int64(standard.world.clock.now().timeIntervalSince1970) }
        standard.world.clock.advance(by: .seconds(20))
        #expect(await failure { try await wallet.stepUp(to: Self.needed) }?.code == .invalidIDToken)
        #expect(wallet.identity?.authenticatedAt == nil)
    }

    @Test("After a step-up that an older sign-in satisfied, a new one is unconfirmed, also after a restart")
    func unconfirmed() async throws {
        let standard = StandardWorld()
        let wallet = try await signedIn(standard)
        let recent = AuthenticationRequirements(maximumAge: 300)
        #expect(try await wallet.stepUp(to: recent) == .signedIn)
        let next = try standard.wallet()
        try await next.setUp()
        for process in [wallet, next] {
            #expect(process.unconfirmed(of: recent) == nil)
            #expect(process.unconfirmed(of: Self.needed) == Self.needed)
        }
    }

    @Test("It goes with prompt=login, unless the app chose a prompt, or the server needs or knows none")
    func prompt() async throws {
        func prompt(
            _ standard: StandardWorld = StandardWorld(), chosen: [AuthorizationRequest.Prompt]? = nil,
            _ requirements: AuthenticationRequirements = Self.needed
        ) async throws -> String? {
            var configuration = standard.world.configuration(ports: standard.ports)
            configuration.scopes = ["openid", "offline_access"]
            configuration.prompt = chosen
            let wallet = try Wallet(configuration: configuration)
            try await wallet.setUp()
            #expect(try await wallet.stepUp(to: requirements) == .signedIn)
            let page = try #require(standard.world.userAgent.presented.last)
            return try FormParameters(parsing: page.query(percentEncoded: true) ?? "")["prompt"]
        }
        #expect(try await prompt() == "login consent")
        #expect(try await prompt(StandardWorld(), chosen: nil, AuthenticationRequirements(maximumAge: 60)) == "consent")
        #expect(try await prompt(chosen: []) == nil)
        #expect(try await prompt(StandardWorld { $0.keepsRefreshAttempts = true }) == nil)
        let standard = StandardWorld()
        standard.odd.changeMetadata { $0["prompt_values_supported"] = ["none", "consent"] }
        #expect(try await prompt(standard) == "consent")
    }
}

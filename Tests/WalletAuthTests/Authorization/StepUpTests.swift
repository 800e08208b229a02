import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "A call that wants another sign-in (RFC 9470)",
    .covers("a step-up signs in someone who signed out while its page was open", "a server ignores a step-up"))
struct StepUpTests {
    fileprivate static let needed = AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:2fa"], maximumAge: 300)

    private static func demand(_ scheme: String = "DPoP") -> ServerFault {
        var response = HTTPResponse(status: 401)
        response.headers.add("WWW-Authenticate", "Basic realm=\"x\"")
        response.headers.add(
            "WWW-Authenticate",
            "\(scheme) error=\"insufficient_user_authentication\", acr_values=\"urn:wallet-auth:acr:2fa\", max_age=300")
        return .answer(response)
    }

    @Test("perform tells what is needed, sends the request once and renews nothing", arguments: ["DPoP", "Bearer"])
    func told(scheme: String) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(Self.demand(scheme), at: "/api/transfer")
        let error = await failure { try await wallet.perform(try request("/api/transfer", method: "POST")) }
        #expect(error?.code == .insufficientUserAuthentication)
        #expect(error?.outcome == .stepUp(Self.needed))
        #expect(error?.operation == .perform)
        #expect(error?.reachedServer == true)
        // A path of the app's own API is no concern of a log.
        #expect(error?.answeredBy == nil)
        #expect(world.server.requests.count { $0.path == "/api/transfer" } == 1)
        #expect(world.refreshes == 0)
        #expect(wallet.isLoggedIn)
    }

    @Test("A call of the SDK's own tells the same of itself")
    func ownCall() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(Self.demand(), at: Endpoints.recoveryCodes.path)
        let error = await failure { try await wallet.factors.makeRecoveryCodes() }
        #expect(error?.outcome == .stepUp(Self.needed))
        #expect(error?.operation == .changeFactors)
    }

    @Test("stepUp asks for just that, and the call is repeated in the new session; the one before it is revoked")
    func steppedUp() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let before = wallet.identity?.sessionID
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        let form = try FormParameters(parsing: try #require(world.userAgent.presented.last?.query()))
        #expect(form["acr_values"] == "urn:wallet-auth:acr:2fa")
        #expect(form["max_age"] == "300")
        #expect(form["prompt"] == nil)
        // The page asks for the person who is signed in.
        let hint = try #require(form["id_token_hint"]?.split(separator: "."))
        let claims = try JSONValue.object(parsing: Base64URL.decode(String(hint[1])) ?? [])
        #expect(claims["sub"]?.string == "sub-alice")
        #expect(form["login_hint"] == nil)
        #expect(wallet.identity?.sessionID != before)
        let (_, response) = try await wallet.perform(request("/api/me"))
        #expect(response.status == 200)
        #expect(world.server.sessions.count == 2)
    }

    /// How the server answers the sign-in that a call required.
    enum Grant: Sendable, CaseIterable {
        case withClass
        case withoutClass
        case withoutIDToken

        /// What it leaves unconfirmed.
        var missing: AuthenticationRequirements? {
            switch self {
            case .withClass: nil
            case .withoutClass: AuthenticationRequirements(acrValues: StepUpTests.needed.acrValues)
            case .withoutIDToken: StepUpTests.needed
            }
        }
    }

    @Test("After a step-up, unconfirmed names what the server has ignored or does not prove", arguments: Grant.allCases)
    func unconfirmed(grant: Grant) async throws {
        let standard = StandardWorld()
        standard.odd.changeGrants { object in
            switch grant {
            case .withoutClass: return
            case .withoutIDToken: object["id_token"] = nil
            case .withClass:
                let parts = (object["id_token"]?.string ?? "").split(separator: ".")
                guard parts.count == 3 else { return }
                var claims = try JSONValue.object(parsing: Base64URL.decode(String(parts[1])) ?? [])
                claims.set("acr", "urn:wallet-auth:acr:2fa")
                object["id_token"] = .string(idToken(claims))
            }
        }
        var configuration = standard.world.configuration(ports: standard.ports)
        if grant == .withoutIDToken { configuration.scopes = ["profile"] }
        let wallet = try Wallet(configuration: configuration)
        #expect(wallet.unconfirmed(of: Self.needed) == Self.needed)
        try await wallet.setUp()
        #expect(try await wallet.stepUp(to: Self.needed) == .signedIn)
        let form = try FormParameters(parsing: try #require(standard.world.userAgent.presented.last?.query()))
        #expect(form["id_token_hint"] == nil)
        #expect(wallet.unconfirmed(of: Self.needed) == grant.missing)
        #expect(wallet.identity?.acr == (grant == .withClass ? "urn:wallet-auth:acr:2fa" : nil))
        // Another process knows the same, and a sign-in does not stay recent.
        let next = try Wallet(configuration: configuration)
        try await next.setUp()
        #expect(next.unconfirmed(of: Self.needed) == grant.missing)
        standard.world.clock.advance(by: .seconds(361))
        #expect(next.unconfirmed(of: Self.needed)?.maximumAge == 300)
        // Two factors are one as well.
        let oneFactor = AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:1fa"])
        #expect((next.unconfirmed(of: oneFactor) == nil) == (grant == .withClass))
    }

    @Test("attack: another person signs in where this one was asked to; this one stays signed in")
    func anotherPerson() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let before = wallet.identity
        world.userAgent.setBehavior { .callback(try world.server.signIn(at: $0, as: "bob")) }
        let error = await failure { try await wallet.stepUp(to: Self.needed) }
        #expect(error?.code == .anotherPerson)
        #expect(wallet.identity == before)
        let (data, _) = try await wallet.perform(request("/api/me"))
        #expect(String(decoding: data, as: UTF8.self).contains("sub-alice"))
    }

    @Test(
        "attack: another person signs in at a page that asks for this one: the app hears of another person, not of a fault"
    )
    func refusedByPage() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let before = wallet.identity
        world.userAgent.setBehavior { .callback(try world.server.refuse($0, with: "login_required")) }
        let error = await failure { try await wallet.stepUp(to: Self.needed, loginHint: "alice") }
        #expect(error?.code == .anotherPerson && error?.outcome == .refused)
        #expect(wallet.identity == before)
        let form = try FormParameters(parsing: try #require(world.userAgent.presented.last?.query()))
        #expect(form["login_hint"] == "alice")
    }

    @Test("The ID token that names the person outlives the app and a renewal")
    func namedLater() async throws {
        let world = World()
        _ = try await world.signedIn()
        let next = try world.wallet()
        try await next.setUp()
        world.expireToken()
        _ = try await next.perform(request("/api/me"))
        try await next.stepUp(to: Self.needed)
        let form = try FormParameters(parsing: try #require(world.userAgent.presented.last?.query()))
        #expect(form["id_token_hint"] != nil)
    }

    @Test("The answer comes through the app's URL handler after the app was killed, and is held to the same")
    func afterKill() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.userAgent.setBehavior { _ in .opened }
        #expect(try await wallet.stepUp(to: Self.needed) == .awaitingCallback)
        let page = try #require(world.userAgent.presented.last)
        let next = try world.wallet()
        try await next.setUp()
        let error = await failure {
            try await next.receivedOAuthCodeOrToken(try world.server.signIn(at: page, as: "bob"))
        }
        #expect(error?.code == .anotherPerson)
        #expect(next.identity?.subject == "sub-alice")
    }

    /// What happens on the device while the page of a step-up is open.
    enum Meanwhile: Sendable, CaseIterable {
        case signedOut
        case anotherPersonSignedIn
        case serverEndedSession
        case samePersonSteppedUp

        /// Why the answer of the page is refused; nil if it is taken.
        var refusal: WalletError.Outcome? {
            switch self {
            case .signedOut: .signedOut(.loggedOut)
            case .anotherPersonSignedIn: .signedOut(.replacedByAnotherSignIn)
            case .serverEndedSession, .samePersonSteppedUp: nil
            }
        }

        var subject: String? {
            switch self {
            case .signedOut: nil
            case .anotherPersonSignedIn: "sub-bob"
            case .serverEndedSession, .samePersonSteppedUp: "sub-alice"
            }
        }
    }

    @Test(
        "A person who signed out while the page was open is not signed in by it, and no one else's session is replaced",
        arguments: Meanwhile.allCases)
    func meanwhile(_ event: Meanwhile) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.userAgent.setBehavior { _ in .opened }
        #expect(try await wallet.stepUp(to: Self.needed) == .awaitingCallback)
        let page = try #require(world.userAgent.presented.last)
        let other = try world.wallet()
        try await other.setUp()
        switch event {
        case .signedOut: #expect(try await other.logout() == .revoked)
        case .anotherPersonSignedIn: _ = try await other.login(username: "bob", password: "battery staple")
        case .serverEndedSession:
            world.server.endSessions(of: "alice")
            #expect(await failure { try await other.refresh() }?.outcome == .signedOut(.sessionEnded))
        case .samePersonSteppedUp:
            _ = try await other.login(
                username: "alice", password: "correct horse", strength: .required(Self.needed))
        }
        let redemptions = world.redemptions
        let error = await failure {
            try await wallet.receivedOAuthCodeOrToken(try world.server.signIn(at: page, as: "alice"))
        }
        #expect(error?.outcome == event.refusal)
        #expect(wallet.identity?.subject == event.subject)
        #expect(error?.reachedServer ?? true)
        // No grant comes of a code that is not sent.
        #expect(world.redemptions == redemptions + (event.refusal == nil ? 1 : 0))
    }

    @Test("A password typed for a step-up does not sign in a person who has signed out meanwhile")
    func nativeMeanwhile() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.setState(of: "alice", .secondFactor(answer: "123456"))
        let begun = try await wallet.login(
            username: "alice", password: "correct horse", strength: .required(Self.needed))
        let challenge = try begun.secondFactor()
        try await wallet.logout()
        let error = await failure { try await challenge.answer("123456") }
        #expect(error?.outcome == .signedOut(.loggedOut))
        #expect(!wallet.isLoggedIn)
        #expect(world.living.isEmpty)
    }

    @Test("A server that cannot have it says so, and the session goes on")
    func unmet() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.userAgent.setBehavior {
            .callback(try world.server.refuse($0, with: "unmet_authentication_requirements"))
        }
        let error = await failure { try await wallet.stepUp(to: Self.needed) }
        #expect(error?.code == .unmetAuthenticationRequirements)
        #expect(error?.outcome == .refused)
        #expect(wallet.isLoggedIn)
    }

    @Test("Without a signed-in person, and where the app leads the sign-in, nothing is opened")
    func notPossible() async throws {
        let world = World()
        let nobody = await failure { try await world.wallet().stepUp(to: Self.needed) }
        #expect(nobody?.outcome == .signedOut(.neverSignedIn))
        let partial = await failure { try await world.wallet(.partial(codeResponse: nil)).stepUp(to: Self.needed) }
        #expect(partial?.code == .wrongSignInMode)
        #expect(world.userAgent.presented.isEmpty)
    }

    @Test("A native sign-in takes the same classes")
    func native() async throws {
        let world = World()
        let wallet = try world.wallet()
        _ = try await wallet.login(username: "alice", password: "correct horse", strength: .required(Self.needed))
        let call = try #require(world.server.requests.last { $0.path == Endpoints.authorizeChallenge.path })
        #expect(call.form["acr_values"] == "urn:wallet-auth:acr:2fa")
    }

    @Test("attack: another person types their password where this one was asked to; this one stays signed in")
    func anotherPersonTypes() async throws {
        let world = World()
        _ = try await world.signedIn()
        // The app was restarted, and its session has not been read yet.
        let wallet = try world.wallet()
        let error = await failure {
            _ = try await wallet.login(
                username: "bob", password: "battery staple", strength: .required(Self.needed))
        }
        #expect(error?.code == .anotherPerson)
        #expect(error?.operation == .loginByUsernamePassword)
        #expect(wallet.identity?.subject == "sub-alice")
        let (data, _) = try await wallet.perform(request("/api/me"))
        #expect(String(decoding: data, as: UTF8.self).contains("sub-alice"))
    }

    @Test("attack: another person's sign-in is refused after its later steps too, and the person's own goes on")
    func anotherPersonGoesOn() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let before = wallet.identity
        world.server.setState(of: "bob", .emailUnverified(code: "123456"))
        let begun = try await wallet.login(
            username: "bob", password: "battery staple", strength: .required(Self.needed))
        let verification = try begun.emailVerification()
        let error = await failure { _ = try await verification.confirm(code: "123456") }
        #expect(error?.code == .anotherPerson)
        #expect(wallet.identity == before)
        let own = try await wallet.login(
            username: "alice", password: "correct horse", strength: .required(Self.needed))
        try own.signedIn()
        #expect(wallet.identity?.subject == "sub-alice")
        #expect(wallet.identity?.sessionID != before?.sessionID)
    }
}

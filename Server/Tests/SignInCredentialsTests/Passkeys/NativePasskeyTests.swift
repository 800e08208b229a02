import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Passkeys in an app's own screens", .covers("passkeys in apps' own screens"))
struct NativePasskeyTests {
    @Test("A passkey signs in without a name, and is two factors after a day")
    func signIn() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let app = TestApp(client: try await server.passkeyClient())
        let tokens = try await app.redeem(app.signIn(with: passkey).code()).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.amr == ["pop", "uv"])
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        #expect(try await claims.subject == server.accountID()?.rawValue)
    }

    @Test("With a user name or a confirmed address, only that account's passkey signs in")
    func named() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        _ = try await server.reachableAccount("eve")
        let app = TestApp(client: try await server.passkeyClient())
        _ = try await app.signIn(with: passkey, as: "ada").code()
        _ = try await app.signIn(with: passkey, as: "ada@example.com").code()
        for name in ["eve", "unknown", "eve@example.com"] {
            #expect(try await app.signIn(with: passkey, as: name).errorCode == "invalid_credentials")
        }
    }

    @Test("A passkey is the second factor of a password, listed among the alternatives to a code")
    func secondFactor() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let app = TestApp(client: try await server.passkeyClient())
        guard case .mfaRequired(let session, let prompt)? = try await app.signIn().refusal else {
            Issue.record("no second factor")
            return
        }
        #expect(prompt.method == "otp")
        #expect(prompt.alternatives.map(\.method) == ["passkey"])
        let tokens = try await app.redeem(app.proceed(session, with: passkey).code()).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.amr == ["pwd", "pop", "uv"])
        #expect(claims.acr == AuthenticationStrength.twoFactors)
    }

    @Test("Where two factors are required and a passkey is all there is, it is asked for by itself")
    func onlyPasskey() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.storedPasskey(of: server.account("ada"))
        let app = TestApp(client: try await server.passkeyClient())
        let login = PasswordLogin(username: try Username("ada"), password: try Password("correct horse battery"))
        let outcome = try await app.step(.begin(.password(login)), acrValues: [AuthenticationStrength.twoFactors])
        guard case .mfaRequired(let session, let prompt)? = outcome.refusal else {
            Issue.record("no second factor: \(outcome)")
            return
        }
        #expect(prompt.method == "passkey")
        #expect(prompt.alternatives.isEmpty)
        let guess = try await app.proceed(session, .mfa(prompt.token, answer: try Password("123456")))
        #expect(guess.refusal?.error == "invalid_session")
        _ = try await app.proceed(session, with: passkey).code()
        // Without the requirement nothing is asked for, as for an app that knows no passkeys.
        _ = try await TestApp(client: app.client).signIn().code()
    }

    @Test(
        "An app that the operator did not name is offered no passkey, and is sent to the page where nothing else is left"
    )
    func unnamedApp() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let app = TestApp(client: try await server.publicClient())
        guard case .mfaRequired(_, let prompt)? = try await app.signIn().refusal else {
            Issue.record("no second factor")
            return
        }
        #expect(prompt.method == "otp")
        #expect(prompt.alternatives.isEmpty)
        _ = try await server.storedPasskey(of: server.account("grace"))
        let login = PasswordLogin(username: try Username("grace"), password: try Password("correct horse battery"))
        let outcome = try await app.step(.begin(.password(login)), acrValues: [AuthenticationStrength.twoFactors])
        #expect(outcome.refusal?.error == "redirect_to_web")
    }

    @Test("In its cooling period a passkey is one factor, and no second one")
    func cooling() async throws {
        let server = try await TestServer.start()
        let id = try await server.reachableAccount()
        let client = try await server.passkeyClient()
        var passkey = try SoftwarePasskey()
        _ = try await TestDevice.signedIn(id, client).add(&passkey).get()
        let app = TestApp(client: client)
        #expect(try await app.signIn(with: passkey).errorCode == "mfa_required")
        guard case .mfaRequired(let session, let prompt)? = try await app.signIn().refusal else {
            Issue.record("no second factor")
            return
        }
        #expect(prompt.alternatives.isEmpty)
        let refused = try await app.proceed(session, with: passkey)
        #expect(refused.errorCode == "invalid_credentials")
        #expect(refused.refusal?.session != nil, "the code still works")
    }

    @Test(
        "An app adds a passkey after two factors, with the message and the cooling period of the page; lists and removes it"
    )
    func management() async throws {
        let server = try await TestServer.start()
        let id = try await server.reachableAccount()
        let client = try await server.passkeyClient()
        let device = try await TestDevice.signedIn(id, client)
        var passkey = try SoftwarePasskey()
        let added = try await device.add(&passkey).get()
        #expect(added.name == "Phone")
        let cooling = server.context.settings.devices.coolingPeriod.wholeSeconds
        #expect(added.coolingUntil?.secondsSince1970 == added.createdAt.secondsSince1970 + cooling)
        #expect(try await server.messages().contains { $0.kind == "passkey_added" })
        #expect(try await device.list(factors: ()).factors.compactMap(\.passkey) == [added])
        // The device that has one creates no second.
        #expect(try await device.newPasskeyOptions().get().exclude.map(\.id) == [passkey.credentialID])

        _ = try await device.remove(added.id).get()
        #expect(try await server.messages().contains { $0.kind == "passkey_removed" })
        #expect(try await device.list(factors: ()).factors.compactMap(\.passkey).isEmpty, "the session goes on")
        await #expect(throws: PasskeyRefusal.unknown) { try await device.remove(added.id).get() }
    }

    @Test("The same registration, sent again after a lost response, gets the same passkey and no second message")
    func repeated() async throws {
        let server = try await TestServer.start()
        let id = try await server.reachableAccount()
        let device = try await TestDevice.signedIn(id, server.passkeyClient())
        let options = try await device.newPasskeyOptions().get()
        let made = try SoftwarePasskey().register(options.challenge, on: .own)
        let first = try await device.add(made).get()
        let messages = try await server.messages().count
        #expect(try await device.add(made).get() == first)
        #expect(try await server.messages().count == messages)
        #expect(try await server.rows(of: "passkeys") == 1)
    }

    @Test("A registration that is sent again is no change of its own: it gets the same passkey, and holds up no other")
    func repeatedOften() async throws {
        let server = try await TestServer.start()
        let id = try await server.reachableAccount()
        let device = try await TestDevice.signedIn(id, server.passkeyClient())
        let options = try await device.newPasskeyOptions().get()
        let made = try SoftwarePasskey().register(options.challenge, on: .own)
        let first = try await device.add(made).get()
        // More often than factors can be changed at once.
        for _ in 0..<8 { #expect(try await device.add(made).get() == first) }
        for _ in 0..<4 {
            var other = try SoftwarePasskey()
            _ = try await device.add(&other).get()
        }
        var late = try SoftwarePasskey()
        guard case .failure(.factor(.tooManyAttempts)) = try await device.add(&late) else {
            Issue.record("the sixth change was let in")
            return
        }
        #expect(try await device.add(made).get() == first)
        #expect(try await server.rows(of: "passkeys") == 5)
    }

    @Test("An Android app and a related site use passkeys at the client that registered them")
    func registeredOrigins() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let client = try await server.passkeyClient {
            $0.androidApps = ["com.example.wallet=" + String(repeating: "0F", count: 32)]
            $0.passkeyOrigins = ["https://shop.example.com"]
        }
        let android = try AndroidApp("com.example.wallet=" + String(repeating: "0f:", count: 31) + "0f")
        for origin in [android.passkeyOrigin, "https://shop.example.com", "https://auth.example.com"] {
            let page = SoftwarePasskey.Page(relyingParty: "auth.example.com", origin: origin)
            _ = try await TestApp(client: client).signIn(with: passkey, on: page).code()
        }
    }

    @Test(
        "Where the issuer's host is an address, an app learns that there are no passkeys, and not that its own is wrong"
    )
    func address() async throws {
        let server = try await TestServer.start { settings in
            if let issuer = try? Issuer("http://127.0.0.1:8700") { settings.issuer = issuer }
        }
        let client = try await server.publicClient("app")
        let device = try await TestDevice.signedIn(try await server.account("ada"), client)
        await #expect(throws: PasskeyRefusal.noHostName) { try await device.newPasskeyOptions().get() }
        await #expect(throws: OAuthRefusal.invalidRequest(PasskeyOverview.noHostName)) {
            try await TestApp(client: client).passkeyOptions()
        }
    }
}

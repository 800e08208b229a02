import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks on passkeys in apps", .threat("Passkey attacks"))
struct NativePasskeyAttackTests {
    private func registered() async throws -> (TestServer, TestApp, SoftwarePasskey) {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        return (server, TestApp(client: try await server.passkeyClient()), passkey)
    }

    private func isRefused(_ outcome: NativeSignInOutcome) -> Bool {
        outcome.errorCode == "invalid_credentials" && outcome.refusal?.session == nil
    }

    @Test("attack: of 64 uses of one challenge at once one signs in")
    func race() async throws {
        let (_, app, passkey) = try await registered()
        let response = try await passkey.use(app.passkeyOptions().challenge, on: .own)
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    if case .authorized = try await app.signIn(with: response) { return true }
                    return false
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(admitted == 1)
    }

    @Test(
        "attack: a challenge for another key, another client, another sign-in or a page opens nothing, nor an old one")
    func foreignChallenge() async throws {
        let (server, app, passkey) = try await registered()
        let thief = TestApp(client: app.client)
        let other = TestApp(client: try await server.passkeyClient("other"), key: app.key)
        let stolen = try await passkey.use(app.passkeyOptions().challenge, on: .own)
        #expect(try await isRefused(thief.signIn(with: stolen)), "another key")
        #expect(try await isRefused(other.signIn(with: stolen)), "another client")
        let verifier = try CodeVerifier(String(repeating: "v", count: 43))
        let elsewhere = try await passkey.use(app.passkeyOptions(verifier: verifier).challenge, on: .own)
        #expect(try await isRefused(app.signIn(with: elsewhere)), "another sign-in")
        let page = try await TestBrowser(server).open(app.client.request()).page()
        let onPage = try passkey.use(try #require(page.passkey).challenge, on: .own)
        #expect(try await isRefused(app.signIn(with: onPage)), "a page")
        let old = try await passkey.use(app.passkeyOptions().challenge, on: .own)
        server.clock.advance(by: .minutes(5))
        #expect(try await isRefused(app.signIn(with: old)), "five minutes later")
        // None of these tries used up a challenge.
        _ = try await app.signIn(with: passkey).code()
    }

    @Test("attack: the origin of another client's Android app or site, and of no one's, opens nothing")
    func foreignOrigin() async throws {
        let (server, app, passkey) = try await registered()
        let client = try await server.passkeyClient("other") {
            $0.androidApps = ["com.example.other=" + String(repeating: "AB", count: 32)]
            $0.passkeyOrigins = ["https://shop.example.com"]
        }
        let android = try AndroidApp("com.example.other=" + String(repeating: "AB", count: 32)).passkeyOrigin
        for origin in [android, "https://shop.example.com"] {
            let page = SoftwarePasskey.Page(relyingParty: "auth.example.com", origin: origin)
            #expect(try await isRefused(app.signIn(with: passkey, on: page)), "\(origin)")
            _ = try await TestApp(client: client).signIn(with: passkey, on: page).code()
        }
        for origin in ["http://auth.example.com", "https://evil.example", "android:apk-key-hash:"] {
            let page = SoftwarePasskey.Page(relyingParty: "auth.example.com", origin: origin)
            #expect(try await isRefused(app.signIn(with: passkey, on: page)), "\(origin)")
        }
    }

    @Test("attack: the origin that Apple's systems state opens and adds nothing at a client without an app there")
    func appleOriginOfOthers() async throws {
        let server = try await TestServer.start()
        let account = try await server.account("ada")
        let passkey = try await server.storedPasskey(of: account)
        let none = try await server.publicClient("none")
        let android = try await server.publicClient("android") {
            $0.androidApps = ["com.example.wallet=" + String(repeating: "AB", count: 32)]
            $0.passkeyOrigins = ["https://shop.example.com"]
        }
        for client in [none, android] {
            #expect(try await isRefused(TestApp(client: client).signIn(with: passkey)), "\(client.id)")
            var added = try SoftwarePasskey()
            let device = try await TestDevice.signedIn(account, client)
            await #expect(throws: PasskeyRefusal.notTaken) { try await device.add(&added).get() }
        }
        // Named by the operator, it counts: that of an app with passkeys in software.
        let software = try await server.publicClient("software") { $0.passkeyOrigins = ["https://auth.example.com"] }
        _ = try await TestApp(client: software).signIn(with: passkey).code()
    }

    @Test("attack: a passkey of a former domain opens nothing, and is not listed")
    func formerDomain() async throws {
        let (server, app, passkey) = try await registered()
        _ = try await server.context.database.write {
            try $0.execute("UPDATE passkeys SET relying_party = 'old.example.com'", [])
        }
        #expect(try await isRefused(app.signIn(with: passkey)))
        let old = SoftwarePasskey.Page(relyingParty: "old.example.com", origin: "https://old.example.com")
        #expect(try await isRefused(app.signIn(with: passkey, on: old)))
        guard case .mfaRequired(let session, let prompt)? = try await app.signIn().refusal else {
            Issue.record("no second factor")
            return
        }
        #expect(prompt.alternatives.isEmpty)
        #expect(try await app.proceed(session, with: passkey).errorCode == "invalid_credentials")
    }

    @Test(
        "attack: a use without user verification, or whose backup state became another, opens nothing, first or second")
    func flags() async throws {
        let (_, app, passkey) = try await registered()
        let statements: [SoftwarePasskey.Flags] = [
            [.userPresent], [.userVerified], [.userPresent, .userVerified, .backupEligible],
            [.userPresent, .userVerified, .backupEligible, .backedUp], [.userPresent, .userVerified, .backedUp],
        ]
        for flags in statements {
            var changed = passkey
            changed.flags = flags
            #expect(try await isRefused(app.signIn(with: changed)), "\(flags.rawValue)")
            let session = try #require(try await app.signIn().refusal?.session)
            #expect(try await app.proceed(session, with: changed).errorCode == "invalid_credentials")
        }
    }

    @Test("attack: another person's passkey is no second factor, and no sign-in to the name that was typed")
    func anotherPerson() async throws {
        let (server, app, passkey) = try await registered()
        let client = app.client
        let eve = try await server.reachableAccount("eve")
        var hers = try SoftwarePasskey()
        _ = try await TestDevice.signedIn(eve, client).add(&hers).get()
        server.clock.advance(by: .hours(24))
        let session = try #require(try await app.signIn().refusal?.session)
        let refused = try await app.proceed(session, with: hers)
        #expect(refused.errorCode == "invalid_credentials")
        #expect(try await isRefused(app.signIn(with: hers, as: "ada")))
        // With the user handle of the one account and the key of the other, neither.
        var mixed = hers
        mixed.userHandle = passkey.userHandle
        #expect(try await isRefused(app.signIn(with: mixed)))
        _ = try await app.proceed(session, with: passkey).code()
    }

    @Test("attack: the options are the same for every name, and of the same length; they name no passkey")
    func enumeration() async throws {
        let (_, app, _) = try await registered()
        let first = try await app.passkeyOptions()
        let second = try await app.passkeyOptions()
        #expect(first.challenge != second.challenge)
        #expect(first.challenge.count == second.challenge.count)
        #expect(first.json.members.map(\.name) == ["challenge", "timeout", "rpId", "userVerification"])
    }

    @Test("attack: a passkey answers no step of a recovery, which sets a password that a passkey does not need")
    func recovery() async throws {
        let (_, app, passkey) = try await registered()
        let begun = try await app.step(.begin(.recovery(RecoveryLogin(username: try Username("ada")))))
        let session = try #require(begun.refusal?.session)
        #expect(try await app.proceed(session, with: passkey).refusal?.error == "invalid_session")
    }

    @Test("attack: a session of one factor, an old one, and one after a scan add and remove no passkey")
    func weakSession() async throws {
        let server = try await TestServer.start()
        let id = try await server.reachableAccount()
        let client = try await server.passkeyClient()
        for methods in [["pwd"], ["pwd", "otp", "cross_device"], ["nonce"]] {
            let device = try await TestDevice.signedIn(id, client, methods: methods)
            guard case .failure(.factor(.strongerSignIn)) = try await device.newPasskeyOptions() else {
                Issue.record("\(methods) was let in")
                return
            }
        }
        let device = try await TestDevice.signedIn(id, client)
        let options = try await device.newPasskeyOptions().get()
        server.clock.advance(by: .minutes(5))
        let late = try await device.add(try SoftwarePasskey().register(options.challenge, on: .own))
        guard case .failure(.factor(.strongerSignIn)) = late else {
            Issue.record("an old sign-in was let in")
            return
        }
        #expect(try await server.rows(of: "passkeys") == 0)
    }

    @Test("attack: the options of another session, account, or of a page add nothing, nor without user verification")
    func foreignRegistration() async throws {
        let server = try await TestServer.start()
        let client = try await server.passkeyClient()
        let id = try await server.reachableAccount()
        let ada = try await TestDevice.signedIn(id, client)
        let eve = try await TestDevice.signedIn(server.reachableAccount("eve"), client)
        let again = try await TestDevice.signedIn(id, client)
        for device in [eve, again] {
            let theirs = try await device.newPasskeyOptions().get()
            await #expect(throws: PasskeyRefusal.notTaken) {
                try await ada.add(SoftwarePasskey().register(theirs.challenge, on: .own)).get()
            }
        }
        let onPage = try #require(try await TestBrowser(server).openPasskeys().passkeys?.creation)
        await #expect(throws: PasskeyRefusal.notTaken) {
            try await ada.add(SoftwarePasskey().register(onPage.challenge, on: .own)).get()
        }
        var unseen = try SoftwarePasskey()
        unseen.flags = [.userPresent]
        await #expect(throws: PasskeyRefusal.notTaken) { try await ada.add(&unseen).get() }
        // One that the account of someone else has: the answer does not say so.
        var hers = try SoftwarePasskey()
        _ = try await eve.add(&hers).get()
        await #expect(throws: PasskeyRefusal.notTaken) { try await ada.add(&hers).get() }
        #expect(try await server.rows(of: "passkeys") == 1)
    }
}

import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Signing in by a login nonce")
struct NonceLoginTests {
    @Test("A nonce signs in once, and the next use of it is refused as its own call's error")
    func once() async throws {
        let world = World()
        let wallet = try world.wallet()
        let nonce = world.server.issueLoginNonce(for: "alice", purpose: "handover")
        guard case .authenticated = try await wallet.login(nonce: nonce, purpose: "handover") else {
            throw Unexpected()
        }
        #expect(wallet.identity?.subject == "sub-alice")
        let error = await failure { try await wallet.login(nonce: nonce, purpose: "handover") }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.statusCode == 401)
        #expect(error?.operation == .loginByNonce)
    }

    @Test("A nonce for something else signs nobody in, and an impossible one is refused without asking the server")
    func purpose() async throws {
        let world = World()
        let wallet = try world.wallet()
        let nonce = world.server.issueLoginNonce(for: "alice", purpose: "handover")
        let error = await failure { try await wallet.login(nonce: nonce) }
        #expect(error?.code == .invalidCredentials)
        let sent = world.server.requests.count
        for (nonce, purpose) in [("", "login"), ("ünfit", "login"), ("fit", "two words")] {
            let error = await failure { try await wallet.login(nonce: nonce, purpose: purpose) }
            #expect(error?.code == .invalidCredentials)
        }
        #expect(world.server.requests.count == sent)
    }

    @Test("What stands in the way of a password stands in the way of a nonce as well")
    func obstacle() async throws {
        let world = World()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(nonce: world.server.issueLoginNonce(for: "alice"))
        guard case .emailUnverified(let verification) = outcome else { throw Unexpected() }
        guard case .authenticated = try await verification.confirm(code: "123456") else { throw Unexpected() }
    }

    @Test("Properties and wished attributes are said in every step of a sign-in")
    func extras() async throws {
        let world = World()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(
            username: "alice", password: "correct horse", properties: ["store": "12"],
            requestedAttributes: ["push_enabled", "locale"])
        guard case .emailUnverified(let verification) = outcome else { throw Unexpected() }
        guard case .authenticated = try await verification.confirm(code: "123456") else { throw Unexpected() }
        let steps = world.server.requests.filter { $0.path == "/oauth2/authorize-challenge" && $0.status != 400 }
        #expect(steps.count == 2)
        #expect(steps.allSatisfy { $0.form["properties"] == #"{"store":"12"}"# })
        #expect(steps.allSatisfy { $0.form["requested_attributes"] == "push_enabled locale" })
    }

    @Test("The key that a backend may bind a nonce to is the one that the sign-in is bound to")
    func keyThumbprint() async throws {
        let world = World()
        let wallet = try world.wallet()
        let thumbprint = try await wallet.signInKeyThumbprint()
        #expect(thumbprint?.utf8.count == 43)
        let again = try await wallet.signInKeyThumbprint()
        #expect(again == thumbprint)
    }
}

/// Another outcome than the test was written for.
private struct Unexpected: Error {}

import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthAdministration
@testable import AuthCallers
@testable import AuthCredentials
@testable import AuthFoundation
@testable import AuthSignIn

@Suite("Native sign-in")
struct NativeSignInTests {
    @Test("A right password yields a code, and the app's key redeems it")
    func signsIn() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let tokens = try await app.becomeKnown()
        #expect(tokens.tokenType == .dpop)
        #expect(try await server.record(of: account)?.lastLoginAt == server.clock.now())
    }

    @Test("A wrong password, an unknown name, an erased and a deactivated account are answered alike, after equal work")
    func enumeration() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        _ = try await server.account("erased")
        _ = try await server.account("closed")
        _ = try await server.account("without", password: nil)
        try await server.administer(.account(.erase(.username("erased", brand: nil))))
        try await server.administer(.account(.deactivate(.username("closed", brand: nil))))
        let client = try await server.publicClient()
        for (name, password) in [
            ("ada", "not the password"), ("nobody", "correct horse battery"), ("erased", "correct horse battery"),
            ("closed", "correct horse battery"), ("without", "correct horse battery"),
        ] {
            let app = TestApp(client: client)
            let before = server.context.passwords.hashesComputed
            let refusal = try #require(try await app.signIn(name, password: password).refusal)
            #expect(refusal.errorCode == "invalid_credentials", "\(name)")
            #expect(refusal.status == 401)
            #expect(refusal.session == nil)
            #expect(server.context.passwords.hashesComputed - before == 1, "\(name)")
        }
    }

    @Test("The sixth guess at an account, right or wrong, is refused like a wrong one, after the same work")
    func lockedLooksWrong() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        for _ in 0..<5 {
            #expect(
                try await TestApp(client: client).signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        let before = server.context.passwords.hashesComputed
        #expect(try await TestApp(client: client).signIn().errorCode == "invalid_credentials")
        #expect(server.context.passwords.hashesComputed - before == 1)
        server.clock.advance(by: .seconds(31))
        _ = try await TestApp(client: client).signIn().code()
    }

    @Test("Of a thousand parallel guesses five are compared, and the others are refused alike")
    func parallelGuesses() async throws {
        let server = try await TestServer.start {
            // An eighth of the places is one name's: all thousand get one.
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, queueLimit: 10_000)
            $0.lockout.addressFailures = 10_000
        }
        _ = try await server.account()
        let client = try await server.publicClient()
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    let outcome = try await TestApp(client: client).signIn(password: "a wrong one")
                    return outcome.errorCode != "invalid_credentials"
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 0)
        // Each one that is compared is a failure.
        let subject = try await server.attempts()
        #expect(subject.contains { $0.failures == 5 && $0.tries == 1000 })
    }

    @Test("A stranger's guesses never lock the holder's known device, nor deactivate the wallet")
    func strangerCannotLock() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        for number in 0..<40 {
            var stranger = TestApp(client: client)
            stranger.address = "198.51.100.\(number)"
            #expect(try await stranger.signIn(password: "guess \(number)").errorCode == "invalid_credentials")
        }
        #expect(try await server.record(of: account)?.state == .active)
        _ = try await holder.signIn().code()
    }

    @Test("A stranger's thousand wrong guesses, from ten places, and then the holder's phone signs in")
    func thousandGuesses() async throws {
        let server = try await TestServer.start {
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, queueLimit: 2000)
        }
        let account = try await server.account()
        let client = try await server.publicClient()
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        let stranger = TestApp(client: client)
        for place in 0..<10 {
            let told = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        var guess = stranger
                        guess.address = "198.51.100.\(place)"
                        return try await guess.signIn(password: "guess \(place) \(number)").errorCode
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            // Told apart from a wrong password is only that a place asks too often, whatever account it asks about.
            #expect(told.isSubset(of: ["invalid_credentials", "server_error"]), "\(told)")
        }
        #expect(try await server.record(of: account)?.state == .active)
        _ = try await holder.signIn().code()
    }

    @Test("The fifth consecutive failure on a known device deactivates the wallet, and only that device learns of it")
    func knownDeviceDeactivates() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient()
        let holder = TestApp(client: client)
        let tokens = try await holder.becomeKnown()
        for _ in 0..<4 {
            #expect(try await holder.signIn(password: "a wrong one").errorCode == "invalid_credentials")
        }
        let refusal = try #require(try await holder.signIn(password: "a wrong one").refusal)
        #expect(refusal.errorCode == "wallet_deactivated")
        #expect(refusal.statusCode == 421)
        #expect(try await server.record(of: account)?.state == .deactivated)
        #expect(try await server.messages().contains { $0.kind == "wallet_deactivated" })
        // Its sessions end with it.
        let refresh = try #require(tokens.refreshToken)
        #expect(try await client.refresh(refresh, proof: holder.key).refusal == .invalidGrant)
        // The right password is not compared any more.
        #expect(try await holder.signIn().errorCode == "wallet_deactivated")
        #expect(try await TestApp(client: client).signIn().errorCode == "invalid_credentials")
    }

    @Test("A success in between resets the count of a known device")
    func consecutive() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<3 {
            for _ in 0..<4 { _ = try await holder.signIn(password: "a wrong one") }
            _ = try await holder.signIn().code()
        }
    }

    @Test("A reactivated wallet begins with a clean count")
    func reactivated() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let holder = TestApp(client: try await server.publicClient())
        try await holder.becomeKnown()
        for _ in 0..<5 { _ = try await holder.signIn(password: "a wrong one") }
        try await server.administer(.account(.reactivate(.username("ada", brand: nil))))
        // One failure fewer than those that deactivate it.
        for _ in 0..<4 { _ = try await holder.signIn(password: "a wrong one") }
        _ = try await holder.signIn().code()
    }

    @Test("A full queue says so, and counts no failure")
    func busy() async throws {
        let server = try await TestServer.start {
            $0.passwordHashing = PasswordHashing(memoryKiB: 64, passes: 1, concurrency: 1, queueLimit: 0)
        }
        let holder = TestApp(client: try await server.publicClient())
        let account = try await server.account()
        try await holder.becomeKnown()
        let slot = try #require(server.context.passwords.slot(for: .administrator))
        for _ in 0..<10 {
            let refusal = try #require(try await holder.signIn().refusal)
            #expect(refusal.status == 503)
            #expect(refusal.retryAfter != nil)
        }
        withExtendedLifetime(slot) {}
        #expect(try await server.record(of: account)?.state == .active)
        #expect(try await server.attempts().allSatisfy { $0.failures == 0 })
    }

    @Test("A hash of yesterday's cost is replaced at a sign-in, and the password goes on")
    func upgrade() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let old = try await server.record(of: account)?.password
        let stronger = try await server.restarted { $0.passwordHashing = PasswordHashing(memoryKiB: 128, passes: 2) }
        let app = TestApp(client: try await stronger.publicClient())
        _ = try await app.signIn().code()
        let record = try #require(try await stronger.record(of: account))
        #expect(record.password != old)
        #expect(record.securityVersion == 1)
        let phc = try #require(PasswordVerification(context: stronger.context).phc(of: record))
        #expect(phc.hasPrefix("$argon2id$v=19$m=128,t=2,p=1$"))
        _ = try await app.signIn().code()
    }

    @Test("A rotated pepper is taken at the next sign-in")
    func pepper() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        try await server.administer(.keys(.rotate(purpose: "pepper")))
        _ = try await app.signIn().code()
        let sealed = try #require(try await server.record(of: account)?.password)
        #expect(Sealing.keyID(of: sealed) == KeyID(2))
    }

    @Test("Without a proof, by a confidential client or one that is not first-party, nothing is compared")
    func clients() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let before = server.context.passwords.hashesComputed
        let app = TestApp(client: try await server.publicClient())
        let naked = PresentedProof(header: nil, method: "POST", path: Endpoints.authorizeChallenge.path)
        let outcome = try await app.signIn(proof: naked)
        guard case .invalid(.invalidDPoPProof) = outcome else {
            Issue.record("signed in without a proof: \(String(describing: outcome))")
            return
        }
        let third = TestApp(client: try await server.publicClient("third") { $0.firstParty = false })
        let found = try await third.signIn()
        guard case .invalid(.unauthorizedClient) = found else {
            Issue.record("signed in by a third party's client: \(String(describing: found))")
            return
        }
        #expect(server.context.passwords.hashesComputed == before)
    }

    @Test("The same proof is not taken twice, so a recorded sign-in cannot be replayed")
    func proofReplay() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let proof = try app.proof()
        _ = try await app.signIn(proof: proof).code()
        let answer = try await app.signIn(proof: proof)
        guard case .invalid(.invalidDPoPProof) = answer else {
            Issue.record("the proof was taken twice: \(String(describing: answer))")
            return
        }
    }

    @Test("A code is bound to the key that signed in: another app's key does not redeem it")
    func codeBoundToKey() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let code = try await TestApp(client: client).signIn().code()
        #expect(try await TestApp(client: client).redeem(code).refusal == .invalidGrant)
        #expect(
            try await client.token(.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)).refusal
                == .invalidGrant)
    }

    @Test("A security version raised between code and token opens nothing")
    func securityVersion() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        let code = try await app.signIn().code()
        try await server.administer(.account(.setPassword(.username("ada", brand: nil), password: "another phrase 9")))
        #expect(try await app.redeem(code).refusal == .invalidGrant)
    }

    @Test("Failures from one address slow that address down, whatever names it tries")
    func address() async throws {
        let server = try await TestServer.start { $0.lockout.addressFailures = 5 }
        _ = try await server.account()
        let client = try await server.publicClient()
        let holder = TestApp(client: client)
        try await holder.becomeKnown()
        for number in 0..<5 { _ = try await TestApp(client: client).signIn("nobody\(number)") }
        let refusal = try #require(try await TestApp(client: client).signIn().refusal)
        #expect(refusal.status == 429)
        #expect(refusal.retryAfter == 30)
        var elsewhere = TestApp(client: client)
        elsewhere.address = "203.0.113.9"
        _ = try await elsewhere.signIn().code()
        // The holder's known device behind the same address is not in the count of untrusted devices.
        _ = try await holder.signIn().code()
    }

    @Test("attack: guesses at many names from sixty-four networks of one /48 are slowed like those of a few")
    func site() async throws {
        let server = try await TestServer.start { $0.lockout.addressFailures = 5 }
        _ = try await server.account()
        let client = try await server.publicClient()
        let holder = client.app(inSubnet: 1)
        try await holder.becomeKnown()
        var slowed: [Bool] = []
        for number in 0..<64 {
            let refusal = try await client.app(inSubnet: number).signIn("nobody\(number)").refusal
            slowed.append(refusal?.status == 429)
        }
        // As many as four networks have.
        #expect(slowed == (0..<64).map { $0 >= 20 })
        server.clock.advance(by: .minutes(14))
        let held = try await client.app(inSubnet: 64).signIn("nobody64").refusal
        #expect(held?.retryAfter == 60)
        var elsewhere = TestApp(client: client)
        elsewhere.address = "2001:db8:2::1"
        _ = try await elsewhere.signIn().code()
        _ = try await holder.signIn().code()
    }

    @Test(
        "attack: someone with a whole /48 has the guesses of four networks in a quarter of an hour, and one for each /56"
    )
    func wholeSite() async throws {
        let server = try await TestServer.start { $0.lockout.addressFailures = 5 }
        let client = try await server.publicClient()
        var compared = 0
        // Two networks of each /56.
        for number in 0..<512 {
            let refusal = try await client.app(inSubnet: number * 128).signIn("nobody\(number)").refusal
            if refusal?.errorCode == "invalid_credentials" { compared += 1 }
        }
        // The first ten, twice each, and then every other one once.
        #expect(compared == 20 + 246)
    }

    @Test("attack: a home that keeps its /48 at the limit keeps no other /56 out, not even one where someone mistypes")
    func neighbors() async throws {
        let server = try await TestServer.start { $0.lockout.addressFailures = 5 }
        _ = try await server.account()
        let client = try await server.publicClient()
        for window in 0..<4 {
            for number in (window * 20)..<(window * 20 + 20) {
                let wrong = try await client.app(inSubnet: number).signIn("nobody\(number)")
                #expect(wrong.errorCode == "invalid_credentials")
            }
            let inside = try await client.app(inSubnet: 255).signIn().refusal
            #expect(inside?.status == 429)
            for _ in 0..<5 { _ = try await client.app(inSubnet: 0x100).signIn().code() }
            // A failure counts against the /56 until the quarter of an hour is over.
            _ = try await client.app(inSubnet: 0x200).signIn().code()
            let mistyped = try await client.app(inSubnet: 0x200).signIn(password: "a wrong one")
            let next = try await client.app(inSubnet: 0x201).signIn().refusal
            #expect(mistyped.errorCode == "invalid_credentials")
            #expect(next?.status == 429)
            server.clock.advance(by: .minutes(15))
        }
    }

    @Test("A /48 that is never quiet forgets: the failures of a day hold up no one the next morning")
    func busySite() async throws {
        let server = try await TestServer.start { $0.lockout.addressFailures = 5 }
        _ = try await server.account()
        let client = try await server.publicClient()
        for number in 0..<144 {
            if number.isMultiple(of: 6) { _ = try await client.app(inSubnet: number).signIn("nobody\(number)") }
            _ = try await client.app(inSubnet: 200).signIn().code()
            server.clock.advance(by: .minutes(10))
        }
        let wrong = try await client.app(inSubnet: 201).signIn("nobody")
        #expect(wrong.errorCode == "invalid_credentials")
        _ = try await client.app(inSubnet: 202).signIn().code()
    }

    @Test(
        "An IPv4 address is counted as it is, an IPv6 address by its /64, its /56 and its /48",
        arguments: [
            ("192.0.2.1", ["192.0.2.1"]), ("::ffff:192.0.2.1", ["192.0.2.1"]),
            ("2001:db8:1:2:3:4:5:6", ["2001:db8:1:2::/64", "2001:db8:1::/56", "2001:db8:1::/48"]),
            ("2001:0db8:0001:abcd::9", ["2001:db8:1:abcd::/64", "2001:db8:1:ab00::/56", "2001:db8:1::/48"]),
            ("::1", ["::/64", "::/56", "::/48"]), ("unknown", [""]),
        ])
    func networks(address: String, names: [String]) {
        #expect(RequestOrigin(address: address).networks.map { $0.name } == names)
    }
}

extension TestClient {
    /// A new app in a network of `2001:db8:1::/48`.
    func app(inSubnet subnet: Int) -> TestApp {
        var app = TestApp(client: self)
        app.address = "2001:db8:1:\(String(subnet, radix: 16))::1"
        return app
    }
}

extension TestServer {
    /// Every failure counter.
    func attempts() async throws -> [(tries: Int64, failures: Int64)] {
        try await context.database.read { connection in
            try connection.query("SELECT tries, failures FROM attempts LIMIT 1000", [])
                .map { (try $0.integer("tries"), try $0.integer("failures")) }
        }
    }
}

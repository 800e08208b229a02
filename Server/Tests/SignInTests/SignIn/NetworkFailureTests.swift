import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite(
    "Failures counted by network", .threat("Password guessing", "Locking the holder out"),
    .covers("a /48 of IPv6 at its limit holds up no other /56"))
struct NetworkFailureTests {
    @Test("Failures from one address slow that address down, whatever names it tries")
    func address() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
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

    @Test("An IPv4 address that is never quiet forgets: fifty people who mistype over a day hold up no one")
    func busyAddress() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        for number in 0..<60 {
            let wrong = try await TestApp(client: client).signIn("nobody\(number)")
            #expect(wrong.errorCode == "invalid_credentials")
            server.clock.advance(by: .minutes(10))
        }
        _ = try await TestApp(client: client).signIn().code()
    }

    @Test("attack: someone who keeps guessing makes new devices behind the address wait five minutes at most")
    func longestWait() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
        _ = try await server.account()
        let client = try await server.publicClient()
        for number in 0..<5 { _ = try await TestApp(client: client).signIn("nobody\(number)") }
        var waits: [Int64] = []
        var passed: Int64 = 0
        while passed < 14 * 60 {
            let wait = try #require(try await TestApp(client: client).signIn().refusal?.retryAfter)
            waits.append(wait)
            passed += wait
            server.clock.advance(by: .seconds(wait))
            let guess = try await TestApp(client: client).signIn("nobody")
            #expect(guess.errorCode == "invalid_credentials")
        }
        // The last one ends with the quarter of an hour.
        #expect(waits == [30, 60, 120, 240, 300, 150])
        server.clock.advance(by: .seconds(1))
        _ = try await TestApp(client: client).signIn().code()
    }

    @Test("In a network that is called crowded, each address has the failures of a crowd, and others have not")
    func crowdedNetwork() async throws {
        let server = try await TestServer.start {
            $0.lockout.network.failures = 2
            $0.lockout.network.crowdFactor = 4
            $0.lockout.network.crowded = ["100.64.0.0/10"].compactMap(AddressRange.init)
        }
        let client = try await server.publicClient()
        for (address, allowed) in [("100.64.7.9", 8), ("100.64.7.10", 8), ("192.0.2.9", 2)] {
            var app = TestApp(client: client)
            app.address = address
            for number in 0..<allowed {
                #expect(try await app.signIn("nobody\(number)").errorCode == "invalid_credentials")
            }
            #expect(try await app.signIn("another").refusal?.status == 429)
        }
    }

    @Test("The page says that the network has to wait, and a browser in which the person signed in before does not")
    func page() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
        _ = try await server.account()
        let client = try await server.bearerClient()
        let holder = TestBrowser(server)
        _ = try await holder.signIn(client.request()).code()
        holder.cookies.session = nil
        let other = TestBrowser(server)
        for number in 0..<5 { _ = try await other.signIn(client.request(), "nobody\(number)").page() }
        let held = try await other.signIn(client.request()).page()
        #expect(held.notice == .networkHeld(retryAfter: 30))
        #expect(held.step == .credentials(username: "ada"))
        _ = try await holder.signIn(client.request()).code()
    }

    @Test("attack: guesses at many names from sixty-four networks of one /48 are slowed like those of a few")
    func site() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
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
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
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
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
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
        let server = try await TestServer.start { $0.lockout.network.failures = 5 }
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

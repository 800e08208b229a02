import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("How long the sign-in page says that passwords are refused", .threat("Account enumeration"))
struct SlowingTests {
    /// The waits that the page names after each of some wrong passwords.
    private func waits(
        _ username: String, steps: [Duration], on server: TestServer, _ client: TestClient
    ) async throws -> (page: SignInPage, browser: TestBrowser, waits: [Int64?]) {
        let browser = TestBrowser(server)
        var page = try await browser.open(client.request()).page()
        var waits: [Int64?] = []
        for step in steps {
            server.clock.advance(by: step)
            page = try await browser.submit(
                page, .signIn(username: username, password: Password("a wrong one"))
            ).page()
            waits.append(page.slowedFor)
        }
        return (page, browser, waits)
    }

    @Test("The wait is the one after which the right password signs in, and the same for a name without an account")
    func waits() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        let free = [Duration](repeating: .zero, count: 5)
        let steps = free + [.seconds(10), .seconds(21), .seconds(61)]
        let expected: [Int64?] = [nil, nil, nil, nil, 30, 20, 60, 120]
        let unknown = try await waits("zoe", steps: steps, on: server, client)
        #expect(unknown.waits == expected)
        let known = try await waits("ada", steps: steps, on: server, client)
        #expect(known.waits == expected)
        server.clock.advance(by: .seconds(119))
        let right = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        let early = try await known.browser.submit(known.page, right).page()
        #expect(early.slowedFor == 1)
        #expect(try await known.browser.load(known.page).page().slowedFor == 1)
        server.clock.advance(by: .seconds(2))
        #expect(try await known.browser.load(known.page).page().slowedFor == nil)
        _ = try await known.browser.submit(early, right).code()
    }

    @Test("Another name starts a count of its own")
    func otherName() async throws {
        let server = try await TestServer.start()
        let client = try await server.publicClient()
        let tried = try await waits("zoe", steps: [Duration](repeating: .zero, count: 5), on: server, client)
        #expect(tried.waits.last == 30)
        let other = try await tried.browser.submit(
            tried.page, .signIn(username: "yan", password: Password("a wrong one"))
        ).page()
        #expect(other.slowedFor == nil)
    }

    private func wait(
        _ username: String, _ password: String, in browser: TestBrowser, _ client: TestClient
    ) async throws -> Int64? {
        let page = try await browser.open(client.request()).page()
        return try await browser.submit(page, .signIn(username: username, password: Password(password))).page()
            .slowedFor
    }

    @Test(
        "A page that is opened afterwards, here or in another browser, names the wait too, even for the right password")
    func openedAgain() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        for username in ["zoe", "ada"] {
            let tried = try await waits(username, steps: [Duration](repeating: .zero, count: 5), on: server, client)
            #expect(try await wait(username, "correct horse battery", in: tried.browser, client) == 30, "\(username)")
            #expect(
                try await wait(username, "correct horse battery", in: TestBrowser(server), client) == 30, "\(username)")
            #expect(try await wait(username, "a wrong one", in: TestBrowser(server), client) == 30, "\(username)")
        }
    }

    @Test("attack: a wait does not say which names are one account's, nor that its holder signed in meanwhile")
    func saysNothing() async throws {
        let server = try await TestServer.start()
        _ = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        _ = try await server.account("grace")
        let client = try await server.publicClient()
        let free = [Duration](repeating: .zero, count: 5)
        _ = try await waits("ada", steps: free, on: server, client)
        #expect(try await wait("ada@example.com", "a wrong one", in: TestBrowser(server), client) == nil)

        _ = try await waits("grace", steps: Array(free.dropLast()), on: server, client)
        _ = try await TestBrowser(server).signIn(client.request(), "grace").code()
        #expect(try await wait("grace", "a wrong one", in: TestBrowser(server), client) == 30)
    }

    @Test("A browser that the account knows is announced no wait: its attempts are counted apart")
    func knownBrowser() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        let known = TestBrowser(server)
        _ = try await known.signIn(client.request()).code()
        known.cookies.session = nil
        _ = try await waits("ada", steps: [Duration](repeating: .zero, count: 5), on: server, client)
        #expect(try await wait("ada", "a wrong one", in: known, client) == nil)
        _ = try await known.signIn(client.request()).code()
    }
}

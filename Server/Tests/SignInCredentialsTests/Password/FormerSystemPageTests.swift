import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("The hosted page while a former system is asked for passwords", .covers("account import"))
struct FormerSystemPageTests {
    @Test(
        "While the former system is down, the page says so for every name and asks again; afterwards it says what is wrong"
    )
    func down() async throws {
        let (old, waits) = (FormerSystem(), RecordedWaits())
        let server = try await TestServer.start(providers: old.http) { $0.adoption = waits.timing() }
        _ = try await server.account()
        let client = try await server.bearerClient()
        try await server.administer([
            "provider", "add", "repository", "old", "--endpoint", FormerSystem.verify, "--adopt-passwords", "--until",
            "2027-01-20",
        ])
        old.fail()
        for name in ["ada", "eve"] {
            let page = try await TestBrowser(server).signIn(client.request(), name, password: "a wrong one").page()
            #expect(page.notice == .unavailable(retryAfter: PasswordAdoption.retryAfter))
            #expect(page.step == .credentials(username: name))
        }
        _ = try await TestBrowser(server).signIn(client.request()).redirect()
        old.fail(false)
        let page = try await TestBrowser(server).signIn(client.request(), password: "a wrong one").page()
        #expect(page.notice == .invalidCredentials)
    }

    @Test("The wait after an outage is the same for a name without an account and for a person who has not moved yet")
    func waitAfterOutage() async throws {
        let (old, waits) = (FormerSystem(), RecordedWaits())
        let server = try await TestServer.start(providers: old.http) { $0.adoption = waits.timing() }
        let client = try await server.bearerClient()
        let line = JSONObject(strings: ["username": "ada", "externalId": "7"])
        #expect(try await server.importBatch([line], ["--first"]).importCounts() == [1, 0, 0])
        try await server.administer([
            "provider", "add", "repository", "old", "--endpoint", FormerSystem.verify, "--adopt-passwords", "--until",
            "2027-01-20",
        ])
        old.fail()
        for name in ["ada", "eve"] {
            for _ in 0..<4 {
                let page = try await TestBrowser(server).signIn(client.request(), name, password: "a wrong one").page()
                #expect(page.notice == .unavailable(retryAfter: PasswordAdoption.retryAfter), "\(name)")
            }
        }
        old.fail(false)
        for name in ["ada", "eve"] {
            let page = try await TestBrowser(server).signIn(client.request(), name, password: "a wrong one").page()
            #expect(page.notice == .invalidCredentials && page.slowedFor == 30, "\(name)")
        }
    }
}

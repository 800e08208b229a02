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
}

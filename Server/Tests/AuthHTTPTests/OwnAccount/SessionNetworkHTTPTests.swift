import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import SignIn

@Suite("From where a session was last used, on pages")
struct SessionNetworkHTTPTests {
    private static let network = "127.0.0.0/24"

    @Test(
        "After a sign-in on the account's page it says from where the other sessions were used, to a cookie alone it does not"
    )
    func accountPage() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                try await server.makeAccount("maria")
                var (other, own) = (BrowserOverHTTP(client: client), BrowserOverHTTP(client: client))
                _ = try await other.signIn()
                let page = try await own.signIn()
                #expect(page.text.contains("Network \(Self.network)"), "\(page.text)")
                let again = try await own.open(BrowserOverHTTP.accountPage)
                #expect(again.text.contains("Where you’re signed in") && !again.text.contains(Self.network))
                let listed = try await server.execute(["session", "list", "maria"]).document()["sessions"]?.array
                #expect(listed?.map { $0.object?["network"]?.string } == [Self.network, Self.network])
            }
        }
    }

    @Test("The console shows it to an owner and not to support, which learns nothing of where people are")
    func console() async throws {
        for (role, isShown) in [(["owner", "--all-brands"], true), (["support"], false)] {
            try await TestServer.use(settings: { $0.adminConsole = true }) { server in
                try await server.serve { client in
                    try await server.makeReachable("ada")
                    try await server.makeAccount("maria")
                    try await server.execute(AdminRequest(["operator", "grant", "ada", "--role"] + role))
                    var maria = BrowserOverHTTP(client: client)
                    _ = try await maria.signIn()
                    var console = ConsoleOverHTTP(server: server, browser: BrowserOverHTTP(client: client))
                    let id = try await console.id(of: "maria")
                    let page = try await console.signIn("/admin/account?id=\(id)")
                    #expect(page.hasButton("session_end"), "\(page.text)")
                    #expect(page.text.contains(Self.network) == isShown, "\(role)")
                }
            }
        }
    }
}

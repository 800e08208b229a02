import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("A signed-in browser and a redirect to loopback", .threat("Silent sign-in to a local listener"))
struct SilentLoopbackTests {
    @Test("Any program can listen on loopback: there a signed-in person is asked, and prompt=none is refused")
    func silentLoopback() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient { $0.redirectURIs = ["http://127.0.0.1/callback"] }
        let browser = TestBrowser(server)
        let request = try client.request { $0["redirect_uri"] = "http://127.0.0.1:5000/callback" }
        _ = try await browser.signIn(request).code()
        let page = try await browser.open(request).page()
        #expect(page.step == .confirmation(username: "ada"))
        _ = try await browser.submit(page, .confirm).code()
        let none = try client.request {
            $0["redirect_uri"] = "http://127.0.0.1:5000/callback"
            $0["prompt"] = "none"
        }
        #expect(try await browser.open(none).redirect()["error"] == "interaction_required")
    }

    @Test(
        "attack: a program on loopback gets a code of a client with a secret silently, to bring it to the real client")
    func silentLoopbackOfBackend() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.confidentialClient { $0.redirectURIs = ["http://127.0.0.1:5000/callback"] }
        let browser = TestBrowser(server)
        func request(_ prompt: String?) throws -> FormParameters {
            try client.request {
                $0["redirect_uri"] = "http://127.0.0.1:5000/callback"
                $0["prompt"] = .some(prompt)
            }
        }
        _ = try await browser.signInAndAllow(request(nil))
        #expect(try await browser.open(request("none")).redirect()["error"] == "interaction_required")
        let page = try await browser.open(request(nil)).page()
        guard case .confirmation = page.step else {
            Issue.record("another page: \(page.step)")
            return
        }
    }
}

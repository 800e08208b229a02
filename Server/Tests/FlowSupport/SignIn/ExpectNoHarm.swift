package import Testing
package import WalletAuthWire

@testable import Kernel
@testable import SignIn

extension TestApp {
    /// Six wrong passwords: a known key deactivates the wallet with the fifth.
    package func expectNoHarm(to account: AccountID, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<6 {
            let code = try await signIn(password: "a wrong one").errorCode
            #expect(code == "invalid_credentials", sourceLocation: sourceLocation)
        }
        let state = try await client.server.record(of: account)?.state
        #expect(state == .active, sourceLocation: sourceLocation)
    }
}

extension TestBrowser {
    /// Six wrong passwords: a known browser deactivates the wallet with the fifth.
    package func expectNoHarm(
        at client: TestClient, to account: AccountID, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<6 {
            let page = try await signIn(client.request(), password: "a wrong one").page()
            #expect(page.notice == .invalidCredentials, sourceLocation: sourceLocation)
        }
        let state = try await client.server.record(of: account)?.state
        #expect(state == .active, sourceLocation: sourceLocation)
    }
}

import Core
import Store
package import TestSupport
import Testing
package import WalletAuthWire

@testable import Kernel
@testable package import SignIn

extension SoftwarePasskey.Page {
    /// The server's own pages.
    package static let own = SoftwarePasskey.Page(relyingParty: "auth.example.com", origin: "https://auth.example.com")
}

/// What a browser does with passkeys.
extension TestBrowser {
    /// Signs in on the account's page by password and code, and opens the passkeys.
    package func openPasskeys(_ username: String = "ada") async throws -> AccountPage {
        server.clock.advance(by: .milliseconds(1))
        let asked = try await openAccount()
        let overview =
            if case .account(let page) = asked { page } else { try await signIn(on: asked.page(), username) }
        switch try await press(.managePasskeys, on: overview) {
        case .account(let page): return page
        case let other: return try await passkeys(behind: other.page(), username)
        }
    }

    /// Signs in once more, and arrives at the passkeys.
    package func passkeys(behind page: SignInPage, _ username: String = "ada") async throws -> AccountPage {
        server.clock.advance(by: .seconds(31))
        return try await signIn(on: page, username)
    }

    /// Adds a passkey as a person does.
    package func add(_ passkey: inout SoftwarePasskey, called name: String = "Laptop", for username: String = "ada")
        async throws
        -> AccountPage
    {
        let page = try await openPasskeys(username)
        let creation = try #require(page.passkeys?.creation)
        passkey.userHandle = creation.userHandle
        let made = try passkey.register(creation.challenge, on: .own)
        return try await press(.changePasskeys(.add(made, name: name)), on: page).accountPage()
    }

    /// Signs in to an app with a passkey.
    package func signIn(
        to client: TestClient, with passkey: SoftwarePasskey, on site: SoftwarePasskey.Page = .own
    ) async throws -> AuthorizationAnswer.Outcome {
        let page = try await open(client.request()).page()
        let options = try #require(page.passkey)
        return try await submit(page, .usePasskey(passkey.use(options.challenge, on: site)))
    }
}

extension AccountPage {
    /// The passkeys on it; `nil` where none are.
    package var passkeys: PasskeyOverview? {
        if case .passkeys(let management) = step { management } else { nil }
    }
}

extension TestServer {
    /// An account with an e-mail address and a passkey that is past its cooling period.
    package func settledPasskey(_ username: String = "ada", _ algorithm: PasskeyAlgorithm = .es256) async throws
        -> SoftwarePasskey
    {
        _ = try await reachableAccount(username)
        var passkey = try SoftwarePasskey(algorithm)
        let page = try await TestBrowser(self).add(&passkey, for: username)
        try #require(page.notice == .passkeyAdded)
        clock.advance(by: .hours(24))
        return passkey
    }

    /// What the row of the only passkey says of its counter.
    package func passkeyCounter() async throws -> Int64? {
        try await context.database.read { try $0.row("SELECT counter FROM passkeys", [])?.integer("counter") }
    }
}

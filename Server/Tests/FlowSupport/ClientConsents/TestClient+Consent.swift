import Store
import Testing
package import WalletAuthWire

@testable import Kernel
@testable package import Operations
@testable package import SignIn

extension TestClient {
    /// Has a person allow this client something, as the consent page does.
    /// - Returns: the consent's id; `nil` for a first-party client, which needs none.
    @discardableResult
    package func allow(_ scope: String, by account: AccountID) async throws -> [UInt8]? {
        let now = server.clock.now()
        let client = try #require(try await server.context.clients.find(id, now: now))
        guard !client.isFirstParty else { return nil }
        let owner = try #require(UniqueID(bytes: account.bytes))
        let (made, name) = (try server.context.random.uniqueID(), id.rawValue)
        return try await server.context.database.write { connection in
            let seen = try ClientConsentRecords.find(owner, to: name, on: connection)
            let together = try Scope(tokens: Scope(seen?.scope ?? "").tokens + Scope(scope).tokens)
            let consent = ClientConsentRecord(
                accountID: owner, clientID: name, id: seen?.id ?? made, scope: together.rawValue,
                grantedAt: seen?.grantedAt ?? now, changedAt: now)
            let version = try Accounts.find(owner, on: connection)?.securityVersion ?? 0
            try #require(
                try ClientConsentRecords.remember(
                    consent, replacing: seen, accountVersion: version, on: connection))
            return consent.id.bytes
        }
    }
}

extension TestServer {
    /// Registers an app that is not the operator's own.
    package func relyingApp(
        _ id: String = "aurora", _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> TestClient {
        try await publicClient(id) {
            $0.name = "Aurora"
            $0.firstParty = false
            $0.scopes.append("phone")
            adjust(&$0)
        }
    }

    /// The ids of the clients that have a consent.
    package func consents() async throws -> [String] {
        try await context.database.read { connection in
            try connection.query("SELECT client_id FROM client_consents ORDER BY client_id", [])
                .map { try $0.text("client_id") }
        }
    }

    /// What the audit log says of consents, the oldest first.
    package func consentEvents() async throws -> [String] {
        try await context.database.read { connection in
            try connection.query(
                "SELECT kind FROM security_events WHERE kind LIKE 'client_consent.%' ORDER BY occurred_at, id", []
            ).map { try $0.text("kind") }
        }
    }
}

extension SignInPage {
    /// What is asked to be allowed; `nil` on any other page.
    package var consent: ClientConsentRequest? {
        if case .clientConsent(let request) = step { request } else { nil }
    }
}

extension TestBrowser {
    /// Signs in at an app by password, and allows what it asks for.
    package func signInAndAllow(
        _ form: FormParameters, _ username: String = "ada"
    ) async throws -> AuthorizationCode {
        let page = try await signIn(form, username).page()
        try #require(page.consent != nil, "no consent is asked for: \(page.step)")
        return try await submit(page, .allow).code()
    }
}

extension AccountPage {
    /// The apps with access, on their own page.
    package var apps: [ClientAccess]? {
        if case .clientConsents(let apps) = step { apps } else { nil }
    }
}

import Core
import Store
import Testing
package import WalletAuthWire

@testable package import Kernel
@testable import Operations
@testable package import SignIn

extension TestServer {
    package static let pin = "804613"
    package static let wrongPIN = "170395"

    /// A server that takes PINs, an app whose page can ask for one, and an account that has it.
    /// - Parameters:
    ///   - adjust: changes the server's settings.
    ///   - person: makes the account; by default ada, whom no code reaches.
    package static func withPIN(
        _ adjust: (inout ServerSettings) -> Void = { _ in },
        of person: (TestServer) async throws -> AccountID = { try await $0.account() }
    ) async throws -> (TestServer, TestClient, AccountID) {
        let server = try await TestServer.start(adjust)
        let account = try await person(server)
        try await server.offerPINs()
        try await server.setPIN(of: account)
        return (server, try await server.bearerClient(), account)
    }

    /// Turns PINs on, or off again.
    package func offerPINs(_ isOn: Bool = true) async throws {
        try await administer(["brand", "update", "default", "--account-pin", isOn ? "on" : "off"])
    }

    /// Gives an account a PIN, as if its page had.
    /// - Parameter cooling: for how long it counts for no payment.
    package func setPIN(
        _ pin: String = TestServer.pin, of account: AccountID, coolingFor cooling: Duration = .zero
    ) async throws {
        let id = try #require(UniqueID(bytes: account.bytes))
        let slot = try #require(context.passwords.slot(for: .administrator))
        let hash = try await flows.signIn.accountPINs
            .sealedHash(of: AccountPIN(pin), account: id, in: slot)
        let version = try context.random.uniqueID()
        let now = clock.now()
        let isSet = try await context.database.write { connection in
            let former = try AccountPINs.find(id, on: connection)?.version
            return try AccountPINs.set(
                id, version: version, hash: hash, replacing: former, coolingUntil: now + cooling, now: now,
                on: connection)
        }
        try #require(isSet)
    }

    /// The row of an account's PIN.
    package func pinRecord(of account: AccountID) async throws -> AccountPINRecord? {
        let id = try #require(UniqueID(bytes: account.bytes))
        return try await context.database.read { try AccountPINs.find(id, on: $0) }
    }

    /// How many messages of a kind were sent.
    package func told(_ kind: String) async throws -> Int { try await messages().count { $0.kind == kind } }

    /// The methods of the newest session.
    package func newestMethods() async throws -> String? {
        try await context.database.read {
            try $0.row("SELECT amr FROM sessions ORDER BY created_at DESC, id DESC LIMIT 1", [])?.text("amr")
        }
    }
}

extension TestClient {
    /// A request whose page asks for the PIN.
    package func requestByPIN(_ adjust: (inout [String: String?]) -> Void = { _ in }) throws -> FormParameters {
        try request {
            $0["login_strategy"] = "PIN"
            adjust(&$0)
        }
    }
}

extension TestBrowser {
    /// Opens the endpoint and types a PIN.
    package func signIn(
        _ form: FormParameters, byPIN pin: String, _ username: String = "ada"
    ) async throws -> AuthorizationAnswer.Outcome {
        try await submit(open(form).page(), .signInInstead(username: username, .accountPIN(AccountPIN(pin))))
    }

    /// Opens the page of the PIN, behind a sign-in by the password.
    package func openPIN(_ username: String = "ada") async throws -> AccountPage {
        server.clock.advance(by: .milliseconds(1))
        let opened = try await openAccount()
        let overview: AccountPage
        if case .account(let page) = opened {
            overview = page
        } else {
            overview = try await arrive(typePassword(on: opened.page(), username))
        }
        let outcome = try await press(.managePIN, on: overview)
        if case .account(let page) = outcome { return page }
        server.clock.advance(by: .seconds(31))
        return try await arrive(typePassword(on: outcome.page(), username))
    }

    /// Sets a PIN as a person does.
    package func setPIN(_ pin: String = TestServer.pin, for username: String = "ada") async throws -> AccountPage {
        let page = try await openPIN(username)
        return try await press(.changePIN(.set(.success(AccountPIN(pin)))), on: page).accountPage()
    }

    /// The account's page behind a sign-in, past the second factor where one is asked for.
    package func arrive(_ outcome: AuthorizationAnswer.Outcome) async throws -> AccountPage {
        guard case .page(let asked) = outcome else { return try outcome.accountPage() }
        return try await press(.answerFactor(Password(server.sentCode())), on: asked).accountPage()
    }
}

extension AccountPage {
    /// The state of the PIN, if the page is that of the PIN.
    package var pin: AccountPINOverview? {
        if case .pin(let management) = step { management } else { nil }
    }
}

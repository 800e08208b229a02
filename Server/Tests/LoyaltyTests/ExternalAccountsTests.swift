import Core
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite("External accounts linked and unlinked later", .covers("POST enrollment/editExternalAccounts.json"))
struct ExternalAccountsTests {
    private static let password = "correct horse battery"

    /// A guest with a password and no link, and the token of their fresh sign-in.
    private func signedIn(
        _ integrator: Integrator, username: String = "ada"
    ) async throws -> AccessToken {
        try await integrator.token(.password(username: username, Password(Self.password))).get().tokens.accessToken
    }

    private func server() async throws -> (LoyaltyServer, Integrator) {
        let server = try await LoyaltyServer.start()
        try await server.administer {
            try await AccountAdministration($0).create(AccountRegistration(username: "ada", password: Self.password))
        }
        return (server, try await server.integrator { $0.guestPasswords = true })
    }

    private func links(_ server: LoyaltyServer) async throws -> Int64 {
        try await server.rows(of: "federated_identities")
    }

    @Test("A guest with a password links Apple, signs in with it from then on, and unlinks it again")
    func linked() async throws {
        let (server, integrator) = try await server()
        let token = try await signedIn(integrator)
        let change = try integrator.linking("sub-1", with: token)
        #expect(try await integrator.edit(change).code == nil)
        // Its response was lost: the code is spent, and nothing is refused.
        #expect(try await integrator.edit(change).code == nil)
        #expect(server.vendor.redeemed.count == 1)
        #expect(try await links(server) == 1)
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "ada")
        let removal = try integrator.unlinking(with: try await signedIn(integrator))
        #expect(try await integrator.edit(removal).code == nil)
        #expect(try await links(server) == 0)
        #expect(try await integrator.edit(removal).code == .externalAccountNotLinked)
        #expect(try await integrator.signIn("sub-1").code == .noMatchingGuest)
        let exported = try await server.administer(["account", "export", "ada"])
        let kinds = exported["events"]?.array?.compactMap { $0.object?["event"]?.string } ?? []
        #expect(kinds.contains("identity.linked") && kinds.contains("identity.unlinked"))
    }

    @Test("The last way to sign in stays: a guest without a password cannot unlink the only account")
    func lastOne() async throws {
        let (server, integrator) = try await server()
        try await server.guest("sub-1", username: "bob")
        let token = try await integrator.signIn("sub-1").get().tokens.accessToken
        #expect(try await integrator.edit(integrator.unlinking(with: token)).code == .lastSignInMethod)
        // Another link makes it possible, and of several the request names one.
        #expect(try await integrator.edit(integrator.linking("sub-2", with: token)).code == nil)
        let ambiguous = try await integrator.edit(integrator.unlinking(with: token)).failure
        #expect(ambiguous?.fields == [LoyaltyFieldError("accountCode", .required)])
        #expect(try await integrator.edit(integrator.unlinking("sub-9", with: token)).code == .externalAccountNotLinked)
        #expect(try await integrator.edit(integrator.unlinking("sub-1", with: token)).code == nil)
        #expect(try await integrator.signIn("sub-2").get().tokens.username == "bob")
    }

    @Test(
        "attack: an account that is linked to another guest is not moved, and its code is not redeemed",
        .threat("Integrators' backends"))
    func othersLink() async throws {
        let (server, integrator) = try await server()
        try await server.guest("sub-1", username: "bob")
        let change = try integrator.linking("sub-1", with: try await signedIn(integrator))
        #expect(try await integrator.edit(change).code == .externalAccountLinked)
        #expect(server.vendor.redeemed.isEmpty)
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "bob")
    }

    @Test("attack: another person's code, a spent one, and one's own code with another's token link nothing")
    func othersCode() async throws {
        let (server, integrator) = try await server()
        let token = try await signedIn(integrator)
        let mixed = try integrator.linking("sub-1", with: token, code: server.vendor.code(of: "sub-2"))
        #expect(try await integrator.edit(mixed).code == .externalAccountMismatch)
        #expect(
            try await integrator.edit(integrator.linking("sub-1", with: token, code: "made-up")).code
                == .externalCodeRefused)
        #expect(try await links(server) == 0)
    }

    @Test(
        "attack: a backend changes a guest's links only with the token of its own, fresh and living session of that guest"
    )
    func tokens() async throws {
        let (server, integrator) = try await server()
        let other = try await server.integrator("other") { $0.guestPasswords = true }
        let token = try await signedIn(other)
        #expect(try await integrator.edit(integrator.linking("sub-1", with: token)).code == .invalidAccessToken)
        let forged = try AccessToken("eyJhbGciOiJub25lIn0.e30.AAAA")
        #expect(try await integrator.edit(integrator.linking("sub-1", with: forged)).code == .invalidAccessToken)
        let own = try await signedIn(integrator)
        let elsewhere = try integrator.linking("sub-1", with: own, merchant: 5)
        #expect(try await integrator.edit(elsewhere).code == .unknownMerchant)
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another horse battery"))
        #expect(try await integrator.edit(integrator.linking("sub-1", with: own)).code == .invalidAccessToken)
        #expect(server.vendor.redeemed.isEmpty)
        #expect(try await links(server) == 0)
    }

    @Test("attack: a session of hours ago, renewed since, changes no link: the guest signs in again")
    func oldSession() async throws {
        let (server, integrator) = try await server()
        let first = try await integrator.token(.password(username: "ada", Password(Self.password))).get()
        server.clock.advance(by: .hours(2))
        let renewed = try await integrator.token(.refreshToken(first.tokens.refreshToken)).get().tokens.accessToken
        #expect(try await integrator.edit(integrator.linking("sub-1", with: renewed)).code == .loginRequired)
        #expect(server.vendor.redeemed.isEmpty)
    }

    @Test("attack: a stolen sign-in with Apple changes no link of an account with a second factor")
    func secondFactor() async throws {
        let (server, integrator) = try await server()
        let account = try await server.guest("sub-1", username: "bob")
        let token = try await integrator.signIn("sub-1").get().tokens.accessToken
        try await server.administer(
            ["account", "set-phone", "--account", account.uuid, "--phone", "+35921234567", "--verified"])
        let refused = try await integrator.edit(integrator.linking("sub-2", with: token))
        #expect(refused.code == .secondFactorRequired)
    }

    @Test("A request names exactly one account to link or to unlink, by a guest's token")
    func messages() throws {
        let integration = try IntegrationID("apple")
        let token = try AccessToken("at-1")
        let added = ExternalAccount(
            integration: integration, code: try ExternalAccountCode("001234.0a1b.0456"),
            accessToken: try AuthorizationCode("code"))
        let changes: [(String, ExternalAccountsChange.Change)] = [
            (#""removeExternalAccounts":[{"integration":"apple"}]"#, .remove(integration, subject: nil)),
            (
                #""removeExternalAccounts":[{"integration":"apple","accountCode":"001234.0a1b.0456"}]"#,
                .remove(integration, subject: "001234.0a1b.0456")
            ),
            (
                #""addExternalAccounts":[{"integration":"apple","accessToken":"code","accountCode":"001234.0a1b.0456"}]"#,
                .add(added)
            ),
        ]
        for (text, change) in changes {
            let body = #"{"authentication":"oauth","access_token":"at-1","merchantId":1,\#(text)}"#
            #expect(
                try ExternalAccountsChange(JSONValue.object(parsing: Array(body.utf8)))
                    == ExternalAccountsChange(merchantID: 1, accessToken: token, change: change))
        }
        func code(_ body: String) -> LoyaltyErrorCode? {
            do {
                _ = try ExternalAccountsChange(JSONValue.object(parsing: Array(body.utf8)))
                return nil
            } catch { return (error as? LoyaltyFailure)?.code }
        }
        let head = #"{"authentication":"oauth","access_token":"at-1","merchantId":1"#
        let removal = #"{"integration":"apple"}"#
        #expect(code(#"\#(head),"removeExternalAccounts":[\#(removal)]}"#) == nil)
        #expect(code(#"\#(head),"removeExternalAccounts":[\#(removal),\#(removal)]}"#) == .invalidFields)
        #expect(code(#"\#(head),"removeExternalAccounts":[7]}"#) == .invalidFields)
        #expect(code("\(head)}") == .invalidFields)
        #expect(code(#"\#(head),"username":"ada","removeExternalAccounts":[\#(removal)]}"#) == .invalidRequest)
        let alone = #"{"authentication":"b2b","merchantId":1,"removeExternalAccounts":[\#(removal)]}"#
        #expect(code(alone) == .unsupportedAuthentication)
    }
}

extension Integrator {
    func linking(
        _ subject: String, with token: AccessToken, code: String? = nil, merchant: Int64 = LoyaltyServer.merchant
    ) throws -> ExternalAccountsChange {
        let account = ExternalAccount(
            integration: try IntegrationID(LoyaltyServer.integration),
            code: try ExternalAccountCode(server.vendor.token(of: subject, issuedAt: server.clock.now())),
            accessToken: try AuthorizationCode(code ?? server.vendor.code(of: subject)))
        return ExternalAccountsChange(merchantID: merchant, accessToken: token, change: .add(account))
    }

    func unlinking(_ subject: String? = nil, with token: AccessToken) throws -> ExternalAccountsChange {
        ExternalAccountsChange(
            merchantID: LoyaltyServer.merchant, accessToken: token,
            change: .remove(try IntegrationID(LoyaltyServer.integration), subject: subject))
    }

    func edit(_ change: ExternalAccountsChange) async throws -> Result<Void, LoyaltyFailure> {
        try await server.loyalty.externalAccounts.edit(change, call: call())
    }
}

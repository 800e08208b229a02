import Core
import FlowSupport
import Operations
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel

@Suite("What an account's export covers", .covers("account export (GDPR articles 15 and 20)"))
struct AccountExportTests {
    /// The members of the export that contain the rows of each table.
    private static let members = [
        "account_names": "usernames", "account_pins": "pin", "browser_sessions": "browserSessions",
        "client_consents": "clientConsents", "devices": "devices",
        "federated_identities": "identities", "merchant_employees": "merchants", "operators": "operator",
        "passkeys": "passkeys", "provisioned_accounts": "directories",
        "security_events": "events", "sessions": "sessions", "trusted_payees": "trustedPayees",
        "wallet_operations": "walletOperations",
    ]

    /// The tables that the export leaves out, and why.
    private static let omitted = [
        "account_closings": "when an account is erased that its holder closed, and the digest of a secret",
        "account_digests": "digests of the addresses and names",
        "account_information_consents": "the consents are among the operations",
        "contact_changes": "an address or number that waits minutes for its code",
        "device_grants": "they end within minutes; what the person decided is among the events",
        "device_tokens": "digests of secrets; what the person decided is among the events",
        "foreign_tokens": "digests of secrets; the exchange is among the events",
        "imported_grants": "that an employment or a consent was imported once; both are in the export while they last",
        "login_nonces": "digests that are good for a minute",
        "loyalty_accounts": "`LoyaltyFlows` exports them",
        "loyalty_enrollments": "they end within a day; the result is the loyalty account",
        "open_factors": "a sign-in that is under way",
        "operator_invitations": "the digest of a link that works for minutes",
        "operator_requests": "a call as an operator that waits a day for a second one",
        "outbox": "messages that the person gets anyway",
        "recoveries": "a recovery that is under way",
        "recovery_codes": "digests of secrets",
        "sca_history": "sums of the operations",
        "scan_sign_ins": "they end within a day; what the person approved is among the events",
        "secret_questions": "questions and answers are one secret",
        "totp_cooling_periods": "they end within a day",
        "totp_secrets": "secrets",
        "transactions": "`TransactionFlows` exports them",
        "unreachable_accounts": "only that the account has no sign-in method left",
    ]

    /// The columns of the exported tables: those that the export shows, under whatever name, and those that it leaves out because
    /// they are keys, secrets and digests, or say nothing about the person. Operations and transactions are shown by their
    /// evidence.
    private static let columns: [String: (shown: String, omitted: String)] = [
        "account_names": ("name typed", "brand_id account_id"),
        "account_pins": (
            "set_at locked_at cooling_until", "account_id version hash state failed failed_total charged_at"
        ),
        "accounts": (
            """
            id brand_id state password_state password_changed_at email email_state phone profile locale created_at \
            last_login_at deactivated_by cooling_until
            """,
            "security_version password password_checked_at devices_distrusted_at merged_into attempts_version closed_over"
        ),
        "apple_grants": (
            "provider_id sealed verified_at suspended_at address_reachable",
            "brand_id digest linked_brand linked_digest check_at revoke_at attempts address_changed_at"
        ),
        "browser_sessions": (
            "security_version created_at expires_at last_used_at browser system network",
            "id_hash account_id auth_time acr amr"
        ),
        "client_consents": ("client_id scope granted_at", "account_id id changed_at"),
        "devices": (
            """
            id account_id client_id name platform biometric_key state instance push_address created_at cooling_until \
            last_used_at deactivated_by
            """,
            """
            signing_key thumbprint dpop_jkt key_storage biometric_key_set_at state_changed_at biometric_key_storage \
            biometric_key_voucher attestation attested_key attestation_counter
            """
        ),
        "federated_identities": (
            "provider_id subject linked_at", "brand_id digest account_id name_digest asserts_address cooling_until"
        ),
        "loyalty_accounts": (
            "number merchant_id integration_id card_template activation_store enrolled_at", "account_id phone_digest"
        ),
        "merchant_employees": ("merchant_id", "account_id created_at"),
        "operators": ("role brand_id", "account_id granted_at"),
        "passkeys": (
            "id credential_id account_id relying_party backup_eligible name created_at cooling_until last_used_at",
            "public_key counter backed_up transports"
        ),
        "provisioned_accounts": ("client_id external_id made_at", "account_id"),
        "security_events": (
            "client_id kind occurred_at details", "id account_id chain seq kid salt details_digest link about"
        ),
        "sessions": (
            """
            id client_id rotated_at scope security_version created_at expires_at absolute_expires_at revoked_at \
            revoked_reason network authorization_details
            """,
            """
            account_id granted_to dpop_jkt secret mac_key_id generation attempt_hash audience acr amr auth_time \
            merchant_id device_id counts_until requires_proof
            """
        ),
        "trusted_payees": ("client_id sealed created_at", "id account_id"),
    ]

    @Test("An export has all of a person's entries, however many there are")
    func everyEntry() async throws {
        let server = try await TestServer.start()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        try await server.context.database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO security_events (id, account_id, kind, occurred_at, details)
                WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 11000)
                SELECT CAST(printf('%016d', n) AS BLOB), $1, 'sample', 0, '{}' FROM numbers
                """, [.id(account)])
        }
        let answer = await server.flows.administration.execute(["account", "export", "--account", person.rawValue])
        let events = try answer.document()["events"]?.array ?? []
        #expect(events.count { $0.object?["event"]?.string == "sample" } == 11_000)
    }

    @Test("Every time in an export is text in UTC, whatever it is a time of")
    func times() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        try await server.context.database.write { try RestoreEffectTests.insertSamples(of: account, on: $0) }
        let document = try await server.administer(["account", "export", "--account", person.rawValue])
        #expect(wrongTimes(in: .object(document)) == [])
    }

    @Test("Each table with rows of an account is in its export, or in the list of those that are left out")
    func tables() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        let tables = try await server.context.database.write { connection -> Set<String> in
            try RestoreEffectTests.insertSamples(of: account, on: connection)
            return try ErasureTests.tables(with: account, on: connection)
        }
        #expect(tables.symmetricDifference(Set(Self.members.keys).union(Self.omitted.keys)) == [])
        let document = try await server.administer(["account", "export", "--account", person.rawValue])
        for (table, member) in Self.members {
            #expect(
                document[member]?.array?.isEmpty == false || document[member]?.object != nil, "\(table): \(member)")
        }
    }

    @Test("A browser's session is exported with the families of browser and system, and without the hash of its cookie")
    func browsers() async throws {
        let server = try await TestServer.start()
        let (_, person) = (try await server.publicClient(), try await server.account())
        let account = try #require(UniqueID(bytes: person.bytes))
        try await server.context.database.write { try RestoreEffectTests.insertSamples(of: account, on: $0) }
        let document = try await server.administer(["account", "export", "--account", person.rawValue])
        let session = try #require(document["browserSessions"]?.array?.first?.object)
        #expect(session["browser"]?.string == "firefox")
        #expect(session["system"]?.string == "linux")
        #expect(session["lastUsedAt"]?.string == Timestamp(seconds: 0).text)
        #expect(Set(session.names) == ["createdAt", "lastUsedAt", "expiresAt", "browser", "system"])
    }

    @Test("Each column of an exported table is in the list of those that are shown, or of those that are left out")
    func columns() async throws {
        let server = try await TestServer.start()
        for (table, listed) in Self.columns {
            let stored = try await server.context.database.read { connection in
                try connection.query("SELECT name FROM pragma_table_info('\(table)')", []).map { try $0.text("name") }
            }
            let names = "\(listed.shown) \(listed.omitted)".split(separator: " ").map { String($0) }
            #expect(Set(stored).symmetricDifference(names) == [], "\(table)")
        }
        #expect(Set(Self.members.keys).subtracting(Self.columns.keys) == ["wallet_operations"])
    }
}

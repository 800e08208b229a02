import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel

@Suite("What the schema says of a restore, and what a restore does")
struct RestoreEffectTests {
    /// A row for each table that the server does not fill by itself; `$1` is an account. A new table needs one here, and the
    /// effect of a restore next to its definition (`restoring:`). `ErasureTests` erases the account of these rows, and
    /// `AccountExportTests` exports it.
    private static let samples = [
        "INSERT INTO merchants (id, name, created_at) VALUES ('m', 'M', 0)",
        "INSERT INTO merchant_clients (merchant_id, client_id, created_at) VALUES ('m', 'app', 0)",
        "INSERT INTO merchant_employees (account_id, merchant_id, created_at) VALUES ($1, 'm', 0)",
        """
        INSERT INTO devices (id, account_id, client_id, name, platform, signing_key, thumbprint, dpop_jkt, key_storage, state,
            instance, created_at, cooling_until, last_used_at, state_changed_at)
        VALUES (zeroblob(16), $1, 'app', zeroblob(1), 'ios', zeroblob(64), zeroblob(32), zeroblob(32), 'software', 'active',
            'exempt', 0, 0, 0, 0)
        """,
        """
        INSERT INTO sessions (id, account_id, client_id, secret, mac_key_id, generation, rotated_at, scope, audience, amr,
            auth_time, security_version, created_at, expires_at, absolute_expires_at)
        VALUES (zeroblob(16), $1, 'app', zeroblob(16), 1, 0, 0, 'openid', 'a', 'pwd', 0, 1, 0, 9000000000000, 9000000000000)
        """,
        "INSERT INTO redeemed_codes (id, session_id, expires_at) VALUES (zeroblob(16), zeroblob(16), 9000000000000)",
        "INSERT INTO stored_codes (id, sealed, expires_at) VALUES (zeroblob(16), zeroblob(1), 9000000000000)",
        "INSERT INTO pushed_requests (id, sealed, expires_at) VALUES (zeroblob(32), 'a', 9000000000000)",
        "INSERT INTO seen_jtis (digest, expires_at) VALUES (zeroblob(32), 9000000000000)",
        """
        INSERT INTO attempts (subject, tries, failures, compared, last_at, next_allowed_at, expires_at)
        VALUES (zeroblob(16), 1, 0, 0, 0, 0, 9000000000000)
        """,
        """
        INSERT INTO browser_sessions (id_hash, account_id, security_version, auth_time, amr, created_at, expires_at,
            last_used_at, browser, system)
        VALUES (zeroblob(32), $1, 1, 0, 'pwd', 0, 9000000000000, 0, 'firefox', 'linux')
        """,
        """
        INSERT INTO outbox (id, account_id, kind, sealed, created_at, attempts, due_at, expires_at)
        VALUES (zeroblob(16), $1, 'totp_added', zeroblob(1), 0, 0, 0, 9000000000000)
        """,
        """
        INSERT INTO webhook_endpoints (id, brand_id, url, kinds, secret, created_at)
        VALUES (zeroblob(16), 'default', 'https://shop.example.com/hooks', ' transactions ', zeroblob(1), 0)
        """,
        """
        INSERT INTO webhook_deliveries (event_id, endpoint_id, type, subject, position, body, created_at, attempts, due_at,
            expires_at)
        VALUES (zeroblob(16), zeroblob(16), 'transaction.signed', zeroblob(16), 4, '{}', 0, 0, 0, 9000000000000)
        """,
        """
        INSERT INTO open_factors (id, account_id, kind, sends, tries, expires_at)
        VALUES (zeroblob(16), $1, 'totp', 0, 0, 9000000000000)
        """,
        """
        INSERT INTO totp_secrets (account_id, state, sealed, last_step, created_at)
        VALUES ($1, 'active', zeroblob(1), 0, 0)
        """,
        "INSERT INTO totp_cooling_periods (account_id, cooling_until) VALUES ($1, 0)",
        "INSERT INTO recovery_codes (account_id, digest, created_at) VALUES ($1, zeroblob(32), 0)",
        "INSERT INTO secret_questions (account_id, question, answer, asked, created_at) VALUES ($1, 'q', zeroblob(1), 0, 0)",
        """
        INSERT INTO pins (device_id, state, epoch, failed, evaluation_key, public_key, last_epoch, changed_at)
        VALUES (zeroblob(16), 'active', 1, 0, zeroblob(1), zeroblob(1), 1, 0)
        """,
        """
        INSERT INTO pin_charges (challenge_id, device_id, expires_at)
        VALUES (zeroblob(16), zeroblob(16), 9000000000000)
        """,
        """
        INSERT INTO pin_challenges (id, device_id, idempotency_key, request_digest, request, nonce, state, ends_at, expires_at)
        VALUES (zeroblob(16), zeroblob(16), '0123456789abcdef', zeroblob(32), '{}', 'n', 'open', 9000000000000, 9000000000000)
        """,
        """
        INSERT INTO login_nonces (digest, account_id, security_version, issuer_client_id, client_id, purpose, expires_at)
        VALUES (zeroblob(32), $1, 1, 'app', 'app', 'login', 9000000000000)
        """,
        """
        INSERT INTO identity_providers (brand_id, id, kind, settings, created_at)
        VALUES ('default', 'p', 'openid', '{}', 0)
        """,
        """
        INSERT INTO federated_identities (brand_id, digest, account_id, provider_id, subject, linked_at)
        VALUES ('default', zeroblob(32), $1, 'p', zeroblob(1), 0)
        """,
        """
        INSERT INTO apple_grants (brand_id, digest, linked_brand, linked_digest, provider_id, sealed, verified_at, check_at,
            revoke_at, attempts)
        VALUES ('default', zeroblob(32), 'default', zeroblob(32), 'p', zeroblob(1), 0, 0, 0, 0)
        """,
        """
        INSERT INTO apple_transfers (transfer, brand_id, digest, expires_at)
        VALUES (zeroblob(32), 'default', zeroblob(32), 9000000000000)
        """,
        "INSERT INTO apple_notifications (digest, expires_at) VALUES (zeroblob(32), 9000000000000)",
        "INSERT INTO unreachable_accounts (account_id, unreachable_since) VALUES ($1, 0)",
        """
        INSERT INTO provider_integrations (merchant_id, integration_id, brand_id, provider_id, card_template)
        VALUES (10101010, 'apple', 'default', 'p', 0)
        """,
        """
        INSERT INTO loyalty_accounts (account_id, number, merchant_id, integration_id, enrolled_at)
        VALUES ($1, 123456789, 10101010, 'apple', 0)
        """,
        """
        INSERT INTO loyalty_enrollments (digest, account_id, sealed, expires_at)
        VALUES (zeroblob(32), $1, zeroblob(1), 9000000000000)
        """,
        """
        INSERT INTO device_tokens (device_id, account_id, state, digest, security_version, created_at, expires_at)
        VALUES (zeroblob(16), $1, 'active', zeroblob(32), 1, 0, 9000000000000)
        """,
        """
        INSERT INTO recoveries (id, account_id, budget, security_version, code_mac, mac_key_id, code_expires_at, sends,
            sent_at, tries, expires_at)
        VALUES (zeroblob(16), $1, zeroblob(32), 1, zeroblob(32), 1, 9000000000000, 1, 0, 0, 9000000000000)
        """,
        """
        INSERT INTO contact_changes (account_id, channel, id, session_id, value, former, code_mac, mac_key_id, tries,
            expires_at)
        VALUES ($1, 'email', zeroblob(16), zeroblob(16), zeroblob(1), zeroblob(1), zeroblob(32), 1, 0, 9000000000000)
        """,
        "INSERT INTO registrations VALUES (zeroblob(16), zeroblob(32), 1, 0, 0, 9000000000000)",
        "INSERT INTO operators (account_id, role, brand_id, granted_at) VALUES ($1, 'support', 'default', 0)",
        """
        INSERT INTO operator_invitations (account_id, digest, role, brand_id, security_version, accepted_by, expires_at)
        VALUES ($1, zeroblob(32), 'owner', NULL, 1, NULL, 9000000000000)
        """,
        """
        INSERT INTO operator_requests (id, digest, account_id, command, about, expires_at)
        VALUES (zeroblob(16), zeroblob(32), $1, 'account erase', NULL, 9000000000000)
        """,
        "INSERT INTO provisioned_accounts (account_id, client_id, external_id) VALUES ($1, 'app', 'e')",
        "INSERT INTO provisioned_groups (merchant_id, client_id, external_id) VALUES ('m', 'app', 'e')",
        "INSERT INTO account_closings (account_id, keep_digest, expires_at) VALUES ($1, zeroblob(32), 9000000000000)",
        """
        INSERT INTO wallet_operations (event_id, client_id, operation_id, account_id, session_id, issuer, type, sealed,
            decision, findings, state, failed, sends, revision, created_at, expires_at, kept_until)
        VALUES (zeroblob(16), 'shop', 'op', $1, zeroblob(16), 'https://id.example.com', 'TRANSFER', zeroblob(1), 'required',
            '[]', 'open', 0, 0, 1, 0, 9000000000000, 9000000000000)
        """,
        """
        INSERT INTO sca_attempts (event_id, number, method, channel, correct, amr, at)
        VALUES (zeroblob(16), 1, 'OTP', 'SMS', 0, 'sms', 0)
        """,
        "INSERT INTO sca_steps (event_id, number, kind, facts, at) VALUES (zeroblob(16), 1, 'requested', '{}', 0)",
        "INSERT INTO sca_history (account_id, low_value_sum, low_value_count) VALUES ($1, 0, 0)",
        """
        INSERT INTO trusted_payees (id, account_id, client_id, sealed, created_at)
        VALUES (zeroblob(16), $1, 'shop', zeroblob(1), 0)
        """,
        """
        INSERT INTO client_consents (account_id, client_id, id, scope, granted_at, changed_at)
        VALUES ($1, 'app', zeroblob(16), 'openid', 0, 0)
        """,
        """
        INSERT INTO foreign_tokens (digest, account_id, session_id, exchanged_at)
        VALUES (zeroblob(32), $1, zeroblob(16), 0)
        """,
        "INSERT INTO imported_grants (account_id, kind, target, imported_at) VALUES ($1, 'consent', 'app', 0)",
        "INSERT INTO account_information_consents (account_id, client_id, consent_at) VALUES ($1, 'shop', 0)",
        """
        INSERT INTO passkeys (id, credential_id, account_id, relying_party, public_key, counter, backup_eligible, backed_up,
            transports, name, created_at, cooling_until)
        VALUES (zeroblob(16), zeroblob(16), $1, 'auth.example.com', zeroblob(1), 0, 0, 0, '', zeroblob(1), 0, 0)
        """,
        """
        INSERT INTO transactions (id, origin, client_id, brand_id, issuer, account_id, state, required_factor, sealed, revision,
            created_at, expires_at, kept_until)
        VALUES (zeroblob(16), 'server', 'shop', 'default', 'https://auth.example.com', $1, 'created', 'ANY', zeroblob(1), 1,
            0, 0, 9223372036854775807)
        """,
        """
        INSERT INTO transaction_steps (transaction_id, number, status, chain, seq, link, at)
        VALUES (zeroblob(16), 1, 'CREATED', 1, 1, zeroblob(1), 0)
        """,
        """
        INSERT INTO scan_sign_ins (id, brand_id, client_id, browser, network, sealed, state, account_id, device_id, number, numbers,
            same_network, revision, created_at, ends_at, expires_at)
        VALUES (zeroblob(16), 'default', 'app', zeroblob(32), zeroblob(32), zeroblob(1), 'claimed', $1, zeroblob(16), 10,
            '10 11 12', 1, 1, 0, 0, 9000000000000)
        """,
        """
        INSERT INTO device_grants (id, device_code, user_code, client_id, sealed, state, account_id, poll_interval, created_at,
            ends_at, expires_at)
        VALUES (zeroblob(16), zeroblob(32), zeroblob(32), 'app', zeroblob(1), 'denied', $1, 5, 0, 0, 9000000000000)
        """,
        """
        INSERT INTO account_pins (account_id, version, hash, state, failed, failed_total, set_at)
        VALUES ($1, zeroblob(16), zeroblob(1), 'active', 0, 0, 0)
        """,
    ]

    static func insertSamples(of account: UniqueID, on connection: any SQLConnection) throws {
        for sample in samples {
            try connection.execute(sample, sample.contains("$1") ? [.id(account)] : [])
        }
    }

    private func rows(of server: TestServer) async throws -> [String: Set<[SQLValue]>] {
        try await server.context.database.read { connection in
            var rows: [String: Set<[SQLValue]>] = [:]
            for (table, _) in Schema.restoreEffects {
                // The epoch itself is what a restore writes last.
                let condition = table == "meta" ? "WHERE name <> 'epoch'" : ""
                rows[table] = Set(try connection.query("SELECT * FROM \(table) \(condition)", []).map(\.values))
            }
            return rows
        }
    }

    @Test("A restore does to a row of each table what the schema says")
    func declared() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let person = try await server.account()
        let account = try #require(UniqueID(bytes: person.bytes))
        try await server.context.database.write { connection in
            try Self.insertSamples(of: account, on: connection)
            try Meta.set("sample", to: "1", on: connection)
        }
        let before = try await rows(of: server)
        let after = try await rows(of: server.restarted(epoch: 1))
        for (table, effect) in Schema.restoreEffects {
            let (former, present) = (before[table] ?? [], after[table] ?? [])
            if former.isEmpty { Issue.record("there is no sample row of \(table)") }
            switch effect {
            case .removed: #expect(present.isEmpty, "\(table)")
            case .kept: #expect(present.isSuperset(of: former), "\(table)")
            case .ended, .cooled, .handled: #expect(present.isDisjoint(with: former), "\(table)")
            }
        }
    }
}

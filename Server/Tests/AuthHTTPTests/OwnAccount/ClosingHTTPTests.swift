import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Operations
@testable import SignIn

@Suite("Closing an account, over HTTP", .covers("an account that its holder closes"))
struct ClosingHTTPTests {
    private func close(_ phone: PhoneOverHTTP) async throws -> AccountClosing {
        let answer = try await phone.send(.post, "/v1/account/closing")
        try #require(answer.status == .created, "\(answer.text)")
        return try AccountClosing(answer.json)
    }

    private func keep(_ phone: PhoneOverHTTP, _ code: String) async throws -> TestResponse {
        try await phone.client.post(
            "/v1/account/closing/keep", body: #"{"keepCode":"\#(code)"}"#, "application/json")
    }

    private func state(_ server: TestServer) async throws -> String? {
        try await server.server.context.database.read { try $0.row("SELECT state FROM accounts", [])?.text("state") }
    }

    private func write(_ server: TestServer, _ statement: String) async throws {
        try await server.server.context.database.write { _ = try $0.execute(statement, []) }
    }

    private static let password = [
        ("login_method", "password"), ("username", PhoneOverHTTP.username), ("password", PhoneOverHTTP.password),
    ]

    @Test("A closed account is signed out everywhere at once, and signs in nowhere")
    func closes() async throws {
        try await withPhone { server, phone in
            let other = try await PhoneOverHTTP.signedIn(server, phone.client)
            let closing = try await close(phone)
            let days = (closing.eraseAt.secondsSince1970 - (try PhoneOverHTTP.now()).secondsSince1970 + 60) / 86_400
            #expect(days == 7)
            for session in [phone, other] {
                #expect(try await session.send(.get, "/v1/account/factors").status == .unauthorized)
            }
            let wrong = Self.password.dropLast() + [("password", "a wrong one")]
            let unproved = try await phone.provedStep(Array(wrong))
            #expect(try unproved.member("error_code") == "invalid_credentials")
            #expect(!unproved.text.contains("erase"))
            let refused = try await phone.provedStep(Self.password)
            #expect(try refused.member("error_code") == "wallet_deactivated")
            #expect(try refused.json["erase_at"]?.integer == closing.eraseAt.secondsSince1970)
            #expect(try refused.member("error_description")?.contains("The holder closed this wallet") == true)
            let messages = try await server.server.messages?.recent(limit: 20) ?? []
            let told = try #require(messages.first { $0.kind == "account_closed" })
            #expect(told.recipient == "maria@example.com")
            #expect(told.text.contains(closing.keepCode.reveal()))
        }
    }

    @Test("The code takes the closing back, also when it is sent again; the person then signs in as usual")
    func keeps() async throws {
        try await withPhone { server, phone in
            let closing = try await close(phone)
            let code = closing.keepCode.reveal().lowercased().replacing("-", with: " ")
            #expect(try await keep(phone, code).status == .noContent)
            #expect(try await keep(phone, code).status == .noContent)
            #expect(try await state(server) == "active")
            // What the closing ended stays ended.
            #expect(try await phone.send(.get, "/v1/account/factors").status == .unauthorized)
            _ = try await PhoneOverHTTP.signedIn(server, phone.client)
            try await write(server, "UPDATE account_closings SET expires_at = 1")
            try await server.server.maintenance.run()
            #expect(try await state(server) == "active")
        }
    }

    @Test("After the right password, the page says until when the closing can be taken back, and before it nothing")
    func page() async throws {
        try await withPhone { _, phone in
            _ = try await close(phone)
            var visit = BrowserOverHTTP(client: phone.client)
            func typing(_ password: String) async throws -> TestResponse {
                try await visit.press(
                    "sign_in", on: visit.open(BrowserOverHTTP.accountPage),
                    [("username", PhoneOverHTTP.username), ("password", password)])
            }
            let wrong = try await typing("a wrong one")
            #expect(!wrong.text.contains("You closed this account"))
            let right = try await typing(PhoneOverHTTP.password)
            #expect(
                right.text.contains(
                    /You closed this account. It will be erased on \d+\u{A0}\w+\u{A0}20\d\d, [0-9:]{5}\u{A0}UTC\./))
            #expect(right.text.contains(/<a [^>]*href="[^"]*\/account\/keep"[^>]*>Keep the account<\/a>/))
        }
    }

    @Test("A code that belongs to no closing opens nothing", arguments: ["AAAA-AAAA-AAAA-AAAA", "no code"])
    func wrongCode(_ code: String) async throws {
        try await withPhone { server, phone in
            _ = try await close(phone)
            let answer = try await keep(phone, code)
            #expect(answer.status == .notFound)
            #expect(try answer.member("code") == "closing_not_found")
            #expect(try await state(server) == "deactivated")
        }
    }

    @Test("Once the days are over, maintenance erases the account as the operator's command does")
    func erases() async throws {
        try await withPhone { server, phone in
            let closing = try await close(phone)
            try await server.server.maintenance.run()
            #expect(try await state(server) == "deactivated")
            try await write(server, "UPDATE account_closings SET expires_at = 1")
            try await server.server.maintenance.run()
            #expect(try await state(server) == "erased")
            #expect(try await keep(phone, closing.keepCode.reveal()).status == .notFound)
            let events = try await server.server.context.database.read {
                try $0.query("SELECT kind FROM security_events WHERE kind = 'account.erased'", []).count
            }
            #expect(events == 1)
            #expect(try await server.server.messages?.recent(limit: 20).isEmpty == true)
        }
    }

    @Test("An account that cannot be erased is logged, and the others that are due are erased without it")
    func damaged() async throws {
        try await withPhone { server, phone in
            _ = try await close(phone)
            try await write(server, "UPDATE account_closings SET expires_at = 1")
            try await server.server.context.database.write {
                try $0.define(
                    """
                    CREATE TRIGGER damaged BEFORE UPDATE OF state ON accounts WHEN NEW.state = 'erased'
                    AND OLD.id = (SELECT account_id FROM account_closings WHERE expires_at = 1)
                    BEGIN SELECT RAISE(ABORT, 'damaged'); END
                    """)
            }
            let boris = AccountRegistration(username: "boris", password: PhoneOverHTTP.password)
            try await server.execute { try await AccountAdministration($0).create(boris) }
            try await write(
                server,
                """
                INSERT INTO account_closings (account_id, keep_digest, expires_at)
                SELECT id, zeroblob(32), 2 FROM accounts WHERE state = 'active'
                """)
            try await write(
                server,
                "UPDATE accounts SET state = 'deactivated', deactivated_by = 'holder' WHERE state = 'active'")
            var erasures = server.server.maintenance.erasures
            // The damaged one fills a page.
            erasures.limit = 1
            let (run, now) = (erasures, server.server.context.clock.now())
            #expect(try await run.run(now: now) == 1)
            let states = try await server.server.context.database.read {
                try $0.query("SELECT state FROM accounts ORDER BY state", []).map { try $0.text("state") }
            }
            #expect(states == ["deactivated", "erased"])
            #expect(server.log.lines.contains { $0.contains("an account that its holder closed cannot be erased") })
        }
    }

    @Test("An account that an operator has closed as well is neither erased nor opened by the code")
    func operatorCloses() async throws {
        try await withPhone { server, phone in
            let closing = try await close(phone)
            try await server.execute(AdminRequest(["account", "deactivate", PhoneOverHTTP.username]))
            #expect(try await keep(phone, closing.keepCode.reveal()).status == .notFound)
            try await write(server, "UPDATE account_closings SET expires_at = 1")
            try await server.server.maintenance.run()
            #expect(try await state(server) == "deactivated")
        }
    }

    @Test("An operator takes the closing back")
    func operatorKeeps() async throws {
        try await withPhone { server, phone in
            _ = try await close(phone)
            try await server.execute(AdminRequest(["account", "keep", PhoneOverHTTP.username]))
            #expect(try await state(server) == "active")
            _ = try await PhoneOverHTTP.signedIn(server, phone.client)
        }
    }

    @Test("With no days to think again, the account is erased after an hour")
    func noDays() async throws {
        try await withPhone { server, phone in
            try await server.execute(AdminRequest(["brand", "update", "default", "--closing-days", "0"]))
            let wait = try await close(phone).eraseAt.secondsSince1970 - (try PhoneOverHTTP.now()).secondsSince1970
            #expect((3_500...3_601).contains(wait))
        }
    }

    @Test("attack: neither an old sign-in nor a cooling account is closed")
    func notFresh() async throws {
        try await withPhone { server, phone in
            try await write(server, "UPDATE accounts SET cooling_until = 9000000000000")
            #expect(try await phone.send(.post, "/v1/account/closing").member("code") == "recovery_cooling")
            try await write(server, "UPDATE accounts SET cooling_until = NULL")
            try await write(server, "UPDATE sessions SET auth_time = auth_time - 3600000")
            let stale = try await phone.send(.post, "/v1/account/closing")
            #expect(try stale.member("code") == "insufficient_user_authentication")
            #expect(try await state(server) == "active")
        }
    }

    @Test("attack: within a day of a new address, which would get the code that keeps the account, it is not closed")
    func afterContactChange() async throws {
        try await withPhone { server, phone in
            let begun = try await phone.send(.post, "/v1/account/email", #"{"email":"eve@example.com"}"#)
            try #require(begun.status == .created, "\(begun.text)")
            let messages = try await server.server.messages?.recent(limit: 20) ?? []
            let code = try #require(messages.first { $0.recipient == "eve@example.com" && $0.code != nil }?.code)
            let confirmed = try await phone.send(.post, "/v1/account/email/confirm", #"{"code":"\#(code)"}"#)
            try #require(confirmed.status == .noContent, "\(confirmed.text)")
            let refused = try await phone.send(.post, "/v1/account/closing")
            #expect(refused.status == .forbidden, "\(refused.text)")
            #expect(try refused.member("code") == "contact_cooling")
            let seconds = try #require(refused.headers[.retryAfter].flatMap { Int64($0) })
            #expect((86_000...86_400).contains(seconds))
            let listed = try AccountFactorList(try await phone.send(.get, "/v1/account/factors").json)
            let until = try #require(listed.contactCoolingUntil).secondsSince1970
            let wait = until - (try PhoneOverHTTP.now()).secondsSince1970
            #expect((86_000...86_401).contains(wait))
            #expect(listed.coolingUntil == nil)
            #expect(try await state(server) == "active")
            // As a day later.
            try await write(
                server,
                "UPDATE attempts SET expires_at = 1 WHERE next_allowed_at > expires_at - 1000")
            let later = try AccountFactorList(try await phone.send(.get, "/v1/account/factors").json)
            #expect(later.contactCoolingUntil == nil)
            _ = try await close(phone)
            #expect(try await state(server) == "deactivated")
        }
    }

    @Test("An operator's change of the address does not keep the holder from closing the account")
    func afterOperatorsChange() async throws {
        try await withPhone { server, phone in
            try await server.execute(
                AdminRequest(["account", "set-email", PhoneOverHTTP.username, "--email", "desk@example.com"]))
            _ = try await close(phone)
        }
    }

    @Test("The last owner of all brands does not close the account; an operator with another role does")
    func lastOwner() async throws {
        try await withPhone { server, phone in
            let name = PhoneOverHTTP.username
            try await server.execute(["operator", "grant", name, "--role", "owner", "--all-brands"])
            let refused = try await phone.send(.post, "/v1/account/closing")
            #expect(refused.status == .conflict, "\(refused.text)")
            #expect(try refused.member("code") == "last_owner")
            #expect(try await state(server) == "active")
            try await write(server, "UPDATE operators SET role = 'support'")
            _ = try await close(phone)
        }
    }

    @Test("An account with an open transaction is not closed")
    func openTransaction() async throws {
        try await TestServer.serve { server, client in
            let till = try await TransactionHTTPTests.Till.open(server, client)
            let created = try await till.create()
            try #require(created.status == .created, "\(created.text)")
            let refused = try await till.phone.send(.post, "/v1/account/closing")
            #expect(refused.status == .conflict)
            #expect(try refused.member("code") == "payments_open", "\(refused.text)")
            let open = try refused.json["openPayments"]?.array?.compactMap { $0.object }.map { try OpenPayment($0) }
            #expect(open?.count == 1, "\(refused.text)")
            #expect(open?.first?.kind == .transaction)
            #expect(try open?.first?.id.rawValue == created.member("transactionId"))
            #expect(open.flatMap(\.first).map { $0.begunAt.secondsSince1970 < $0.expiresAt.secondsSince1970 } == true)
            try await write(server, "UPDATE transactions SET expires_at = 1")
            #expect(try await till.phone.send(.post, "/v1/account/closing").status == .created)
        }
    }

    @Test("A refused closing names the oldest twenty payments, over operations and transactions together")
    func oldestPayments() throws {
        func payment(_ kind: ApprovalKind, begunAt: Int64, _ number: UInt8) throws -> OpenPayment {
            OpenPayment(
                kind: kind, id: try TransactionID("00000000-0000-4000-8000-0000000000\(number + 10)"),
                begunAt: NumericDate(clamping: begunAt), expiresAt: NumericDate(clamping: 9_000))
        }
        var open: [OpenPayment] = []
        for number in UInt8(0)..<20 { open.append(try payment(.operation, begunAt: 2_000 + Int64(number), number)) }
        // Listed last, and begun first.
        for number in UInt8(20)..<30 { open.append(try payment(.transaction, begunAt: 1_000 + Int64(number), number)) }
        let named = ClosingManagement.oldest(of: open)
        #expect(named.count == 20)
        #expect(named.prefix(10).map(\.kind) == [ApprovalKind](repeating: .transaction, count: 10))
        #expect(named.last?.begunAt == NumericDate(clamping: 2_009))
    }
}

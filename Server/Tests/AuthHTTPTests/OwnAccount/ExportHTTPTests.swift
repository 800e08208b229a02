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

@Suite("What an account's holder can read, over HTTP", .covers("the export and the activity of an account"))
struct ExportHTTPTests {
    private func write(_ server: TestServer, _ statement: String) async throws {
        try await server.server.context.database.write { _ = try $0.execute(statement, []) }
    }

    @Test("The export has what is stored about the person and no secret, is recorded, and the person gets word")
    func exports() async throws {
        try await withPhone { server, phone in
            let answer = try await phone.send(.post, "/v1/account/export")
            try #require(answer.status == .ok, "\(answer.text)")
            let json = try answer.json
            #expect(json["email"]?.string == "maria@example.com")
            #expect(json["devices"]?.array?.count == 1)
            #expect(json["sessions"]?.array?.isEmpty == false)
            for member in ["passkeys", "identities", "clientConsents", "walletOperations", "transactions"] {
                #expect(json[member] != nil, "\(member)")
            }
            let activity = try #require(json["events"]?.array)
            #expect(activity.contains { $0.object?["text"]?.string?.hasPrefix("You signed in") == true })
            #expect(wrongTimes(in: .object(json)) == [])
            for secret in [PhoneOverHTTP.password, "$argon2", phone.token.reveal()] {
                #expect(!answer.text.contains(secret))
            }
            let messages = try await server.server.messages?.recent(limit: 20) ?? []
            #expect(messages.contains { $0.kind == "account_exported" && $0.recipient == "maria@example.com" })
        }
    }

    @Test("attack: a sign-in that is not fresh exports nothing, and the fourth export in a row has to wait")
    func refusals() async throws {
        try await withPhone { server, phone in
            for _ in 1...3 { #expect(try await phone.send(.post, "/v1/account/export").status == .ok) }
            let often = try await phone.send(.post, "/v1/account/export")
            #expect(often.status == .tooManyRequests)
            #expect(often.headers[.retryAfter] != nil)
            try await write(server, "UPDATE sessions SET auth_time = auth_time - 3600000")
            let stale = try await phone.send(.post, "/v1/account/export")
            #expect(try stale.member("code") == "insufficient_user_authentication")
        }
    }

    @Test("The activity is in sentences in the person's language, with the app and nothing of the operator")
    func activity() async throws {
        try await withPhone { server, phone in
            let answer = try await phone.send(
                .get, "/v1/account/activity", more: [.acceptLanguage: "de"])
            let page = try AccountActivity(answer.json)
            #expect(page.entries.first?.text == "Ein Gerät wurde hinzugefügt.")
            #expect(
                page.entries.contains {
                    $0.text == "Sie haben sich mit Ihrem Passwort und einem Code angemeldet."
                        && $0.app == "Aurora Wallet"
                })
            #expect(page.cursor == nil)
            for word in ["account.", "device.", "operator", "walletauth"] { #expect(!answer.text.contains(word)) }
        }
    }

    @Test("The list goes on with its cursor, which works for this account alone")
    func pages() async throws {
        try await withPhone { server, phone in
            let auditLog = server.server.context.auditLog
            let account = try await server.server.context.database.read {
                try #require(try Accounts.find(named: PhoneOverHTTP.username, brand: "default", on: $0))
            }
            let now = SystemClock().now()
            try await server.server.context.database.write { connection in
                for number in 0..<45 {
                    try auditLog.entry(
                        AccountEvent.profileChanged, account: account.id, now: now + .milliseconds(Int64(number))
                    ).write(on: connection)
                }
            }
            var cursor: String?
            var sizes: [Int] = []
            repeat {
                let path = "/v1/account/activity" + (cursor.map { "?cursor=\($0)" } ?? "")
                let page = try AccountActivity(try await phone.send(.get, path).json)
                sizes.append(page.entries.count)
                cursor = page.cursor
            } while cursor != nil && sizes.count < 9
            #expect(sizes.prefix(2) == [20, 20])
            #expect(sizes.reduce(0, +) >= 47)
            let forged = try await phone.send(.get, "/v1/account/activity?cursor=AAAA")
            #expect(forged.status == .badRequest)
        }
    }

    @Test("What the account did not have before was added or set up, and what replaced something was changed")
    func firsts() async throws {
        try await TestServer.serve { server, _ in
            try await server.execute {
                try await AccountAdministration($0).create(AccountRegistration(username: "ada", password: nil))
            }
            for round in ["1", "2"] {
                try await server.execute(["account", "set-email", "ada", "--email", "ada\(round)@example.com"])
                try await server.execute(["account", "set-phone", "ada", "--phone", "+35988812345\(round)"])
                try await server.execute {
                    try await AccountAdministration($0).setPassword(
                        of: .username("ada", brand: nil), to: "a fresh phrase \(round)")
                }
            }
            let events = try await server.server.context.database.read { connection in
                let ada = try #require(try Accounts.find(named: "ada", brand: "default", on: connection))
                return try SecurityEvents.list(of: ada.id, limit: 20, on: connection)
            }
            let sentences = events.compactMap { ActivityList.entry($0, app: nil, in: .english)?.text }
            #expect(
                sentences == [
                    "The password was changed.", "The phone number was changed.", "The e-mail address was changed.",
                    "The password was set up.", "The phone number was added.", "The e-mail address was added.",
                    "The account was created.",
                ])
        }
    }

    @Test("Each sentence is one of an event that the server records")
    func kinds() {
        let kinds = Set(Administration.eventKinds.map(\.rawValue))
        let transactions: Set = ["transaction.signed", "transaction.rejected"]
        for (kind, text) in ActivityText.byKind {
            #expect(kinds.contains(kind) || transactions.contains(kind), "\(text.rawValue): \(kind)")
        }
    }
}

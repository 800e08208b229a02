import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import SignIn

@Suite("The holder's address and number, over HTTP", .covers("changing an address by a code to the new one"))
struct ContactHTTPTests {
    private static let new = "maria.new@example.com"

    private func begin(_ phone: PhoneOverHTTP, _ address: String = new) async throws -> TestResponse {
        try await phone.send(.post, "/v1/account/email", #"{"email":"\#(address)"}"#)
    }

    private func confirm(_ phone: PhoneOverHTTP, _ code: String) async throws -> TestResponse {
        try await phone.send(.post, "/v1/account/email/confirm", #"{"code":"\#(code)"}"#)
    }

    /// The latest code that was sent to an address.
    private func code(_ server: TestServer, to address: String = new) async throws -> String {
        let messages = try await server.server.messages?.recent(limit: 20) ?? []
        return try #require(messages.first { $0.recipient == address && $0.code != nil }?.code)
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    private func kinds(_ server: TestServer, to address: String) async throws -> [String] {
        try await (server.server.messages?.recent(limit: 50) ?? []).filter { $0.recipient == address }.map(\.kind)
    }

    private func write(_ server: TestServer, _ statement: String) async throws {
        try await server.server.context.database.write { _ = try $0.execute(statement, []) }
    }

    private func count(_ server: TestServer, _ query: String) async throws -> Int64 {
        try await server.server.context.database.read { try $0.row(query, [])?.integer("n") ?? 0 }
    }

    private func email(_ server: TestServer) async throws -> String? {
        let context = server.server.context
        let account = try await context.database.read {
            try Accounts.find(named: PhoneOverHTTP.username, brand: "default", on: $0)
        }
        return account.flatMap { AccountVault(context.sealing).email(of: $0) }
    }

    @Test("The code sent to the new address changes it, and the old address gets word before that and after")
    func changes() async throws {
        try await withPhone { server, phone in
            let begun = try await begin(phone)
            #expect(begun.status == .created, "\(begun.text)")
            #expect(try PendingContact(begun.json) == PendingContact(destination: "m…@example.com", expiresIn: 300))
            #expect(try await kinds(server, to: "maria@example.com").contains("email_change_requested"))
            #expect(try await email(server) == "maria@example.com")
            #expect(try await confirm(phone, code(server)).status == .noContent)
            #expect(try await email(server) == Self.new)
            for address in ["maria@example.com", Self.new] {
                #expect(try await kinds(server, to: address).contains("email_changed"))
            }
            let events = "SELECT COUNT(*) AS n FROM security_events WHERE kind = 'account.email_changed'"
            #expect(try await count(server, events) == 1)
            // The session goes on.
            #expect(try await phone.send(.get, "/v1/account/factors").status == .ok)
        }
    }

    @Test("The number is changed by the code sent to it, and is confirmed then")
    func phone() async throws {
        try await withPhone { server, phone in
            let begun = try await phone.send(.post, "/v1/account/phone", #"{"phone":"+359 2 123 4567"}"#)
            #expect(begun.status == .created, "\(begun.text)")
            let code = try await code(server, to: "+35921234567")
            #expect(
                try await phone.send(.post, "/v1/account/phone/confirm", #"{"code":"\#(code)"}"#).status == .noContent)
            let same = try await phone.send(.post, "/v1/account/phone", #"{"phone":"+35921234567"}"#)
            #expect(same.status == .conflict)
            #expect(try same.member("code") == "contact_unchanged")
            let malformed = try await phone.send(.post, "/v1/account/phone", #"{"phone":"0049301234"}"#)
            #expect(malformed.status == .badRequest)
        }
    }

    @Test(
        "The number is removed with word to it and to the address, and an account without a confirmed address keeps it")
    func removal() async throws {
        try await withPhone { server, phone in
            _ = try await beginPhone(phone)
            let code = try await code(server, to: "+35921234567")
            _ = try await phone.send(.post, "/v1/account/phone/confirm", #"{"code":"\#(code)"}"#)
            try await write(server, "UPDATE accounts SET email_state = 'unverified'")
            let last = try await phone.send(.delete, "/v1/account/phone")
            #expect(last.status == .conflict)
            #expect(try last.member("code") == "last_contact")
            try await write(server, "UPDATE accounts SET email_state = 'verified'")
            #expect(try await phone.send(.delete, "/v1/account/phone").status == .noContent)
            for recipient in ["maria@example.com", "+35921234567"] {
                #expect(try await kinds(server, to: recipient).contains("phone_removed"))
            }
            let factors = try AccountFactorList(try await phone.send(.get, "/v1/account/factors").json)
            #expect(!factors.factors.contains { $0.channel == "SMS" })
            #expect(factors.contactCoolingUntil != nil)
            let gone = try await phone.send(.delete, "/v1/account/phone")
            #expect(gone.status == .notFound)
            #expect(try gone.member("code") == "factor_not_found")
        }
    }

    @Test("A code that is entered again once its number was removed has nothing to confirm")
    func confirmedAfterRemoval() async throws {
        try await withPhone { server, phone in
            _ = try await beginPhone(phone)
            let path = "/v1/account/phone/confirm"
            let code = try await code(server, to: "+35921234567")
            for _ in 0..<2 {
                #expect(try await phone.send(.post, path, #"{"code":"\#(code)"}"#).status == .noContent)
            }
            #expect(try await phone.send(.delete, "/v1/account/phone").status == .noContent)
            let late = try await phone.send(.post, path, #"{"code":"\#(code)"}"#)
            #expect(late.status == .conflict, "\(late.text)")
            #expect(try late.member("code") == "nothing_to_confirm")
        }
    }

    @Test("A code that is entered again once an operator has removed its address has nothing to confirm")
    func confirmedAfterOperator() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone).status == .created)
            let code = try await code(server)
            #expect(try await confirm(phone, code).status == .noContent)
            try await server.execute(["account", "set-email", "maria", "--remove"])
            #expect(try await confirm(phone, code).member("code") == "nothing_to_confirm")
        }
    }

    @Test("attack: an old sign-in removes no number")
    func staleRemoval() async throws {
        try await withPhone { server, phone in
            _ = try await beginPhone(phone)
            let code = try await code(server, to: "+35921234567")
            _ = try await phone.send(.post, "/v1/account/phone/confirm", #"{"code":"\#(code)"}"#)
            try await write(server, "UPDATE sessions SET auth_time = auth_time - 3600000")
            let stale = try await phone.send(.delete, "/v1/account/phone")
            #expect(try stale.member("code") == "insufficient_user_authentication")
        }
    }

    private func beginPhone(_ phone: PhoneOverHTTP) async throws -> TestResponse {
        try await phone.send(.post, "/v1/account/phone", #"{"phone":"+35921234567"}"#)
    }

    @Test("attack: a mailbox gets ten codes, whichever accounts and newcomers ask for them")
    func mailbox() async throws {
        try await withPhone { server, phone in
            let context = server.server.context
            let limits = UnprovedAddressLimits(
                limits: context.settings.codes, lockout: context.settings.lockout,
                key: try context.keyRing.active(.attempts))
            // What other accounts asked for, under another spelling of the mailbox.
            let address = RegistrationAddress.email(try EmailAddress("maria.new+more@example.com"))
            try await context.database.write { connection in
                for _ in 0..<9 {
                    _ = try Attempts.count(
                        [limits.address(address, in: "default")], now: context.clock.now(), on: connection)
                }
            }
            #expect(try await begin(phone).status == .created)
            let refused = try await begin(phone)
            #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] != nil, "\(refused.text)")
            #expect(try await begin(phone, "maria.other@example.com").status == .created)
        }
    }

    @Test("attack: newcomers of a brand who use up its codes by SMS keep no holder from a new number")
    func newcomers() async throws {
        try await withPhone { server, phone in
            try await server.execute(["brand", "update", "default", "--registration", "on"])
            let context = server.server.context
            let limits = UnprovedAddressLimits(
                limits: context.settings.codes, lockout: context.settings.lockout,
                key: try context.keyRing.active(.attempts))
            try await context.database.write { connection in
                for _ in 0..<101 {
                    _ = try Attempts.count(
                        [limits.newcomers(of: "default")], now: context.clock.now(), on: connection)
                }
            }
            let newcomer = NewcomerOverHTTP(server: server, client: phone.client)
            #expect(try await newcomer.begin("+35921234569").status == .tooManyRequests)
            #expect(try await beginPhone(phone).status == .created)
        }
    }

    @Test("attack: a number gets five codes an hour, whichever accounts and newcomers ask for them")
    func bombing() async throws {
        try await withPhone { server, phone in
            try await server.execute(["brand", "update", "default", "--registration", "on"])
            for _ in 0..<4 { #expect(try await beginPhone(phone).status == .created) }
            let newcomer = NewcomerOverHTTP(server: server, client: phone.client)
            #expect(try await newcomer.begin("+35921234567").json["sent"] == .bool(true))
            // Another account under the name that the test's phone signs in with.
            try await write(server, "UPDATE account_names SET name = 'clara', typed = NULL")
            var second = AccountRegistration(username: PhoneOverHTTP.username, password: PhoneOverHTTP.password)
            second.email = "second@example.com"
            second.emailVerified = true
            try await server.execute { try await AccountAdministration($0).create(second) }
            let other = try await PhoneOverHTTP.signedIn(server, phone.client)
            let refused = try await beginPhone(other)
            #expect(refused.status == .tooManyRequests, "\(refused.text)")
            #expect(refused.headers[.retryAfter] != nil)
            let another = NewcomerOverHTTP(server: server, client: phone.client)
            #expect(try await another.begin("+35921234567").json["sent"] == .bool(false))
            #expect(try await kinds(server, to: "+35921234567").count == 5)
            // Another number is free.
            let free = try await other.send(.post, "/v1/account/phone", #"{"phone":"+35921234568"}"#)
            #expect(free.status == .created, "\(free.text)")
        }
    }

    @Test("An account without an address gets one in the same way")
    func first() async throws {
        try await withPhone { server, phone in
            try await write(server, "UPDATE accounts SET email = NULL, email_state = 'none'")
            #expect(try await begin(phone).status == .created)
            #expect(try await confirm(phone, code(server)).status == .noContent)
            #expect(try await email(server) == Self.new)
        }
    }

    @Test("After the change, nothing that was sent to the old address works")
    func oldCodes() async throws {
        try await withPhone { server, phone in
            let recovery = try await phone.step([("login_method", "recovery"), ("username", PhoneOverHTTP.username)])
            #expect(try recovery.member("error_code") == "recovery_code_required", "\(recovery.text)")
            #expect(try await count(server, "SELECT COUNT(*) AS n FROM recoveries WHERE account_id IS NOT NULL") == 1)
            #expect(try await begin(phone).status == .created)
            #expect(try await confirm(phone, code(server)).status == .noContent)
            #expect(try await count(server, "SELECT COUNT(*) AS n FROM recoveries WHERE account_id IS NOT NULL") == 0)
            #expect(try await count(server, "SELECT COUNT(*) AS n FROM open_factors") == 0)
        }
    }

    @Test("attack: a stolen token without its key changes no address, and neither does a sign-in that is not fresh")
    func stolen() async throws {
        try await withPhone { server, phone in
            let path = "/v1/account/email"
            let body = #"{"email":"eve@example.com"}"#
            let other = ProofKey()
            let foreign = try other.proof(
                path, method: "POST", nonce: server.server.context.proofs.currentNonce(), token: phone.token,
                issuer: TestServer.issuer)
            #expect(try await phone.send(.post, path, body, proof: foreign).status == .unauthorized)
            try await write(server, "UPDATE sessions SET auth_time = auth_time - 3600000")
            let stale = try await phone.send(.post, path, body)
            #expect(stale.status == .unauthorized)
            #expect(try stale.member("code") == "insufficient_user_authentication")
            #expect(try await count(server, "SELECT COUNT(*) AS n FROM contact_changes") == 0)
            #expect(try await kinds(server, to: "eve@example.com").isEmpty)
        }
    }

    @Test("attack: a password alone changes no address of an account that has more")
    func passwordAlone() async throws {
        try await withPhone { server, phone in
            try await write(server, "UPDATE sessions SET amr = 'pwd'")
            let weak = try await begin(phone)
            #expect(weak.status == .unauthorized)
            #expect(try weak.member("code") == "insufficient_user_authentication")
        }
    }

    @Test("No address is changed in the cooling period of a recovery, not even one whose code was sent before")
    func cooling() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone).status == .created)
            let code = try await code(server)
            try await write(server, "UPDATE accounts SET cooling_until = 9000000000000")
            for answer in [try await begin(phone, "other@example.com"), try await confirm(phone, code)] {
                #expect(answer.status == .forbidden)
                #expect(try answer.member("code") == "recovery_cooling")
            }
            #expect(try await email(server) == "maria@example.com")
        }
    }

    @Test("The key of a device that was just enrolled does not count")
    func newDevice() async throws {
        try await withPhone { server, phone in
            // As after a sign-in by password and the device's key, instead of the code.
            try await write(server, "UPDATE sessions SET amr = 'pwd \(KeyStorage.software.method)'")
            let id = phone.id.rawValue
            let device = try #require(UniqueID(uuid: id))
            try await server.server.context.database.write {
                _ = try $0.execute("UPDATE sessions SET device_id = $1", [.id(device)])
            }
            let refused = try await begin(phone)
            #expect(refused.status == .unauthorized, "\(refused.text)")
            #expect(try refused.member("code") == "insufficient_user_authentication")
        }
    }

    @Test("attack: an address that another account has gets the same answer as any other")
    func enumeration() async throws {
        try await withPhone { server, phone in
            var other = AccountRegistration(username: "boris", password: PhoneOverHTTP.password)
            other.email = "boris@example.com"
            other.emailVerified = true
            try await server.execute { try await AccountAdministration($0).create(other) }
            let taken = try await begin(phone, "boris@example.com")
            let free = try await begin(phone, "bella@example.com")
            #expect(taken.status == free.status)
            #expect(taken.text == free.text)
        }
    }

    @Test("Five wrong codes end a change, and the right one is late then")
    func tries() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone).status == .created)
            let code = try await code(server)
            for _ in 1...5 {
                let refused = try await confirm(phone, wrong(code))
                #expect(refused.status == .badRequest)
                #expect(try refused.member("code") == "invalid_code")
            }
            let late = try await confirm(phone, code)
            #expect(late.status == .conflict)
            #expect(try late.member("code") == "nothing_to_confirm")
            #expect(try await email(server) == "maria@example.com")
        }
    }

    @Test("A change expires with its code")
    func expires() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone).status == .created)
            let code = try await code(server)
            try await write(server, "UPDATE contact_changes SET expires_at = 1")
            #expect(try await confirm(phone, code).member("code") == "nothing_to_confirm")
        }
    }

    @Test("Another session cannot finish a change")
    func otherSession() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone).status == .created)
            let code = try await code(server)
            let other = try await PhoneOverHTTP.signedIn(server, phone.client)
            #expect(try await confirm(other, code).member("code") == "nothing_to_confirm")
            #expect(try await confirm(phone, code).status == .noContent)
        }
    }

    @Test("Of two changes at once the later one wins, and the earlier code no longer works")
    func twoChanges() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone, "first@example.com").status == .created)
            let earlier = try await code(server, to: "first@example.com")
            #expect(try await begin(phone, "second@example.com").status == .created)
            let later = try await code(server, to: "second@example.com")
            if earlier != later {
                #expect(try await confirm(phone, earlier).member("code") == "invalid_code")
            }
            #expect(try await confirm(phone, later).status == .noContent)
            #expect(try await email(server) == "second@example.com")
        }
    }

    @Test("A confirmation that is sent again, or twice at once, succeeds and changes the address once")
    func repeated() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone).status == .created)
            let code = try await code(server)
            async let one = confirm(phone, code)
            async let two = confirm(phone, code)
            let both = try await [one, two]
            #expect(both.allSatisfy { $0.status == .noContent }, "\(both.map(\.text))")
            #expect(try await confirm(phone, code).status == .noContent)
            let events = "SELECT COUNT(*) AS n FROM security_events WHERE kind = 'account.email_changed'"
            #expect(try await count(server, events) == 1)
        }
    }

    @Test("An operator's change meanwhile makes the code useless")
    func operatorMeanwhile() async throws {
        try await withPhone { server, phone in
            #expect(try await begin(phone).status == .created)
            let code = try await code(server)
            try await server.execute(
                AdminRequest(["account", "set-email", PhoneOverHTTP.username, "--email", "desk@example.com"]))
            #expect(try await confirm(phone, code).member("code") == "account_changed")
            #expect(try await email(server) == "desk@example.com")
        }
    }
}

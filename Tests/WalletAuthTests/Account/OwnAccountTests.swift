import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("The person's own account", .covers("wallet.account"))
struct OwnAccountTests {
    private func answer(_ json: String?, status: Int = 200, at path: String, in world: World) {
        var headers = HTTPFields()
        headers["Content-Type"] = json == nil ? nil : "application/json"
        world.server.inject(
            .answer(HTTPResponse(status: status, headers: headers, body: Data((json ?? "").utf8))), at: path)
    }

    private func refuse(_ code: String, status: Int, at path: String, in world: World) {
        let problem = Problem(status: status, code: code, title: "Refused")
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: status, headers: ["Content-Type": Problem.contentType], body: Data(problem.json.bytes))),
            at: path)
    }

    @Test("A new address is sent as typed, and its code confirms it")
    func email() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        answer(#"{"destination":"m…@example.com","expiresIn":300}"#, status: 201, at: "/v1/account/email", in: world)
        let pending = try await wallet.account.changeEmail(to: " maria@example.com ")
        #expect(pending == PendingContact(destination: "m…@example.com", expiresIn: 300))
        answer(nil, status: 204, at: "/v1/account/email/confirm", in: world)
        try await wallet.account.confirmEmail(code: "123 456")
        #expect(world.server.requests.last?.path == "/v1/account/email/confirm")
    }

    @Test("What is no address, and no code, is not sent")
    func malformed() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let before = world.server.requests.count
        let address = await failure { _ = try await wallet.account.changeEmail(to: "maria") }
        #expect(address?.code == .badRequest)
        let code = await failure { try await wallet.account.confirmPhone(code: "") }
        #expect(code?.code == .invalidCode)
        let keeping = await failure { try await wallet.account.keep(code: "") }
        #expect(keeping?.code == .closingNotFound)
        #expect(world.server.requests.count == before)
    }

    @Test("Refusals have their codes", arguments: ["contact_unchanged", "delivery_unavailable", "recovery_cooling"])
    func refusals(_ code: String) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        refuse(code, status: 409, at: "/v1/account/phone", in: world)
        let error = await failure { _ = try await wallet.account.changePhone(to: "+35921234567") }
        #expect(error?.code.rawValue == code)
        #expect(wallet.isLoggedIn)
    }

    @Test("The number is removed, and the last way to reach the person stays")
    func phoneRemoval() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        refuse("last_contact", status: 409, at: "/v1/account/phone", in: world)
        let error = await failure { try await wallet.account.removePhone() }
        #expect(error?.code == .lastContact)
        answer(nil, status: 204, at: "/v1/account/phone", in: world)
        try await wallet.account.removePhone()
        let call = try #require(world.server.requests.last)
        #expect(call.method == "DELETE" && call.path == "/v1/account/phone")
    }

    @Test("A cooling period's refusal says when it ends", arguments: ["contact_cooling", "recovery_cooling"])
    func cooling(_ code: String) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let problem = Problem(status: 403, code: code, title: "Refused")
        let headers: HTTPFields = ["Content-Type": Problem.contentType, "Retry-After": "3600"]
        world.server.inject(
            .answer(HTTPResponse(status: 403, headers: headers, body: Data(problem.json.bytes))),
            at: "/v1/account/closing")
        let error = await failure { _ = try await wallet.account.close() }
        #expect(error?.code.rawValue == code && error?.outcome == .refused)
        let until = try #require(error?.coolingUntil)
        #expect((3590...3610).contains(until.timeIntervalSince(world.clock.now())))
    }

    @Test("The activity comes page by page")
    func activity() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let path = "/v1/account/activity"
        answer(
            #"{"entries":[{"at":1767225600,"text":"You signed in.","app":"Aurora","new":1}],"cursor":"next"}"#,
            at: path,
            in: world)
        let first = try await wallet.account.activity()
        #expect(first.entries.map(\.text) == ["You signed in."])
        answer(#"{"entries":[]}"#, at: path, in: world)
        let second = try await wallet.account.activity(after: first.cursor)
        #expect(second.entries.isEmpty && second.cursor == nil)
    }

    @Test("The export is the document as the server sent it")
    func export() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let document = #"{"email": "maria@example.com"}"#
        answer(document, at: "/v1/account/export", in: world)
        #expect(try await wallet.account.export() == Data(document.utf8))
        refuse("export_too_large", status: 409, at: "/v1/account/export", in: world)
        let error = await failure { _ = try await wallet.account.export() }
        #expect(error?.code == .exportTooLarge)
    }

    @Test("Closing signs out on this device, and needs no session to be taken back")
    func closing() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        answer(
            #"{"eraseAt":1767830400,"keepCode":"ABCD-EFGH-IJKL-MNOP"}"#, status: 201, at: "/v1/account/closing",
            in: world)
        let closing = try await wallet.account.close()
        #expect(closing.keepCode.reveal() == "ABCD-EFGH-IJKL-MNOP")
        #expect(!wallet.isLoggedIn)
        answer(nil, status: 204, at: "/v1/account/closing/keep", in: world)
        try await wallet.account.keep(code: "abcd efgh ijkl mnop")
        let call = try #require(world.server.requests.last)
        #expect(call.path == "/v1/account/closing/keep")
    }

    @Test("An account with open payments is not closed, its session goes on, and the error names the payments")
    func openPayments() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let id = "018cc251-f400-7000-8000-000000000001"
        let payments = [
            #"{"kind":"operation","id":"\#(id)","payee":"Dune Bakery","amount":{"value":"1250","currency":"EUR"},"begunAt":1767225600,"expiresAt":1767226500}"#,
            #"{"kind":"of a newer server"}"#,
        ]
        let problem =
            #"{"status":409,"code":"payments_open","title":"Conflict","openPayments":[\#(payments.joined(separator: ","))]}"#
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: 409, headers: ["Content-Type": Problem.contentType], body: Data(problem.utf8))),
            at: "/v1/account/closing")
        let error = await failure { _ = try await wallet.account.close() }
        #expect(error?.code == .paymentsOpen)
        #expect(error?.openPayments.map(\.id.rawValue) == [id])
        #expect(error?.openPayments.first?.payee == "Dune Bakery")
        #expect(error?.openPayments.first?.amount?.minorUnits == 1250)
        #expect(wallet.isLoggedIn)
    }

    @Test("A sign-in to an account that its holder closed says until when that can be taken back")
    func closedByHolder() async throws {
        let world = World()
        let wallet = try world.wallet()
        let body =
            #"{"error":"access_denied","error_code":"wallet_deactivated","status_code":421,"erase_at":1767830400}"#
        world.server.inject(
            .answer(
                HTTPResponse(status: 403, headers: ["Content-Type": "application/json"], body: Data(body.utf8))),
            at: "/oauth2/authorize-challenge")
        let error = await failure { _ = try await wallet.login(username: "alice", password: "correct horse") }
        #expect(error?.code == .walletDeactivated)
        #expect(error?.eraseAt == Date(timeIntervalSince1970: 1_767_830_400))
        let general = WalletError(.walletDeactivated, .refused, during: .loginByUsernamePassword, reason: "")
        for language in UserErrorMessages.builtInLanguages {
            let text = error.flatMap { UserErrorMessages.builtIn.text(for: $0, languages: [language]) }
            #expect(text != nil && text != UserErrorMessages.builtIn.text(for: general, languages: [language]))
        }
    }
}

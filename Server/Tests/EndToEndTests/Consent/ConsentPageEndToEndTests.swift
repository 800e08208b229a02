import Crypto
import Foundation
import Testing

/// A payment, agreed to by the password on the hosted page: the running program, a backend and an app that speak plain HTTP, and
/// a browser that was never here.
@Suite(
    "Agreeing on the hosted page of the running server",
    .covers("REDIRECT to ISSUER/consent", "the button to approve cannot be seen on a phone without scrolling"))
struct ConsentPageEndToEndTests {
    static let returnURL = "com.example.wallet:/agreed"
    static let operation =
        #""type":"TRANSFER","amount":{"value":"9000","currency":"EUR"},"payee":{"name":"Anna Verna","account":"DE02"}"#

    /// The parties.
    struct Setting: Sendable {
        let server: RunningServer
        let person: Person
        let app: StandardClient
        let backend: StandardClient
        let browser: HeadlessBrowser
        let access: String
        let backendToken: String

        var account: String { get throws { try TokenClaims.text("sub", of: access) } }
        var session: String { get throws { try TokenClaims.text("sid", of: access) } }

        /// A call of the app's, with a proof of its key.
        func call(_ path: String, _ json: String) async throws -> WebAnswer {
            let url = await server.url(path)
            func send(_ nonce: String?) async throws -> WebAnswer {
                let proof = try app.proof(method: "POST", url: url, nonce: nonce, accessToken: access)
                return try await app.web.post(
                    url, json: json, headers: ["Authorization": "DPoP \(access)", "DPoP": proof])
            }
            let first = try await send(nil)
            guard first.status == 401, let nonce = first.header("dpop-nonce") else { return first }
            return try await send(nonce)
        }

        /// A call of the backend's.
        func ask(_ path: String, _ json: String) async throws -> WebAnswer {
            try await backend.web.post(
                await server.url(path), json: json, headers: ["Authorization": "Bearer \(backendToken)"])
        }

        /// Asks for a payment, and challenges the password: the event, and the page.
        func link(
            _ id: String, by method: String = "PASSWORD", operation: String = ConsentPageEndToEndTests.operation,
            returningTo returnURL: String = ConsentPageEndToEndTests.returnURL
        ) async throws -> (event: String, page: URL) {
            let asked = try await ask(
                "/v1/wallet-operations",
                #"{"walletOperationId":"\#(id)","accountId":"\#(account)","sessionId":"\#(session)",\#(operation)}"#
            )
            let event = try #require(asked.members["eventId"], "\(asked.text)")
            #expect(asked.text.contains(#""method":"\#(method)""#), "\(asked.text)")
            let challenged = try await call(
                "/v1/sca/events/\(event)/challenges",
                """
                {"walletOperationId":"\(id)","verification":{"method":"\(method)","channel":"REDIRECT"},\
                "action":{"returnUrl":"\(returnURL)"}}
                """)
            let text = try #require(challenged.members["redirectUrl"], "\(challenged.text)")
            let page = try #require(URL(string: text))
            server.ledger.enter(queryItems(of: text)["ticket"])
            return (event, page)
        }

        /// The app's answer when it asks for the outcome.
        func outcome(_ event: String, _ id: String, by method: String = "PASSWORD") async throws -> WebAnswer {
            try await call(
                "/v1/sca/events/\(event)/attempts",
                #"{"walletOperationId":"\#(id)","verification":{"method":"\#(method)","channel":"REDIRECT"},"value":""}"#
            )
        }

        /// Opens the page, and presses a button of it.
        func press(
            _ action: String, on url: URL, typing fields: [String: String] = [:]
        ) async throws -> HeadlessBrowser.Arrival {
            guard
                case .page(let shown, let page) = try await browser.open(url, until: ConsentPageEndToEndTests.returnURL)
            else {
                throw HeadlessBrowser.Stuck(description: "the link is no page")
            }
            for part in ["€90.00", "Anna Verna", "DE02", "Transfer", "Backend", person.username] {
                #expect(page.text.contains(part), "missing: \(part)")
            }
            return try await browser.submit(
                browser.form(on: page, at: shown), typing: fields.merging(["action": action]) { $1 },
                until: ConsentPageEndToEndTests.returnURL)
        }
    }

    /// Starts a server with a person who signed in by two factors, and whose app has a return URL.
    func withSetting(
        _ arguments: [String] = [], _ body: @Sendable (Setting) async throws -> Void
    ) async throws {
        try await withServer(arguments) { server in
            let person = try await server.makeReachableAccount("ada")
            let client = try await server.makePublicClient(
                options: [
                    "--consent-return-url", Self.returnURL, "--consent-return-url", "https://app.example.com/agreed",
                ])
            let app = StandardClient(client, at: server, key: P256.Signing.PrivateKey())
            let backend = StandardClient(try await server.makeConfidentialClient(), at: server)
            let granted = try await backend.token([("grant_type", "client_credentials")])
            try await body(
                Setting(
                    server: server, person: person, app: app, backend: backend,
                    browser: HeadlessBrowser(ledger: server.ledger), access: try await signIn(person, app, server),
                    backendToken: try #require(granted.members["access_token"], "\(granted.text)")))
        }
    }

    /// By the hosted page, with the code that went to the mailbox.
    private func signIn(_ person: Person, _ app: StandardClient, _ server: RunningServer) async throws -> String {
        let browser = HeadlessBrowser(ledger: server.ledger)
        let journey = await app.beginAuthorization()
        let uri = app.client.redirectURI
        guard case .page(let url, let page) = try await browser.open(journey.url, until: uri),
            case .page(let next, let asked) = try await browser.submit(
                browser.form(on: page, at: url), typing: ["username": person.username, "password": person.password],
                until: uri)
        else { throw HeadlessBrowser.Stuck(description: "the sign-in asks for no second factor") }
        let arrival = try await browser.submit(
            browser.form(on: asked, at: next), typing: ["answer": try await server.newestCode()], until: uri)
        guard case .callback(let callback) = arrival,
            let code = queryItems(of: callback.absoluteString)["code"]
        else { throw HeadlessBrowser.Stuck(description: "the code was not taken: \(arrival)") }
        return try app.tokens(await app.redeem(code, verifier: journey.verifier)).access
    }

    @Test(
        "The field and the button to approve are on a small phone's first screen, also after a wrong password and with a long name",
        .onceForAllEngines,
        arguments: ["Anna Verna", "Vereinigte Baugenossenschaft der Eisenbahner Berlin-Brandenburg und Rh"])
    func fold(payee: String) async throws {
        try await withSetting { setting in
            let operation = Self.operation.replacing("Anna Verna", with: payee)
            let (_, page) = try await setting.link("fold", operation: operation)
            let output = try await setting.server.peer(
                "chromium_fold.py", [page.absoluteString, "button[value=agree]", "button[value=refuse]"])
            let seen = try JSONSerialization.jsonObject(with: output) as? [String: Any]
            let bottom = try #require(seen?["bottom"] as? Int)
            #expect(bottom <= 667, "the button ends at \(bottom)")
            let bottomOfRefusal = try #require(seen?["bottomOfOther"] as? Int)
            #expect(bottomOfRefusal <= 667, "the button for a person who started nothing ends at \(bottomOfRefusal)")
            let bottomAfterFault = try #require(seen?["bottomAfterFault"] as? Int)
            #expect(bottomAfterFault <= 667, "the button ends at \(bottomAfterFault)")
            #expect(seen?["overflow"] as? Int == 0)
            #expect(seen?["broken"] as? [String] == [])
        }
    }

    @Test("Back after approving or refusing shows the outcome, and not the form with its password", .onceForAllEngines)
    func backAfterTheEnd() async throws {
        try await withSetting { setting in
            for (action, said) in [("agree", "Approved"), ("refuse", "The request was refused")] {
                let (_, page) = try await setting.link("back-\(action)")
                let output = try await setting.server.peer(
                    "chromium_back.py", [page.absoluteString, action], input: setting.person.password + "\n")
                let seen = try JSONSerialization.jsonObject(with: output) as? [String: Any]
                #expect(seen?["isAsking"] as? Bool == false)
                let text = try #require(seen?["text"] as? String)
                #expect(text.contains(said), "\(text)")
            }
        }
    }

    @Test("A link opens in a browser without a session, a wrong password costs a try, the right one pays once")
    func agree() async throws {
        try await withSetting { setting in
            let (event, page) = try await setting.link("op-1")
            let found = try await setting.press(
                "agree", on: page, typing: ["password": "Pw-\(UUID().uuidString)"])
            guard case .page(_, let wrong) = found else {
                Issue.record("a wrong password led back: \(String(describing: found))")
                return
            }
            #expect(wrong.status == 400)
            let failed = try await setting.outcome(event, "op-1")
            #expect(failed.members["statusReason"] == "INVALID_VALUE", "\(failed.text)")
            #expect(failed.members["remainingAttempts"] == "4")

            let arrival = try await setting.press(
                "agree", on: page, typing: ["password": setting.person.password])
            guard case .callback(let back) = arrival else {
                Issue.record("the right password did not lead back: \(arrival)")
                return
            }
            #expect(queryItems(of: back.absoluteString) == ["event_id": event, "wallet_operation_id": "op-1"])
            let verified = try await setting.outcome(event, "op-1")
            #expect(verified.members["status"] == "VERIFIED", "\(verified.text)")
            let body = #"{"eventId":"\#(event)","accountId":"\#(try setting.account)",\#(Self.operation)}"#
            let used = try await setting.ask("/v1/wallet-operations/op-1/consume", body)
            #expect(used.members["status"] == "AUTHORIZED", "\(used.text)")
            let again = try await setting.ask("/v1/wallet-operations/op-1/consume", body)
            #expect(again.members["code"] == "sca_already_used")
        }
    }
}

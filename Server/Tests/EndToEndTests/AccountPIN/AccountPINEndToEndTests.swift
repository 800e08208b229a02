import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// The PIN of an account against the running program: set on its page by a browser without script, and asked for by the SDK.
@Suite("The PIN of an account against the running server", .covers("REDIRECT to ISSUER/consent"))
struct AccountPINEndToEndTests {
    private static let pin = "804613972558"
    private static let wrong = "170395826641"

    /// Turns PINs on, and has a person set one on the page of their account.
    private func setPIN(of person: Person, at server: RunningServer) async throws {
        for pin in [Self.pin, Self.wrong] { server.ledger.enter(pin) }
        try await server.require(["brand", "update", "default", "--account-pin", "on"])
        let browser = HeadlessBrowser(ledger: server.ledger)
        var shown = try await browser.open(await server.url("/account"), until: "none:").shown
        shown = try await browser.press(
            "sign_in", on: shown,
            typing: ["username": person.username, "password": person.password])
        if shown.answer.text.contains("name=\"answer\"") {
            shown = try await browser.press(
                "answer_factor", on: shown, typing: ["answer": try await server.newestCode()])
        }
        shown = try await browser.press("manage_pin", on: shown)
        // The page's first form is the one that sets.
        let form = try await browser.form(on: shown.answer, at: shown.url)
        shown = try await browser.submit(
            form, typing: ["new_pin": Self.pin, "repeated_pin": Self.pin], until: "none:"
        ).shown
        #expect(shown.answer.text.contains("The PIN was saved."), "\(shown.answer.text)")
        #expect(shown.answer.text.contains("Your PIN can’t be used to approve payments until "), "\(shown.answer.text)")
    }

    @Test("The app asks for the page with the PIN, the person signs in by it, and five wrong ones leave the password")
    func signIn() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let reset = "https://app.example.com/forgot"
            let client = try await server.makePublicClient(options: ["--reset-credentials-url", reset])
            let device = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let wallet = try device.wallet(issuer: await server.issuer, client: client)
            func details() async throws -> URL {
                try await wallet.authentication.getAuthenticationDetails(
                    brandIdentity: "default",
                    request: .init(
                        clientIdentifier: client.id, codeChallenge: OAuthCodeChallenge(), resetCredentialsURL: reset,
                        state: randomText(16), redirectURI: client.redirectURI, loginStrategy: .pin)
                ).authenticationURL
            }
            let off = await #expect(throws: WalletError.self) { try await details() }
            #expect(off?.code == .loginStrategyUnavailable)
            #expect(off?.outcome == .misconfigured)
            try await setPIN(of: person, at: server)
            let callback = try await HeadlessBrowser(ledger: server.ledger).signIn(
                at: try await details(), typing: ["username": person.username, "pin": Self.pin],
                until: client.redirectURI)
            let code = try await wallet.authentication.callback(callback)
            try await wallet.authenticate(code: code)
            let (_, response) = try await wallet.perform(URLRequest(url: await server.url("/oauth2/userinfo")))
            #expect(response.statusCode == 200)

            let url = try await details()
            let stranger = HeadlessBrowser(ledger: server.ledger)
            for _ in 0..<5 {
                let asked = try await stranger.open(url, until: client.redirectURI).shown
                let refused = try await stranger.press(
                    "sign_in_by_pin", on: asked,
                    typing: ["username": person.username, "pin": Self.wrong])
                #expect(refused.answer.status == 400)
            }
            let asked = try await stranger.open(url, until: client.redirectURI).shown
            let late = try await stranger.press(
                "sign_in_by_pin", on: asked, typing: ["username": person.username, "pin": Self.pin])
            #expect(late.answer.status == 400)
            #expect(try await server.require(["account", "show", person.username]).contains("Its PIN is locked"))
            try await server.require(["account", "remove-pin", person.username])
            #expect(try await server.require(["audit", "tail", "--kind", "account_pin.locked"]) != "No entries.")
        }
    }

    @Test(
        "The SDK signs in by the PIN in the app's own screens, a linked device without a second factor and at one factor"
    )
    func native() async throws {
        try await LinkedPhone.use { linked in
            let (wallet, person) = (linked.wallet, linked.person)
            for pin in [Self.pin, Self.wrong] { linked.server.ledger.enter(pin) }
            let off = await #expect(throws: WalletError.self) {
                try await wallet.login(username: person.username, accountPIN: Self.pin)
            }
            #expect(off?.code == .loginStrategyUnavailable)
            try await setPIN(of: person, at: linked.server)
            let wrong = await #expect(throws: WalletError.self) {
                try await wallet.login(username: person.username, accountPIN: Self.wrong)
            }
            #expect(wrong?.code == .invalidCredentials)
            #expect(wrong?.operation == .loginByAccountPIN)
            try await wallet.login(username: person.username, accountPIN: Self.pin).signedIn()
            #expect(wallet.identity?.acr == "urn:wallet-auth:acr:1fa")
        }
    }

    @Test(
        "The terminal wallet signs in by the PIN of the account, typed or piped, and says what to do where it cannot",
        .onceForAllEngines)
    func terminal() async throws {
        try await withTerminalWallet { server, wallet, person in
            for pin in [Self.pin, Self.wrong] { server.ledger.enter(pin) }
            let typed = ["sign-in", "--username", person.username, "--account-pin"]
            let piped = typed + ["--pin-stdin"]
            let off = try await wallet.run(piped, input: Self.pin + "\n")
            #expect(off.ending == .exited(1))
            #expect(
                off.errors.contains("walletauth brand update default --account-pin on"), "\(off.errors)")

            try await setPIN(of: person, at: server)
            let right = try await wallet.run(piped, input: Self.pin + "\n")
            #expect(right.succeeded, "\(right.errors)")
            let hidden = try await wallet.run(
                typed, answering: [("Account PIN for \(person.username): ", .text(Self.pin))])
            #expect(hidden.succeeded, "\(hidden.output) \(hidden.errors)")
            #expect(!hidden.output.contains(Self.pin))
            let wrong = try await wallet.run(piped, input: Self.wrong + "\n")
            #expect(wrong.ending == .exited(1))
            #expect(wrong.errorLines.count == 1, "\(wrong.errors)")
            #expect(wrong.errors.contains("the PIN is locked"), "\(wrong.errors)")
            try await server.require(["account", "expire-password", person.username])
            let expired = try await wallet.run(piped, input: Self.pin + "\n")
            #expect(expired.errors.contains("your password must be changed first"), "\(expired.errors)")
        }
    }

    @Test("The SDK opens the page of a payment, the person types the PIN of the account there, and it is paid once")
    func paymentBySDK() async throws {
        let address = "com.example.wallet:/callback"
        try await LinkedPhone.use(["--consent-return-url", address]) { linked in
            try await setPIN(of: linked.person, at: linked.server)
            try await linked.server.write("UPDATE account_pins SET cooling_until = 0")
            let operation = try WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
                payee: Payee(name: "Blumen Huber", account: "DE02120300000000202051"))
            let shop = try Shopfront(
                linked.phone.network, issuer: await linked.server.issuer,
                client: try await linked.server.makeConfidentialClient("shop"), selling: operation)
            let device = linked.phone.ports
            let wallet = try await linked.another(
                Wallet.Ports(
                    transport: shop, store: device.store, userAgent: device.userAgent, keys: device.keys,
                    presence: device.presence, time: device.time))
            try await wallet.setUp()
            let browser = HeadlessBrowser(ledger: linked.server.ledger)
            linked.phone.browser.setBehavior { url in
                linked.server.ledger.enter(queryItems(of: url.absoluteString)["ticket"])
                guard case .page(let shown, let page) = try await browser.open(url, until: address),
                    page.text.contains("€12.50"), page.text.contains("Blumen Huber"),
                    case .callback(let back) = try await browser.submit(
                        browser.form(on: page, at: shown), typing: ["pin": Self.pin, "action": "agree_by_pin"],
                        until: address)
                else { throw UserAgentFailure(.failed, reason: "the page led nowhere") }
                return .callback(back)
            }
            var request = URLRequest(url: try #require(URL(string: Shopfront.origin + Shopfront.path)))
            request.httpMethod = "POST"
            request.httpBody = Data(#"{"basket":17}"#.utf8)
            let (_, response) = try await wallet.perform(
                request, onSCA: { _ in .page }, choosing: { _ in .hostedPIN })
            #expect(response.statusCode == 201)
            #expect(shop.receipts.count == 1)
            guard case .verified(let consent)? = shop.receipts.first?.basis else {
                Issue.record("it was not agreed to: \(String(describing: shop.receipts.first?.basis))")
                return
            }
            #expect(consent.methods.contains("pin"))
        }
    }
}

import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Error pages")
struct FaultPageTests {
    @Test("A page about the app's fault says what to do, what its developer should check, and the trace to quote")
    func nextStep() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            for (changes, hint) in [
                (["client_id": "nobody"], PageText.developerUnknownClient),
                (["redirect_uri": "https://other.example/"], .developerRedirectMismatch),
                (["redirect_uri": nil], .developerRedirectMissing),
            ] as [([String: String?], PageText)] {
                for language in Language.allCases {
                    let page = try await client.get(
                        "/oauth2/authorize?" + Journey.query(changes),
                        [.acceptLanguage: language.rawValue, .traceParent: "00-\(trace)-00f067aa0ba902b7-01"])
                    let text = language.text
                    #expect(page.status == .badRequest)
                    #expect(page.text.contains(HTMLEscaping().escapeText(text[.nextStepApp])))
                    let filled = text[hint, ["issuer": TestServer.issuer]]
                    let details = try #require(page.text.firstMatch(of: /<details>[^|]*<\/details>/))
                    #expect(details.output.contains(HTMLEscaping().escapeText(filled)))
                    #expect(page.text.contains("<code>\(trace)</code>"))
                }
            }
        }
    }

    @Test("An error page is in the language that ui_locales asks for, in a query and in a form, whatever else is wrong")
    func languages() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let asked: HTTPFields = [.acceptLanguage: "fr"]
            let request = Journey.query(["client_id": "nobody", "ui_locales": "xx de_AT"])
            let pages = [
                try await client.get("/oauth2/authorize?" + request, asked),
                try await client.get("/oauth2/authorize?" + request + "&state=1&state=2&ui_locales=bg", asked),
                try await client.post(
                    "/oauth2/authorize", body: request, "application/x-www-form-urlencoded", asked),
            ]
            let headings = [PageText.unknownClientHeading, .malformedRequestHeading].map {
                HTMLEscaping().escapeText(Language.german.text[$0])
            }
            for page in pages {
                #expect(page.status == .badRequest)
                #expect(page.headers[.contentLanguage] == "de")
                #expect(headings.contains { page.text.contains("<h1>\($0)</h1>") })
            }
            let malformed = try await client.get("/oauth2/authorize?ui_locales=%zz&client_id=nobody", asked)
            #expect(malformed.headers[.contentLanguage] == "fr")
        }
    }

    @Test("An error page in place of a form's next page keeps the languages of the form")
    func languagesOfForms() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let asked: HTTPFields = [.acceptLanguage: "fr"]
            let request = Journey.query(["ui_locales": "xx de_AT"])
            for path in ["/oauth2/authorize?" + request, "/account?ui_locales=de_AT"] {
                let page = try await client.get(path, asked)
                let form = try #require(page.text.firstMatch(of: /<form method="post" action="([^"]+)"/))
                let (request, csrf) = (try page.field("request"), try page.field("csrf"))
                // Without its cookie the form has expired; with a doubled field it is malformed.
                let answers = [
                    try await client.post(
                        String(form.1), ["request": request, "csrf": csrf, "action": "cancel"], asked),
                    try await client.post(String(form.1), ["request": request, "request": request], asked),
                ]
                for answer in answers {
                    #expect(answer.status == .badRequest)
                    #expect(answer.headers[.contentLanguage] == "de")
                }
            }
        }
    }

    @Test("A request that makes no sense: its developer reads which parameter, and nothing of what the sender wrote")
    func malformed() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let doubled = try await client.get("/oauth2/authorize?" + Journey.query() + "&state=%3Cb%3Ex")
            #expect(doubled.text.contains("state appears more than once"))
            #expect(doubled.text.contains(HTMLEscaping().escapeText(Language.english.text[.nextStepApp])))
            for attack in ["Call%20555&Call%20555", "%3Cscript%3E=1&%3Cscript%3E=2", "x=%3Cimg%20src=x%3E&x=evil"] {
                let page = try await client.get("/oauth2/authorize?" + attack)
                #expect(page.status == .badRequest)
                for text in ["Call", "<script", "<img", "evil", "&lt;"] {
                    #expect(!page.text.contains(text), "\(attack): \(text)")
                }
            }
        }
    }

    @Test(
        "Each kind of error page has a heading and a way on: a link, or back to the app, and then the account comes second",
        arguments: Language.allCases)
    func waysOn(language: Language) throws {
        let pages = Pages(issuer: try Issuer(TestServer.issuer), templates: try PageTemplates(pages: []))
        let address = TestServer.issuer + "/sandbox/outbox"
        let faults: [PageFault] = [
            .unknownClient, .redirectMismatch(nil), .malformedRequest(nil), .expiredPage, .serverFault, .unavailable,
            .notFound, .foreignHost(address: address),
        ]
        var headings: Set<Substring> = []
        for fault in faults {
            for isGet in [true, false] {
                var facts = RequestFacts()
                facts.acceptLanguage = language.rawValue
                facts.isGet = isGet
                let page = String(
                    decoding: pages.fault(fault, status: .badRequest, code: nil, facts).body, as: UTF8.self)
                headings.insert(try #require(page.firstMatch(of: /<h1>([^<]+)<\/h1>/)).1)
                let link = page.firstMatch(of: /<a class="button" href="([^"]*)"/)?.1
                let account = TestServer.issuer + "/account"
                let (expected, nextStep): (String?, PageText) =
                    switch fault {
                    case .foreignHost: (address, .nextStepOwnAddress)
                    case .serverFault, .unavailable: (isGet ? "" : account, .nextStepService)
                    case .notFound: (account, .nextStepAddress)
                    case .expiredPage: (nil, .nextStepRestart)
                    case .unknownClient, .redirectMismatch, .redirectMissing, .malformedRequest: (nil, .nextStepApp)
                    }
                #expect(link.map(String.init) == expected, "\(fault)")
                let words = HTMLEscaping().escapeText(language.text[nextStep, ["address": address]])
                #expect(page.contains("<p class=\"next\">\(words)</p>"), "\(fault)")
                let second = "<p class=\"next\"><a href=\"\(account)\""
                #expect(page.contains(second) == (expected == nil), "\(fault)")
            }
        }
        #expect(headings.count == faults.count)
    }

    @Test(
        "A page without a brand bears the server's domain, and no name at an address that is none",
        arguments: [
            ("https://id.example.com", "id.example.com"), ("http://localhost:8700", nil),
            ("http://127.0.0.1:8700", nil), ("http://[::1]:8700", nil),
        ] as [(String, String?)])
    func ownName(issuer: String, name: String?) throws {
        let pages = Pages(issuer: try Issuer(issuer), templates: try PageTemplates(pages: []))
        #expect(pages.ownName == name)
        let page = String(
            decoding: pages.fault(.notFound, status: .notFound, code: nil, RequestFacts()).body, as: UTF8.self)
        #expect(page.contains("class=\"monogram\"") == (name != nil))
    }

    @Test("An expired page keeps its brand, and only a genuine form borrows one")
    func brandOfExpired() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.execute(["brand", "update", "default", "--name", "Aurora"])
            for (path, action) in [
                ("/oauth2/authorize?" + Journey.query(), "/sign-in"), ("/account", "/account"),
            ] {
                let page = try await client.get(path)
                let brand = "<span class=\"brand-name\">Aurora</span>"
                #expect(page.text.contains(brand))
                let (request, csrf) = (try page.field("request"), try page.field("csrf"))
                // Without its cookie the form has expired.
                let expired = try await client.post(action, ["request": request, "csrf": csrf, "action": "cancel"])
                #expect(expired.status == .badRequest)
                #expect(expired.text.contains(brand), "\(expired.text)")
                let forged = try await client.post(
                    action, ["request": "A" + request, "csrf": csrf, "action": "cancel"])
                #expect(forged.status == .badRequest)
                #expect(!forged.text.contains("class=\"brand\""), "\(forged.text)")
            }
        }
    }

    @Test("The account's own expired page leads to the account, and speaks of no app", arguments: Language.allCases)
    func expiredAccountPage(language: Language) async throws {
        try await TestServer.serve { _, client in
            let page = try await client.get("/account")
            let (request, csrf) = (try page.field("request"), try page.field("csrf"))
            let expired = try await client.post(
                "/account", ["request": request, "csrf": csrf, "action": "sign_out"],
                [.acceptLanguage: language.rawValue])
            #expect(expired.text.contains("<a class=\"button\" href=\"\(TestServer.issuer)/account\""))
            #expect(!expired.text.contains(HTMLEscaping().escapeText(language.text[.nextStepRestart])))
        }
    }

    @Test(
        "The address of a sign-in's form, opened by itself, is an expired page",
        arguments: Language.allCases)
    func withoutForm(language: Language) async throws {
        try await TestServer.serve { _, client in
            for path in ["/sign-in", "/sign-in?", "/consent"] {
                let page = try await client.get(path, [.accept: "text/html", .acceptLanguage: language.rawValue])
                #expect(page.status == .badRequest)
                #expect(page.headers[.cacheControl] == "no-store")
                let escaping = HTMLEscaping()
                for text in [PageText.expiredPageHeading, .nextStepRestart] {
                    #expect(page.text.contains(escaping.escapeText(language.text[text])), "\(path)")
                }
            }
        }
    }

    @Test("Nothing at an address, and an expired page, say where to go next")
    func others() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let nowhere = try await client.get("/nowhere", [.accept: "text/html"])
            #expect(nowhere.text.contains(Language.english.text[.nextStepAddress]))
            let page = try await Journey.open(client)
            let expired = try await client.post(
                "/sign-in", ["request": page.field("request"), "csrf": page.field("csrf"), "action": "cancel"])
            #expect(expired.text.contains(Language.english.text[.expiredPage]))
            #expect(!expired.text.contains("<details"))
        }
    }
}

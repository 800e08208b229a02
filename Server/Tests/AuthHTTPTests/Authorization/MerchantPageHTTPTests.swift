import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP

@Suite("The choice of a merchant over HTTP")
struct MerchantPageHTTPTests {
    private func furnish(_ server: TestServer) async throws {
        try await server.makePublicClient {
            $0.requiresDPoP = false
            $0.requiresMerchant = true
        }
        try await server.makeAccount()
        for (id, name) in [("m1", "Bakery <b>"), ("m2", "Kiosk"), ("m3", "Kiosk")] {
            try await server.execute(["merchant", "create", id, "--name", name])
            try await server.execute(["merchant", "install-client", id, "--client", "wallet"])
            try await server.execute(
                ["merchant", "add-employee", id, "maria"])
        }
    }

    @Test(
        "Each merchant has a button, in the page's language; those of one name can be distinguished, and one press leads back",
        arguments: [
            ("en", "Choose a business"), ("de", "Betrieb auswählen"), ("fr", "Choisir un établissement"),
            ("es", "Elegir un comercio"), ("bg", "Изберете търговец"),
        ])
    func page(tag: String, heading: String) async throws {
        try await TestServer.serve { server, client in
            try await furnish(server)
            var visit = BrowserOverHTTP(client: client)
            let first = try await visit.open("/oauth2/authorize?" + Journey.query(["ui_locales": tag]))
            let login = [("username", "maria"), ("password", "correct horse battery")]
            let page = try await visit.press("sign_in", on: first, at: "/sign-in", login)
            #expect(page.status == .ok, "\(page.text)")
            for words in [heading, "maria", ">Kiosk (m2)</button>", ">Kiosk (m3)</button>", "Bakery &lt;b&gt;"] {
                #expect(page.text.contains(words), "missing: \(words)")
            }
            let merchants = page.text.matches(of: /name="merchant" value="([a-z0-9]+)"/).map { String($0.output.1) }
            #expect(merchants == ["m1", "m2", "m3"])
            let back = try await visit.press("choose_merchant", on: page, at: "/sign-in", [("merchant", "m2")])
            #expect(back.status == .seeOther)
            let code = try #require(try back.redirectParameters["code"])
            let tokens = try await Journey.redeem(client, code)
            #expect(tokens.status == .ok, "\(tokens.text)")
            #expect(try tokens.member("merchant_id") == "m2")
        }
    }
}

import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP

@Suite(
    "The pages of a sign-in that authorizes a payment, over HTTP", .covers("payments in authorization_details"))
struct PaymentPageHTTPTests {
    private static let details =
        #"[{"type":"payment_initiation","instructedAmount":{"currency":"EUR","amount":"1250.50"},"#
        + #""creditorName":"B <b> & Co","creditorAccount":{"iban":"DE89370400440532013000"},"#
        + #""remittanceInformationUnstructured":"Invoice 7"}]"#

    private static func register(_ client: inout ClientRegistration) {
        client.redirectURIs = ["https://app.example.com/callback"]
        client.scopes = ["openid"]
        client.authorizationDetailsTypes = ["payment_initiation"]
    }

    @Test(arguments: [("en", "€1,250.50", "Payee’s account"), ("de", "1.250,50\u{A0}€", "Konto des Empfängers")])
    func `The first page has amount, payee, IBAN in fours and reference in the reader's language`(
        tag: String, amount: String, label: String
    ) async throws {
        try await TestServer.serve { server, client in
            _ = try await server.makeBackend("ledger", Self.register)
            let page = try await Journey.open(
                client,
                [
                    "client_id": "ledger", "scope": "openid", "ui_locales": tag, "authorization_details": Self.details,
                ])
            #expect(page.status == .ok, "\(page.text)")
            for words in [amount, label, "DE89 3704 0044 0532 0130 00", "B &lt;b&gt; &amp; Co", "Invoice 7"] {
                #expect(page.text.contains(words), "missing: \(words)")
            }
        }
    }

    @Test func `The metadata says which types and parameters are taken`() async throws {
        try await TestServer.serve { _, client in
            let metadata = try await client.get("/.well-known/oauth-authorization-server").json
            #expect(metadata["authorization_details_types_supported"]?.strings == ["payment_initiation"])
            #expect(metadata["claims_parameter_supported"] == true)
            #expect(metadata["display_values_supported"]?.strings == ["page", "popup", "touch", "wap"])
        }
    }
}

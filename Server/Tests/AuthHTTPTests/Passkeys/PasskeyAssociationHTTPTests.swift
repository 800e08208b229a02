import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing
import WalletAuthWire

@testable import AppleStandIn
@testable import Consent
@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions
@testable import Web

@Suite("Who may use the server's passkeys", .covers("GET /.well-known/assetlinks.json, GET /.well-known/webauthn"))
struct PasskeyAssociationHTTPTests {
    @Test("Google's and WebAuthn's lists name the apps and sites of the operator's own clients")
    func lists() async throws {
        try await TestServer.serve { server, client in
            let none = try await client.get("/.well-known/assetlinks.json")
            #expect(none.text == "[]")
            #expect(try await client.get("/.well-known/webauthn").text == #"{"origins":[]}"#)
            try await server.makePublicClient("wallet") {
                $0.androidApps = ["com.example.wallet=" + String(repeating: "0f", count: 32)]
                $0.passkeyOrigins = ["https://shop.example.com"]
            }
            try await server.makePublicClient("other") { $0.passkeyOrigins = ["https://club.example.com"] }
            let links = try await client.get("/.well-known/assetlinks.json")
            #expect(links.headers[.contentType] == "application/json")
            let fingerprint = Array(repeating: "0F", count: 32).joined(separator: ":")
            #expect(
                links.text
                    == #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"android_app","#
                    + #""package_name":"com.example.wallet","sha256_cert_fingerprints":["\#(fingerprint)"]}}]"#)
            #expect(
                try await client.get("/.well-known/webauthn").text
                    == #"{"origins":["https://club.example.com","https://shop.example.com"]}"#)
        }
    }
}

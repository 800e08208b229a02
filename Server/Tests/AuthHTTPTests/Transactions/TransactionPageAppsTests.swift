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

/// The apps that a link opens, and where to get them.
extension TransactionPageHTTPTests {
    @Test(
        "Store links are https and an app's; a backend has none",
        arguments: ["http://apps.apple.com/app/id1", "javascript:alert(1)", "apps.apple.com", "itms-apps://x"])
    func wrongStoreLinks(url: String) async throws {
        try await TestServer.serve { server, _ in
            for option in ["--app-store-url", "--play-store-url"] {
                let words = [
                    "client", "create", "--name", "App", "--first-party", "--redirect-uri",
                    "https://app.example.com/callback",
                ]
                #expect(
                    await server.server.administration.execute(AdminRequest(words + [option, url])).status == .refused)
                let backend = [
                    "client", "create", "--name", "Till", "--confidential", option, "https://shop.example/app",
                ]
                #expect(await server.server.administration.execute(AdminRequest(backend)).status == .refused)
            }
        }
    }

    @Test("Apple's list of apps names those of the clients, and the path of the links")
    func associatedApps() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient("wallet") { $0.appleAppIDs = ["ABCDE12345.com.example.wallet"] }
            try await server.makePublicClient("other") { $0.appleAppIDs = ["FGHIJ67890.com.example.other"] }
            let answer = try await client.get("/.well-known/apple-app-site-association")
            #expect(answer.headers[.contentType] == "application/json")
            #expect(
                answer.text
                    == #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.wallet","#
                    + #""FGHIJ67890.com.example.other"],"components":[{"/":"/t/*"}]}]},"#
                    + #""webcredentials":{"apps":["ABCDE12345.com.example.wallet","FGHIJ67890.com.example.other"]}}"#)
            for id in ["com.example.wallet", "abcde12345.com.example", "ABCDE12345.", "ABCDE12345.com example"] {
                var registration = ClientRegistration(name: "App", kind: .public)
                registration.redirectURIs = ["https://app.example.com/callback"]
                registration.firstParty = true
                registration.appleAppIDs = [id]
                let refused = await server.server.administration.execute {
                    try await ClientAdministration($0).create(registration)
                }
                #expect(refused.status == .refused)
            }
        }
    }
}

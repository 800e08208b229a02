import Crypto
import Foundation
import Testing

@Suite("Agreeing with a passkey in a browser", .onceForAllEngines)
struct PasskeyConsentPeerTests {
    private static let returnURL = "https://app.example.com/agreed"

    private struct Agreed: Decodable {
        let shown: String
        let contained: Bool
        let back: String
    }

    @Test("Chromium makes a passkey, shows the payment, agrees to it with the passkey, and it is paid once")
    func agree() async throws {
        try await ConsentPageEndToEndTests().withSetting(["--host", "localhost"]) { setting in
            let server = setting.server
            let kept = server.folder.appending(path: "authenticator.json").path
            let desktop = try await server.makePublicClient("desktop", redirectURI: "http://127.0.0.1/callback")
            let challenge = base64URL(Data(SHA256.hash(data: Data(randomText(32).utf8))))
            _ = try await server.peer(
                "chromium_passkey.py",
                [
                    await server.issuer.absoluteString, setting.person.username, desktop.id, challenge,
                    server.databaseName, kept,
                ], input: setting.person.password + "\n")
            let (event, page) = try await setting.link("op-1", by: "PASSKEY", returningTo: Self.returnURL)
            let agreed = try JSONDecoder().decode(
                Agreed.self,
                from: await server.peer("chromium_consent.py", [page.absoluteString, Self.returnURL, kept]))
            for part in ["€90.00", "Anna Verna", "DE02"] { #expect(agreed.shown.contains(part), "missing: \(part)") }
            #expect(agreed.contained, "a value could be drawn over other rows")
            #expect(queryItems(of: agreed.back) == ["event_id": event, "wallet_operation_id": "op-1"])
            let verified = try await setting.outcome(event, "op-1", by: "PASSKEY")
            #expect(verified.members["status"] == "VERIFIED", "\(verified.text)")
            let body =
                #"{"eventId":"\#(event)","accountId":"\#(try setting.account)",\#(ConsentPageEndToEndTests.operation)}"#
            let used = try await setting.ask("/v1/wallet-operations/op-1/consume", body)
            #expect(used.members["status"] == "AUTHORIZED", "\(used.text)")
        }
    }
}

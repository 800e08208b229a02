import Core
import Crypto
import Foundation
import Kernel
import Operations
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Apple

@Suite("Apple as an operator adds it", .covers("walletauth provider add apple, provider check"))
struct RegistrationTests {
    private func refusal(
        _ server: AppleServer, _ change: (inout AppleRegistration) -> Void
    ) async throws -> String {
        var registration = server.registration("another")
        change(&registration)
        let answer = await server.administration.execute { [registration] in try await server.add(registration, in: $0)
        }
        #expect(answer.status != .done)
        return answer.lines.joined(separator: " ")
    }

    @Test("The log names Apple's commands by the words of the command line, and none of their values")
    func title() async throws {
        let server = try await AppleServer.start()
        for (options, title) in [
            (["apple", "--team-id", "1", "--key-id", "2", "--private-key", "k.p8"], "provider add apple"),
            (["apple", "--to-team", "TEAM000002"], "provider transfer"),
        ] {
            let command = AdminRequest(title.split(separator: " ").map(String.init) + options, input: "secret")
            #expect(try server.administration.command(for: command).loggedTitle == title)
        }
    }

    @Test("What is added is shown with the merchant's integration and without the key, and removed with it")
    func shown() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        try await server.add {
            $0.merchantID = 10_101_010
            $0.integrationID = "apple-integration"
            $0.cardTemplate = 0
            $0.activationStore = "pxweb"
        }
        let shown = await server.administration.execute(["provider", "show", "apple"])
        let json = try JSONValue.object(parsing: Array(shown.json.utf8))
        #expect(json["kind"]?.string == "apple")
        #expect(json["teamId"]?.string == TestApple.teamID)
        #expect(json["clientIds"]?.strings == [TestApple.app, TestApple.servicesID])
        let integration = json["integrations"]?.array?.first?.object
        #expect(integration?["merchantId"]?.integer == 10_101_010)
        #expect(integration?["cardTemplateCode"]?.integer == 0)
        #expect(integration?["activationStoreCode"]?.string == "pxweb")
        let told = shown.json + shown.lines.joined()
        #expect(!told.contains("PRIVATE KEY"))
        #expect(told.contains("10101010 as apple-integration"))
        let found = try await server.context.database.read {
            try ProviderIntegrations.find(merchant: 10_101_010, integration: "apple-integration", on: $0)
        }
        #expect(found?.providerID == "apple")
        // Another provider cannot take the merchant's name for it, and then is not added either.
        let taken = try await refusal(server) {
            $0.merchantID = 10_101_010
            $0.integrationID = "apple-integration"
        }
        #expect(taken.contains("already has an integration apple-integration"))
        #expect(try await server.administer(["provider", "list"])["providers"]?.array?.count == 1)
        try await server.administer(["provider", "remove", "apple"])
        #expect(
            try await server.context.database.read {
                try ProviderIntegrations.find(merchant: 10_101_010, integration: "apple-integration", on: $0)
            } == nil)
    }

    @Test("A second merchant in a brand is added with a warning of what the two share; in another brand there is none")
    func secondMerchant() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        func added(_ id: String, merchant: Int64, brand: String = "default") async throws -> AdministrationAnswer {
            var registration = server.registration(id)
            registration.brand = brand
            registration.merchantID = merchant
            registration.integrationID = id
            return await server.administration.execute { [registration] in try await server.add(registration, in: $0) }
        }
        let first = try await added("first", merchant: 1)
        #expect(!first.lines.contains { $0.contains("share") }, "\(first.lines)")
        let again = try await added("again", merchant: 1)
        #expect(!again.lines.contains { $0.contains("share") }, "\(again.lines)")
        let second = try await added("second", merchant: 2)
        #expect(second.lines.last?.hasPrefix("WARNING: the brand default already has the merchant 1, and") == true)
        let warnings = try second.document()["warnings"]?.strings ?? []
        #expect(warnings.contains { $0.contains("share its accounts") })
        try await server.administer(["brand", "create", "acme", "--name", "Acme"])
        let apart = try await added("apart", merchant: 3, brand: "acme")
        #expect(apart.status == .done && !apart.lines.contains { $0.contains("share") }, "\(apart.lines)")
    }

    @Test("A file that is no .p8 is refused with what it is instead")
    func files() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        let key = P256.Signing.PrivateKey()
        var lines = key.pemRepresentation.split(separator: "\n")
        lines.remove(at: 2)
        let damaged = lines.joined(separator: "\n")
        for (file, words) in [
            ([UInt8]([0xFF, 0xFE]), "is not text"), (Array(key.publicKey.pemRepresentation.utf8), "is a public key"),
            (Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----".utf8), "is a certificate"),
            (
                Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----".utf8),
                "is an encrypted key"
            ),
            (Array("".utf8), "has no line -----BEGIN PRIVATE KEY-----"),
            (Array(P384.Signing.PrivateKey().pemRepresentation.utf8), "is no P-256 private key"),
            (Array(key.pemRepresentation.utf8.prefix(80)), "is cut off"),
            (Array(key.pemRepresentation.replacing("M", with: "*").utf8), "is not base64"),
            (Array(damaged.utf8), "is a damaged P-256 private key"),
        ] {
            #expect(try await refusal(server) { $0.privateKey = file }.contains(words), "\(words)")
        }
        // A file that went through another system's editor.
        try await server.add {
            $0.privateKey = Array(("\n" + server.apple.key.pemRepresentation.replacing("\n", with: " \r\n")).utf8)
        }
        #expect(try await server.redeem(server.apple.code(nonce: nil)) != nil)
    }

    @Test("A .p8 file's lines may have any length", arguments: [76, 40, 1000])
    func lineLength(_ length: Int) throws {
        let key = P256.Signing.PrivateKey()
        let body = Array(key.derRepresentation.base64EncodedString())
        let lines = stride(from: 0, to: body.count, by: length).map { start in
            String(body[start..<min(start + length, body.count)])
        }
        let file = (["-----BEGIN PRIVATE KEY-----"] + lines + ["-----END PRIVATE KEY-----", ""]).joined(separator: "\n")
        let read = try ApplePrivateKey(file: Array(file.utf8))
        #expect(read.signer(keyID: "KEY0000001").publicJWK == P256Signer(key, keyID: "KEY0000001").publicJWK)
    }

    @Test("Ids that cannot be right, or were mixed up, are refused before Apple is asked")
    func ids() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        let cases: [(String, (inout AppleRegistration) -> Void)] = [
            ("team-id must be ten", { $0.teamID = "TEAM" }), ("team-id must be ten", { $0.teamID = "team000001" }),
            ("key-id must be ten", { $0.keyID = "" }), ("are the same", { $0.keyID = TestApple.teamID }),
            ("swapped", { $0.privateKeyName = "AuthKey_\(TestApple.teamID).p8" }),
            ("says key OTHER00001", { $0.privateKeyName = "AuthKey_OTHER00001.p8" }),
            ("client-id is not a bundle id", { $0.clientIDs = ["wallet"] }),
            ("client-id is not a bundle id", { $0.clientIDs = ["com.example.*"] }),
            ("begins with the team id", { $0.clientIDs = ["\(TestApple.teamID).com.example.wallet"] }),
            (
                "client-id is required",
                {
                    $0.clientIDs = []
                    $0.servicesID = nil
                }
            ),
            ("needs both", { $0.merchantID = 1 }), ("needs both", { $0.cardTemplate = 1 }),
            (
                "loyalty-integration must be",
                {
                    $0.merchantID = 1
                    $0.integrationID = "a b"
                }
            ),
            ("base-url", { $0.base = "ftp://example.com" }),
        ]
        for (words, change) in cases { #expect(try await refusal(server, change).contains(words), "\(words)") }
        #expect(server.apple.requests.isEmpty)
        let production = try await AppleServer.start(environment: .production, addsProvider: false)
        #expect(try await refusal(production) { $0.base = "https://stand-in.example.com" }.contains("base-url must be"))
    }

    @Test("A check tells a wrong key, a wrong client id and a missing capability apart, and says when all is well")
    func check() async throws {
        let server = try await AppleServer.start()
        let sound = await server.administration.execute(["provider", "check", "apple"])
        #expect(sound.status == .done)
        #expect(server.apple.asked("/auth/token") == 2, "one question for each client id")

        func problem(_ change: (inout AppleRegistration) -> Void) async throws -> String {
            try await server.administer(["provider", "remove", "apple"])
            try await server.add("apple", change)
            let answer = await server.administration.execute(["provider", "check", "apple"])
            #expect(answer.status != .done)
            return answer.lines.joined(separator: " ")
        }
        let otherKey = Array(P256.Signing.PrivateKey().pemRepresentation.utf8)
        #expect(try await problem { $0.privateKey = otherKey }.contains("do not belong together"))
        #expect(try await problem { $0.keyID = "KEY0000002" }.contains("do not belong together"))
        #expect(try await problem { $0.teamID = "TEAM000002" }.contains("do not belong together"))
        let misspelled = try await problem { $0.clientIDs = [TestApple.app, "com.example.walet"] }
        #expect(misspelled.contains("knows the key, but not for the client id com.example.walet "))
        server.apple.answer("/auth/token", 400, #"{"error":"unauthorized_client"}"#)
        #expect(try await problem { _ in }.contains("not for Sign in with Apple"))
        server.apple.setDown(true)
        #expect(try await problem { _ in }.contains("is not usable"))
        let gone = await server.administration.execute(["provider", "check", "nobody"])
        #expect(gone.lines.joined().contains("There is no provider nobody"))
    }

    @Test("A provider whose key Apple does not know is added all the same, with a warning")
    func warned() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        var registration = server.registration()
        registration.keyID = "KEY0000009"
        let answer = await server.administration.execute { [registration] in try await server.add(registration, in: $0)
        }
        #expect(answer.status == .done)
        #expect(answer.lines.contains { $0.hasPrefix("WARNING: ") && $0.contains("KEY0000009") })
    }

    @Test("The database holds the key sealed")
    func sealed() async throws {
        let server = try await AppleServer.start()
        let record = try await server.context.database.read {
            try IdentityProviders.find("apple", brand: "default", on: $0)
        }
        let kept = try #require(record)
        #expect(!String(decoding: kept.secret ?? [], as: UTF8.self).contains("PRIVATE"))
        #expect(!kept.settings.contains("PRIVATE"))
        #expect(
            kept.settings
                == #"{"base":"https://appleid.apple.com","clientIDs":["com.example.wallet","com.example.wallet.web"],"keyID":"KEY0000001","servicesID":"com.example.wallet.web","teamID":"TEAM000001"}"#
        )
    }
}

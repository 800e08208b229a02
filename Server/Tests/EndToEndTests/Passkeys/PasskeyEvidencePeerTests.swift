import Crypto
import Foundation
import Testing
import WalletAuthWire

/// A consent by another author's authenticator, in the hands of an auditor who has neither server nor database.
@Suite("The proof of a consent by an independent passkey implementation", .onceForAllEngines)
struct PasskeyEvidencePeerTests {
    private static let returnURL = "https://app.example.com/agreed"

    private struct Agreed: Decodable {
        let shown: String
        let back: String
        let signature: String
    }

    private func run(_ arguments: [String], at server: RunningServer, input: String = "") async throws -> Data {
        try await server.peer("fido2_device.py", arguments, input: input)
    }

    /// Agrees to a payment by python-fido2, and gets the proof of it.
    private func pay(_ office: URL) async throws {
        try await ConsentPageEndToEndTests().withSetting(["--host", "localhost"]) { setting in
            let server = setting.server
            let issuer = await server.issuer.absoluteString
            let state = server.folder.appending(path: "authenticator.json").path
            _ = try await run(
                ["register", issuer, setting.person.username, state], at: server,
                input: setting.person.password + "\n")
            try await server.write("UPDATE passkeys SET cooling_until = created_at")
            let (event, link) = try await setting.link("op-1", by: "PASSKEY", returningTo: Self.returnURL)
            let agreed = try JSONDecoder().decode(
                Agreed.self,
                from: await run(["agree", issuer, link.absoluteString, Self.returnURL, state], at: server))
            #expect(agreed.shown.contains("€90.00"))
            #expect(queryItems(of: agreed.back) == ["event_id": event, "wallet_operation_id": "op-1"])
            let body =
                #"{"eventId":"\#(event)","accountId":"\#(try setting.account)",\#(ConsentPageEndToEndTests.operation)}"#
            let used = try await setting.ask("/v1/wallet-operations/op-1/consume", body)
            try #require(used.members["status"] == "AUTHORIZED", "\(used.text)")
            let answer = try await setting.backend.web.get(
                await server.url("/v1/wallet-operations/op-1/evidence"),
                headers: ["Authorization": "Bearer \(setting.backendToken)"])
            try #require(answer.status == 200, "\(answer.text)")
            try answer.body.write(to: office.appending(path: "op-1.jws"))
            try Data(try await server.require(["audit", "key"]).utf8).write(to: office.appending(path: "keys.json"))
            try Data(agreed.signature.utf8).write(to: office.appending(path: "signature"))
        }
    }

    /// One thing that the holder of the audit key changes, and what the program and the independent one say of it.
    struct Lie: Sendable {
        let name: String
        let program: String
        let independent: String
        let change: @Sendable (inout OperationEvidenceClaims, inout PasskeySignature) throws -> Void
    }

    static let lies: [Lie] = [
        Lie(
            name: "amount", program: "is over another operation, event or browser",
            independent: "for another operation, event or browser"
        ) { claims, _ in
            let read = try OperationPayload(parsing: claims.payload)
            let dearer = try WalletOperation(
                type: read.operation.type, amount: Money(minorUnits: 9_000_00, currency: .euro),
                payee: read.operation.payee)
            claims.payload =
                OperationPayload(
                    eventID: read.eventID, operationID: read.operationID, clientID: read.clientID,
                    account: read.account, operation: dearer, expiresAt: read.expiresAt
                ).bytes
        },
        Lie(
            name: "browser", program: "is over another operation, event or browser",
            independent: "for another operation, event or browser"
        ) { _, signature in signature.browser[0] ^= 1 },
        Lie(
            name: "client-data", program: "is not by its key, or was changed",
            independent: "the passkey's signature is wrong"
        ) { _, signature in signature.clientData.append(0x20) },
        Lie(
            name: "site", program: "is by a key of another site", independent: "the passkey is another site's"
        ) { _, signature in signature.authenticatorData[0] ^= 1 },
        Lie(
            name: "unseen", program: "was made without verifying the person",
            independent: "the authenticator did not verify the person"
        ) { _, signature in signature.authenticatorData[32] ^= 0x04 },
        Lie(
            name: "untouched", program: "was made while no one touched the authenticator",
            independent: "the authenticator was not touched"
        ) { _, signature in signature.authenticatorData[32] ^= 0x01 },
        Lie(
            name: "counter", program: "is not by its key, or was changed",
            independent: "the passkey's signature is wrong"
        ) { _, signature in signature.authenticatorData[36] ^= 1 },
        Lie(
            name: "signature", program: "is not by its key, or was changed",
            independent: "the passkey's signature is wrong"
        ) { _, signature in signature.signature[signature.signature.count - 1] ^= 1 },
        Lie(
            name: "key", program: "is not by its key, or was changed", independent: "the passkey's signature is wrong"
        ) { _, signature in
            let point = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
            signature.publicKey.replaceSubrange(10..<42, with: point[..<32])
            signature.publicKey.replaceSubrange(45..<77, with: point[32...])
        },
        Lie(name: "origin", program: "is for another site", independent: "the passkey is for another site") {
            _, signature in signature.origin += "0"
        },
        Lie(name: "party", program: "is for another site", independent: "the passkey is for another site") {
            _, signature in signature.relyingPartyID += "x"
        },
    ]

    @Test(
        """
        Without the server the program and an independent verifier hold python-fido2's signature against the payment; with \
        if the holder of the audit key changes any part of it, neither accepts it, and both say which part
        """)
    func offline() async throws {
        let office = try TemporaryFolder()
        defer { office.remove() }
        try await pay(office.url)
        let held = try await program("op-1.jws", "keys.json", in: office.url)
        #expect(held.succeeded, "\(held.errors)")
        for said in [
            "uv (knowledge), for this operation by PASSKEY/REDIRECT", "signed by passkey", "at http://localhost",
        ] {
            #expect(held.output.contains(said), "\(said) is not in \(held.output)")
        }
        let agreed = try await independent("op-1.jws", "keys.json", in: office.url)
        #expect(agreed.succeeded && agreed.output.hasPrefix("HOLDS AUTHORIZED"), "\(agreed.output) \(agreed.errors)")

        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: office.url.appending(path: name)), as: UTF8.self)
        }
        let keys = try JWKSet(JSONValue.object(parsing: Array(text("keys.json").utf8)))
        let claims = try OperationEvidence(text("op-1.jws")).verified(by: keys)
        let index = try #require(claims.attempts.firstIndex { $0.passkey != nil })
        let signature = try #require(claims.attempts[index].passkey)
        let told = try text("signature")
        #expect(Base64URL.encode(signature.signature) == told)

        let liar = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
        try Data(JWKSet([liar].compactMap(\.publicJWK)).json.bytes).write(to: office.url.appending(path: "liar.json"))
        for lie in Self.lies {
            var (changed, changedSignature) = (claims, signature)
            try lie.change(&changed, &changedSignature)
            changed.attempts[index].passkey = changedSignature
            let document = try await CompactJWSEncoder(signer: liar, type: .walletOperationEvidence)
                .encode(changed.json.bytes, signer: liar)
            try Data(document.utf8).write(to: office.url.appending(path: "\(lie.name).jws"))
            let refused = try await program("\(lie.name).jws", "liar.json", in: office.url)
            #expect(refused.ending == .exited(1), "\(lie.name): \(refused.output)")
            #expect(refused.errors.contains(lie.program), "\(lie.name): \(refused.errors)")
            let found = try await independent("\(lie.name).jws", "liar.json", in: office.url)
            #expect(found.ending == .exited(1), "\(lie.name): \(found.output)")
            #expect(found.output.contains(lie.independent), "\(lie.name): \(found.output) \(found.errors)")
        }
    }

    @Test("The independent verifier takes an app's origin to the letter, as the program does")
    func origins() async throws {
        let office = try TemporaryFolder()
        defer { office.remove() }
        let origins = [
            "https://auth.example.com": true, "https://auth.example.com:8443": true, "https://localhost": true,
            "http://auth.example.com": false, "https://auth.example.com/": false, "https://auth.example.com:443": false,
            "https://auth.example.com:08443": false, "https://auth.example.com:": false,
            "https://auth.example.com:99999": false, "https://Auth.example.com": false,
            "https://auth.example.com?x": false, "https://auth.example.com#": false,
            "https://auth.example.com@evil.example": false, "https://auth..example.com": false, "https://": false,
        ]
        for (origin, holds) in origins { #expect(PasskeyRelyingParty.isWebOrigin(origin) == holds, "\(origin)") }
        let asked =
            origins.keys.sorted() + ["android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 15, count: 32))]
        let program = """
            import sys
            sys.dont_write_bytecode = True
            sys.path.insert(0, sys.argv[1])
            from verify_evidence import can_be_app
            print(*(origin for origin in sys.argv[2:] if can_be_app(origin)), sep="\\n")
            """
        let scripts = Programs.repository.appending(path: "scripts").path
        let found = try await ChildProcess.run(
            Programs.python, ["-c", program, scripts] + asked, folder: office.url)
        #expect(found.succeeded, "\(found.errors)")
        let accepted = found.output.split(separator: "\n").map(String.init)
        #expect(accepted == asked.filter { origins[$0] ?? true })
    }

    private func program(_ document: String, _ keys: String, in folder: URL) async throws -> CommandResult {
        try await ChildProcess.run(
            Programs.walletauth, ["audit", "verify-evidence", document, "--keys", keys], folder: folder)
    }

    /// The independent verifier, which knows the format from the documentation alone.
    private func independent(_ document: String, _ keys: String, in folder: URL) async throws -> CommandResult {
        let script = Programs.repository.appending(path: "scripts/verify_evidence.py")
        return try await ChildProcess.run(Programs.python, [script.path, document, keys], folder: folder)
    }
}

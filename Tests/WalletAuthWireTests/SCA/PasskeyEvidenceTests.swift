import Testing
import WalletAuthWire

@Suite("The proof of an operation that a passkey agreed to")
struct PasskeyEvidenceTests {
    private let sample = SampleEvidence()
    private let passkey = SamplePasskey()

    private func signature(_ statement: SamplePasskey.Statement = SamplePasskey.Statement()) throws -> PasskeySignature
    {
        try passkey.signature(for: sample.payload().bytes, statement)
    }

    /// Why a document proves nothing; nil where it holds.
    private func fault(
        _ claims: OperationEvidenceClaims, rsaVerifier: (JWK) -> (any JWSVerifier)? = { _ in nil }
    ) throws -> EvidenceFault? {
        let document = try sample.sign(claims)
        do throws(EvidenceFault) {
            _ = try document.verified(by: sample.keys, rsaVerifier: rsaVerifier)
            return nil
        } catch { return error }
    }

    /// What contradicts the rest; empty where nothing does.
    private func contradiction(_ signature: PasskeySignature) async throws -> String {
        guard case .contradiction(let what)? = try fault(await sample.byPasskey(signature)) else { return "" }
        return what
    }

    @Test("It holds, comes out as it went in, is of version 2, and says by which two categories the person agreed")
    func holds() async throws {
        let claims = try await sample.byPasskey(signature())
        let read = try sample.sign(claims).verified(by: sample.keys)
        #expect(read == claims)
        #expect(read.version == 2)
        #expect(read.factors.map(\.method) == ["pwd", "pop", "uv"])
        #expect(Set(read.factors.compactMap(\.category)) == [.knowledge, .possession])
        let other = try await sample.authorized()
        #expect(other.version == 1)
    }

    @Test("attack: a document that states another version than its content has is refused, no matter who signed it")
    func otherVersion() async throws {
        let two = try await sample.byPasskey(signature())
        let one = try await sample.authorized()
        for (claims, old, new) in [(two, #""ver":2"#, #""ver":1"#), (one, #""ver":1"#, #""ver":2"#)] {
            let text = String(decoding: claims.json.bytes, as: UTF8.self)
            #expect(text.contains(old))
            let document = try sample.sign(Array(text.replacing(old, with: new).utf8))
            #expect(throws: EvidenceFault.self) {
                _ = try document.verified(by: sample.keys)
            }
        }
    }

    @Test(
        "attack: a signature over another operation, another event or for another browser approves nothing here",
        .threat("A payer who contests, and an app that keeps asking"))
    func otherOperation() async throws {
        let words = "the passkey's signature of attempt 2 is over another operation, event or browser"
        let dearer = try passkey.signature(for: sample.payload(90_01).bytes)
        #expect(try await contradiction(dearer) == words)
        let event = try passkey.signature(
            for: sample.payload().bytes, event: "0190b3f2-0000-7000-8000-00000000002b")
        #expect(try await contradiction(event) == words)
        var browser = try signature()
        browser.browser[0] ^= 1
        #expect(try await contradiction(browser) == words)
        // As a sign-in's challenge is: nothing in it says what it is for.
        var short = SamplePasskey.Statement()
        short.random = []
        #expect(try await contradiction(signature(short)) == words)
    }

    @Test(
        "In an app it holds with the origin of Apple's systems, of Android and of a website, and with no other",
        arguments: [
            ("https://auth.example", true), ("https://shop.example.com", true),
            ("android:apk-key-hash:Dw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8", true),
            ("https://auth.example:8443", true), ("https://localhost", true),
            ("android:apk-key-hash:Dw8P", false), ("http://auth.example", false), ("https://auth.example/x", false),
            ("android:apk-key-hash:Dw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8=", false), ("https://", false),
            ("https://auth.example:443", false), ("https://auth.example:08443", false),
            ("https://auth.example:", false),
            ("https://auth.example:99999", false), ("https://Auth.example", false), ("https://auth.example?x", false),
            ("https://auth.example#", false), ("https://auth.example@evil.example", false),
            ("https://auth..example", false),
            ("https://auth.example ", false), ("HTTPS://auth.example", false),
        ])
    func inApp(origin: String, holds: Bool) async throws {
        var statement = SamplePasskey.Statement()
        statement.origin = origin
        var signature = try signature(statement)
        signature.origin = origin
        var claims = try await sample.byPasskey(signature)
        claims.steps[1].verification = .devicePasskey
        for index in claims.attempts.indices { claims.attempts[index].verification = .devicePasskey }
        #expect((try fault(claims) == nil) == holds)
    }

    /// What an authenticator or a browser said that is no consent, properly signed.
    static let statements: [(String, @Sendable (inout SamplePasskey.Statement) -> Void)] = [
        ("is not a signature of an assertion", { $0.type = "webauthn.create" }),
        ("was asked for by a page of another origin", { $0.origin = "https://auth.example.evil.example" }),
        ("was asked for by a page of another origin", { $0.origin = "http://auth.example" }),
        ("was asked for by a page in another site's frame", { $0.crossOrigin = true }),
        ("is by a key of another site", { $0.relyingParty = "evil.example" }),
        ("was made while no one touched the authenticator", { $0.flags = 0x04 }),
        ("was made without verifying the person", { $0.flags = 0x01 }),
        ("contradicts itself on whether the key can be copied", { $0.flags = 0x15 }),
        ("the credential's data end too early", { $0.flags = 0x45 }),
    ]

    @Test("attack: a signature without a touch, from elsewhere or unseen is refused, with the reason")
    func signedElsewhere() async throws {
        for (words, change) in Self.statements {
            var statement = SamplePasskey.Statement()
            change(&statement)
            let found = try await contradiction(signature(statement))
            #expect(found.hasPrefix("the passkey's signature of attempt 2 ") && found.hasSuffix(words), "\(found)")
        }
    }

    @Test("attack: if one byte of any part is changed after signing, the refusal names that part")
    func everyPart() async throws {
        let whole = try signature()
        let wrong = "is not by its key, or was changed"
        let parts: [(String, WritableKeyPath<PasskeySignature, [UInt8]>, Int)] = [
            (wrong, \.signature, whole.signature.count - 1), (wrong, \.authenticatorData, 36),
            ("is by a key of another site", \.authenticatorData, 0),
            ("is over another operation, event or browser", \.browser, 31),
        ]
        for (words, part, index) in parts {
            var changed = whole
            changed[keyPath: part][index] ^= 1
            #expect(try await contradiction(changed).hasSuffix(words))
        }
        var spaced = whole
        spaced.clientData.append(0x20)
        #expect(try await contradiction(spaced).hasSuffix(wrong))
        var key = whole
        key.publicKey = SamplePasskey().publicKey
        #expect(try await contradiction(key).hasSuffix(wrong))
        var noPoint = whole
        noPoint.publicKey[3] ^= 1
        #expect(try await contradiction(noPoint).hasSuffix("has no key of a supported algorithm"))
        var site = whole
        site.relyingPartyID = "auth.exampla"
        #expect(try await contradiction(site).hasSuffix("is for another site"))
        var origin = whole
        origin.origin = "https://auth.example:444"
        #expect(try await contradiction(origin).hasSuffix("is for another site"))
        // Every byte of what the authenticator and the browser said.
        for index in whole.clientData.indices {
            var changed = whole
            changed.clientData[index] ^= 1
            #expect(try await !contradiction(changed).isEmpty, "client data \(index)")
        }
        for index in whole.authenticatorData.indices {
            var changed = whole
            changed.authenticatorData[index] ^= 1
            #expect(try await !contradiction(changed).isEmpty, "authenticator data \(index)")
        }
    }

    @Test("A signature is where a passkey agreed, and nowhere else")
    func place() async throws {
        var wrong = try await sample.byPasskey(signature())
        wrong.attempts[0].passkey = try signature()
        #expect(try fault(wrong) == .contradiction("attempt 1 is wrong, but has a signature"))
        var device = try await sample.authorized()
        device.attempts[1].passkey = try signature()
        #expect(
            try fault(device) == .contradiction("attempt 2 lacks the passkey's signature, or has one too many"))
    }

    @Test("attack: a consent by passkey without its signature proves nothing")
    func missing() async throws {
        let claims = try await sample.byPasskey(nil)
        #expect(try fault(claims) == .contradiction("attempt 2 lacks the passkey's signature, or has one too many"))
    }

    private struct Verifier: JWSVerifier {
        var answer: Bool
        var algorithm: SigningAlgorithm { .rs256 }
        var keyID: String? { nil }
        func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool { answer }
    }

    @Test("A signature by an RSA key is verified where that is possible, and never passed over where it is not")
    func rsa() async throws {
        var signature = try signature()
        signature.publicKey = SamplePasskey.rsaKey
        let claims = try await sample.byPasskey(signature)
        #expect(
            try fault(claims) == .unverifiable("the passkey's signature of attempt 2 is by an RSA key"))
        #expect(try fault(claims) { _ in Verifier(answer: true) } == nil)
        let refused = try fault(claims) { _ in Verifier(answer: false) }
        #expect(
            refused
                == .contradiction("the passkey's signature of attempt 2 is not by its key, or was changed"))
    }
}

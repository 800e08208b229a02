import Crypto
import Testing
import WalletAuthWire

@Suite("General JWS") struct GeneralJWSTests {
    private let device = P256Signer(P256.Signing.PrivateKey())
    private let pin = P256Signer(P256.Signing.PrivateKey())

    private func text(_ payload: String, _ signers: [P256Signer]) throws -> [UInt8] {
        try GeneralJWS.combining(
            signers.map { try CompactJWSEncoder(signer: $0, type: .walletAuth).encode(Array(payload.utf8), signer: $0) }
        )
    }

    private func verifiers(_ signers: [P256Signer]) throws -> [any JWSVerifier] {
        try signers.map { try #require($0.publicJWK).verifier() }
    }

    @Test("Two keys sign one payload, and both are asked for")
    func both() throws {
        let general = try GeneralJWS(text(#"{"pur":"sca"}"#, [device, pin]))
        #expect(
            try general.verified(inOrderBy: verifiers([device, pin]), type: .walletAuth)
                == Array(#"{"pur":"sca"}"#.utf8))
    }

    @Test("One signature less, one more, the same one twice, or in another order is refused")
    func wrongSignatures() throws {
        for signers in [[device], [pin], [device, device], [pin, pin], [pin, device], [device, pin, pin]] {
            let general = try GeneralJWS(text("{}", signers))
            #expect(throws: JOSEError.self) {
                try general.verified(inOrderBy: verifiers([device, pin]), type: .walletAuth)
            }
        }
        #expect(throws: JOSEError.unknownKey) { try GeneralJWS(text("{}", [device])).verified(inOrderBy: []) }
    }

    @Test("Signatures over different payloads cannot be combined")
    func differentPayloads() throws {
        let one = try CompactJWSEncoder(signer: device, type: nil).encode([1], signer: device)
        let other = try CompactJWSEncoder(signer: pin, type: nil).encode([2], signer: pin)
        #expect(throws: JOSEError.malformed) { try GeneralJWS.combining([one, other]) }
        #expect(throws: JOSEError.malformed) { try GeneralJWS.combining([]) }
    }

    @Test(
        "Unprotected headers cannot choose the algorithm or bring a key, and no member is smuggled in",
        arguments: [
            #""header":{"alg":"none"}"#, #""header":{"jwk":{}}"#, #""header":{"crit":["x"]}"#, #""header":7"#,
            #""extra":1"#, #""signature":"AA""#,
        ])
    func unprotectedHeader(member: String) throws {
        let parts = try CompactJWSEncoder(signer: device, type: nil).encode([1], signer: device).split(separator: ".")
            .map(String.init)
        let good = #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
        #expect(throws: Never.self) { try GeneralJWS(Array(good.utf8)) }
        let bad = good.replacing(#""protected""#, with: member + #","protected""#)
        #expect(throws: JOSEError.self) { try GeneralJWS(Array(bad.utf8)) }
    }

    @Test(
        "An error names an unprotected header only if its name is plain: the error is written to logs",
        arguments: [
            ("alg", "alg"), (#"a\nINFO all is well"#, "an unprotected one"),
            (String(repeating: "x", count: 2000), "an unprotected one"),
        ])
    func unprotectedName(name: String, told: String) {
        let text = #"{"payload":"AQ","signatures":[{"protected":"e30","signature":"AA","header":{"\#(name)":1}}]}"#
        #expect(throws: JOSEError.headerNotAllowed(told)) { try GeneralJWS(Array(text.utf8)) }
    }

    @Test("Texts that are no general JWS, or have more signatures than anybody needs, are refused")
    func malformed() throws {
        for text in [
            "", "{}", "[]", #"{"payload":"AA"}"#, #"{"payload":"AA","signatures":[]}"#,
            #"{"payload":"AA","signatures":[7]}"#,
            #"{"payload":"A.A","signatures":[{"protected":"e30","signature":"AA"}]}"#,
        ] {
            #expect(throws: JOSEError.self) { try GeneralJWS(Array(text.utf8)) }
        }
        let compact = try CompactJWSEncoder(signer: device, type: nil).encode([1], signer: device)
        #expect(throws: JOSEError.malformed) { try GeneralJWS.combining(Array(repeating: compact, count: 5)) }
    }
}

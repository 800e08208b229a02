import Crypto
import Testing
import WalletAuthWire

@Suite("The proof of a transaction")
struct TransactionEvidenceTests {
    private let auditKey = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
    private let deviceKey = P256Signer(P256.Signing.PrivateKey())
    private let pinKey = P256Signer(P256.Signing.PrivateKey())

    /// When the transaction was created, in milliseconds; its payload expires at 1,800,000,000 seconds.
    private static let created: Int64 = 1_799_999_700_000

    private var keys: JWKSet { JWKSet([auditKey].compactMap(\.publicJWK)) }

    /// The device's own signature over a payload.
    private func signature(
        over payload: [UInt8], id: String, factor: DeviceAssertion.Factor? = nil, act: DeviceAssertion.Act? = nil,
        seconds: Int64 = created / 1000 + 20, by key: P256Signer? = nil
    ) async throws -> String {
        let assertion = DeviceAssertion(
            audience: try Issuer("https://auth.example"),
            account: try AccountID("0190b3f2-0000-7000-8000-000000000001"), deviceID: try DeviceID("device-1"),
            factor: try factor ?? .pin(#require(PINEpoch(exactly: 1))),
            challengeID: try ChallengeID("0190b3f2-0000-7000-8000-0000000000aa"), nonce: try Nonce("bm9uY2U"),
            act: try act ?? .transaction(TransactionID(id), .transaction(payload)),
            issuedAt: NumericDate(clamping: seconds))
        let signed = try await assertion.signed(by: key ?? deviceKey, pinKey).reveal()
        let first = try #require(try GeneralJWS(Array(signed.utf8)).signatures.first)
        return String(decoding: first.signingInput, as: UTF8.self) + "." + Base64URL.encode(first.signature)
    }

    private func claims(
        _ status: TransactionStatus, _ steps: [TransactionStatus], origin: TransactionOrigin = .server
    ) throws -> TransactionEvidenceClaims {
        let id =
            origin == .server ? "0190b3f2-0000-7000-8000-00000000002a" : "0190b3f2-0000-7000-8000-00000000002b"
        var claims = TransactionEvidenceClaims(
            issuer: try Issuer("https://auth.example"), transactionID: try TransactionID(id), origin: origin,
            clientID: try ClientID(origin == .server ? "shop" : "app"), status: status, createdAt: Self.created,
            expiresAt: 1_800_000_000_000,
            steps: steps.enumerated().map { number, status in
                TransactionEvidenceClaims.Step(
                    status: status, at: Self.created + Int64(number) * 5000,
                    circumstances: OperationEvidenceClaims.Circumstances(address: "192.0.2.1"),
                    place: OperationEvidenceClaims.Place(partition: 1, sequence: Int64(number) + 7, link: [1, 2]))
            })
        if steps.contains(.claimed) || origin == .client {
            claims.account = try AccountID("0190b3f2-0000-7000-8000-000000000001")
            claims.payload =
                try origin == .server
                ? TransactionPayloadTests.payload().bytes : TransactionPayloadTests.clientPayload().bytes
        }
        if status.isFinal, status != .expired { claims.endedAt = Self.created + 20_000 }
        if status == .rejected { claims.reason = .unexpected }
        if status == .cancelled { claims.cancellation = steps.contains(.cancelled) ? .backend : .restore }
        return claims
    }

    private func signed(origin: TransactionOrigin = .server) async throws -> TransactionEvidenceClaims {
        var claims = try claims(
            .signed, origin == .server ? [.created, .claimed, .confirmed, .signed] : [.signed], origin: origin)
        claims.signature = TransactionEvidenceClaims.Signature(
            secondFactor: .pin,
            device: OperationEvidenceClaims.Device(
                id: try DeviceID("device-1"), key: try #require(deviceKey.publicJWK),
                signature: try await signature(
                    over: try #require(claims.payload), id: claims.transactionID.rawValue)))
        return claims
    }

    private func document(
        _ claims: TransactionEvidenceClaims, by key: P256Signer? = nil, type: JWSType = .walletTransactionEvidence
    ) throws -> TransactionEvidence {
        let key = key ?? auditKey
        return try TransactionEvidence(
            CompactJWSEncoder(signer: key, type: type).encode(claims.json.bytes, signer: key))
    }

    /// The contradiction that a document is refused for.
    private func contradiction(_ claims: TransactionEvidenceClaims) throws -> String? {
        do {
            _ = try document(claims).verified(by: keys)
            return nil
        } catch EvidenceFault.contradiction(let what) { return what }
    }

    @Test("A signed transaction is proved with public keys alone, also one that an app began")
    func proves() async throws {
        for origin in TransactionOrigin.allCases {
            let claims = try await signed(origin: origin)
            #expect(try document(claims).verified(by: keys) == claims)
        }
    }

    @Test("Every state has a proof of its own")
    func states() throws {
        let paths: [(TransactionStatus, [TransactionStatus])] = [
            (.created, [.created]), (.claimed, [.created, .claimed]), (.confirmed, [.created, .claimed, .confirmed]),
            (.rejected, [.created, .claimed, .rejected]), (.rejected, [.created, .claimed, .confirmed, .rejected]),
            (.failed, [.created, .claimed, .confirmed, .failed]), (.expired, [.created]),
            (.expired, [.created, .claimed, .confirmed]), (.cancelled, [.created, .cancelled]),
            (.cancelled, [.created, .claimed, .confirmed]),
        ]
        for (status, steps) in paths {
            let claims = try claims(status, steps)
            #expect(try document(claims).verified(by: keys) == claims, "\(status), \(steps)")
        }
    }

    @Test("A document by another key, of another type or with any byte changed is refused")
    func forged() async throws {
        let claims = try await signed()
        let other = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
        #expect(throws: EvidenceFault.self) { try document(claims, by: other).verified(by: keys) }
        #expect(throws: EvidenceFault.self) {
            try document(claims, type: .walletOperationEvidence).verified(by: keys)
        }
        let text = Array(try document(claims).rawValue.utf8)
        for index in stride(from: 0, to: text.count, by: 7) {
            var changed = text
            changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
            let forged = String(decoding: changed, as: UTF8.self)
            #expect(throws: (any Error).self) { try TransactionEvidence(forged).verified(by: keys) }
        }
    }

    @Test("A server that signs a story that does not hold together is found out")
    func contradictions() async throws {
        let honest = try await signed()
        let changes: [(String, (inout TransactionEvidenceClaims) throws -> Void)] = [
            ("another transaction", { $0.transactionID = try TransactionID("other") }),
            ("another client", { $0.clientID = try ClientID("other") }),
            ("another account", { $0.account = try AccountID("0190b3f2-0000-7000-8000-000000000002") }),
            ("expires at another time", { $0.expiresAt += 60_000 }),
            ("does not follow", { $0.steps.remove(at: 2) }),
            ("does not follow", { $0.steps.swapAt(1, 2) }),
            ("does not follow", { $0.status = .rejected }),
            ("comes before", { $0.steps[3].at = Self.created - 61_000 }),
            ("its end", { $0.endedAt = nil }),
            ("reason", { $0.reason = .other }), ("reason", { $0.cancellation = .restore }),
            ("does not fit the state", { $0.signature = nil }),
            ("over another server", { $0.issuer = try Issuer("https://other.example") }),
            ("over another device", { $0.signature?.device.id = try DeviceID("device-2") }),
            ("over another factor", { $0.signature?.secondFactor = .biometric }),
            ("at another time", { $0.endedAt = Self.created + 500_000 }),
            (
                "signature is wrong",
                { $0.signature?.device.key = try #require(P256Signer(P256.Signing.PrivateKey()).publicJWK) }
            ),
        ]
        for (what, change) in changes {
            var claims = honest
            try change(&claims)
            let found = try contradiction(claims)
            #expect(found?.contains(what) == true, "\(what): \(found ?? "accepted")")
        }
    }

    @Test(
        "A device's signature over other bytes, for another purpose, or by a factor that was not asked for proves nothing"
    )
    func otherSignatures() async throws {
        var claims = try await signed()
        let payload = try #require(claims.payload)
        let id = claims.transactionID
        let others: [DeviceAssertion.Act] = [
            .transaction(id, .transaction(payload + [0x20])),
            .transaction(try TransactionID("other"), .transaction(payload)),
            .sca(id, .operation(payload)), .reject(id, .transaction(payload)),
        ]
        for act in others {
            claims.signature?.device.signature = try await signature(over: payload, id: id.rawValue, act: act)
            #expect(try contradiction(claims)?.contains("payload or purpose") == true)
        }
        var client = try await signed(origin: .client)
        let bytes = try #require(client.payload)
        client.signature?.secondFactor = .biometric
        client.signature?.device.signature = try await signature(
            over: bytes, id: client.transactionID.rawValue, factor: .biometric)
        #expect(try contradiction(client)?.contains("not asked for") == true)
    }

    @Test("A transaction of an app never passes for a backend's, nor one of a backend for an app's")
    func origins() async throws {
        for origin in TransactionOrigin.allCases {
            var claims = try await signed(origin: origin)
            claims.origin = origin == .server ? .client : .server
            #expect(throws: EvidenceFault.self) { try document(claims).verified(by: keys) }
        }
    }

    @Test("Members that are unknown, doubled or contradict others are refused")
    func strict() async throws {
        let json = String(decoding: try await signed().json.bytes, as: UTF8.self)
        for (old, new) in [
            (#""ver":1"#, #""ver":2"#), (#""ver":1"#, #""ver":1,"x":1"#), (#""ver":1"#, #""ver":1,"ver":1"#),
            (#""payloadHash":""#, #""payloadHash":"A"#), (#""secondFactor":"PIN","#, ""),
        ] {
            let changed = json.replacing(old, with: new, maxReplacements: 1)
            #expect(changed != json)
            #expect(throws: MalformedValue.self) { try TransactionEvidenceClaims(parsing: Array(changed.utf8)) }
        }
    }
}

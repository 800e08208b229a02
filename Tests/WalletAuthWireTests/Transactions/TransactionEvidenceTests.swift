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
        seconds: Int64 = created / 1000 + 10, by key: P256Signer? = nil
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
                    place: OperationEvidenceClaims.Place(
                        partition: 1, sequence: Int64(number) + 7, link: Array(repeating: UInt8(number), count: 32)))
            })
        if steps.contains(.claimed) || origin == .client {
            claims.account = try AccountID("0190b3f2-0000-7000-8000-000000000001")
            claims.payload =
                try origin == .server
                ? TransactionPayloadTests.payload().bytes : TransactionPayloadTests.clientPayload().bytes
        }
        if status.isFinal, status != .expired {
            claims.endedAt = steps.last == status ? claims.steps.last?.at : Self.created + 20_000
        }
        if status == .rejected { claims.reason = .unexpected }
        if status == .cancelled { claims.cancellation = steps.contains(.cancelled) ? .backend : .restore }
        return claims
    }

    private func signed(
        origin: TransactionOrigin = .server, payload: [UInt8]? = nil
    ) async throws -> TransactionEvidenceClaims {
        var claims = try claims(
            .signed, origin == .server ? [.created, .claimed, .confirmed, .signed] : [.signed], origin: origin)
        if let payload { claims.payload = payload }
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

    private static func app(at attestedAt: Int64) -> AppAttestation {
        AppAttestation(
            platform: .android, environment: .production, app: "com.example.wallet", keyLevel: .strongBox,
            attestedAt: NumericDate(clamping: attestedAt))
    }

    @Test("The proof says which app was attested, and on whose word the biometric key counted")
    func vouchers() async throws {
        var claims = try await signed()
        claims.signature?.device.attestation = Self.app(at: Self.created / 1000)
        #expect(try document(claims).verified(by: keys).signature?.device.attestation?.app == "com.example.wallet")
        claims.signature?.secondFactor = .biometric
        claims.signature?.device.signature = try await signature(
            over: try #require(claims.payload), id: claims.transactionID.rawValue, factor: .biometric)
        claims.signature?.device.biometricKey = .app
        #expect(try document(claims).verified(by: keys) == claims)
    }

    @Test("attack: an app attested after the signature, or a voucher for a biometric key that did not sign")
    func impossibleVouchers() async throws {
        var late = try await signed()
        late.signature?.device.attestation = Self.app(at: Self.created / 1000 + 300)
        #expect(try contradiction(late)?.contains("attestedAt") == true)
        var other = try await signed()
        other.signature?.device.biometricKey = .key
        #expect(try contradiction(other)?.contains("biometricKey") == true)
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

    @Test("Where the backend named no account, a proof of what was not signed holds without account and device")
    func withheld() throws {
        for (status, steps) in [
            (.claimed, [.created, .claimed]), (.confirmed, [.created, .claimed, .confirmed]),
            (.rejected, [.created, .claimed, .rejected]), (.failed, [.created, .claimed, .confirmed, .failed]),
            (.expired, [.created, .claimed]), (.cancelled, [.created, .claimed, .cancelled]),
            (.cancelled, [.created, .claimed]),
        ] as [(TransactionStatus, [TransactionStatus])] {
            let honest = try withoutSigner(claims(status, steps))
            #expect(try document(honest).verified(by: keys) == honest, "\(status), \(steps)")
            var told = honest
            told.payload = try claims(status, steps).payload
            #expect(throws: EvidenceFault.self) { try document(told).verified(by: keys) }
            told = honest
            told.steps[1].place = told.steps[0].place
            #expect(try contradiction(told)?.contains("there is an audit of the step CLAIMED") == true)
            told = honest
            told.steps[0].place = nil
            #expect(try contradiction(told)?.contains("audit of the step CREATED is missing") == true)
        }
    }

    @Test("attack: nothing is withheld of what was signed, nor of a transaction that names its account")
    func nothingWithheld() async throws {
        let signed = try withoutSigner(await signed())
        #expect(try contradiction(signed) != nil)
        var named = try claims(.rejected, [.created, .claimed, .rejected])
        named.steps[2].place = nil
        #expect(try contradiction(named)?.contains("audit of the step REJECTED is missing") == true)
        named = try claims(.rejected, [.created, .claimed, .rejected])
        named.payload = nil
        #expect(try contradiction(named)?.contains("of payload and accountId one is missing") == true)
    }

    private func withoutSigner(_ claims: TransactionEvidenceClaims) -> TransactionEvidenceClaims {
        var claims = claims
        claims.account = nil
        claims.payload = nil
        for index in claims.steps.indices.dropFirst() {
            claims.steps[index].place = nil
            claims.steps[index].circumstances = nil
        }
        return claims
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
            ("id of the payload differs from transactionId", { $0.transactionID = try TransactionID("other") }),
            ("clientId of the payload", { $0.clientID = try ClientID("other") }),
            ("account of the payload", { $0.account = try AccountID("0190b3f2-0000-7000-8000-000000000002") }),
            ("expiresAt of the payload", { $0.expiresAt += 60_000 }),
            ("does not follow", { $0.steps.remove(at: 2) }),
            ("does not follow", { $0.steps.swapAt(1, 2) }),
            ("does not follow", { $0.status = .rejected }),
            ("SIGNED is at", { $0.steps[3].at = Self.created - 61_000 }),
            ("endedAt is missing", { $0.endedAt = nil }),
            ("reason is OTHER", { $0.reason = .other }), ("cancellation is RESTORE", { $0.cancellation = .restore }),
            ("device with secondFactor is missing", { $0.signature = nil }),
            ("aud in device.signature differs from iss", { $0.issuer = try Issuer("https://other.example") }),
            ("enr in device.signature", { $0.signature?.device.id = try DeviceID("device-2") }),
            ("factor in device.signature", { $0.signature?.secondFactor = .biometric }),
            (
                "not by device.key",
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

    @Test("Times that contradict each other are found out, to the millisecond where one time is written twice")
    func times() async throws {
        let honest = try await signed()
        let expiresAt = honest.expiresAt
        let changes: [(String, (inout TransactionEvidenceClaims) throws -> Void)] = [
            ("and the first step, CREATED, is at", { $0.createdAt -= 600_000 }),
            ("and the first step, CREATED, is at", { $0.createdAt += 1 }),
            ("15 minutes at most", { $0.createdAt -= 3_600_000 }),
            ("15 minutes at most", { $0.createdAt = expiresAt }),
            ("and the last step, SIGNED, is at", { $0.endedAt = $0.steps[3].at + 61_000 }),
            ("and the last step, SIGNED, is at", { $0.endedAt = $0.steps[3].at - 1 }),
            ("SIGNED is at \(expiresAt + 1), and expiresAt is", { $0.steps[3].at = expiresAt + 1 }),
            ("SIGNED is at \(expiresAt), and expiresAt is", { $0.steps[3].at = expiresAt }),
            ("CLAIMED is at", { $0.steps[1].at = expiresAt + 1 }),
        ]
        for (what, change) in changes {
            var claims = honest
            try change(&claims)
            let found = try contradiction(claims)
            #expect(found?.contains(what) == true, "\(what): \(found ?? "accepted")")
        }
    }

    @Test("A transaction is open for as long as a backend may ask for, and no longer")
    func lifetime() throws {
        var claims = try claims(.created, [.created])
        claims.expiresAt = claims.createdAt + TransactionRequest.lifetimes.upperBound * 1000
        #expect(try contradiction(claims) == nil)
        claims.expiresAt += 1
        #expect(try contradiction(claims)?.contains("15 minutes") == true)
    }

    @Test("The removal of a device ends what it claimed before its time is over; a restore ends it also after that")
    func endsWithoutStep() throws {
        var removed = try claims(.cancelled, [.created, .claimed])
        removed.cancellation = .deviceRemoved
        #expect(try contradiction(removed) == nil)
        removed.endedAt = removed.expiresAt
        #expect(try contradiction(removed)?.contains("endedAt is") == true)
        removed.cancellation = .restore
        #expect(try contradiction(removed) == nil)
        removed.endedAt = removed.createdAt - 60_000
        #expect(try contradiction(removed)?.contains("endedAt is") == true)
        var unclaimed = try claims(.cancelled, [.created])
        #expect(try contradiction(unclaimed) == nil)
        unclaimed.cancellation = .deviceRemoved
        #expect(try contradiction(unclaimed)?.contains("no device claimed it") == true)
    }

    @Test("Each step has an audit entry of its own, whose link has 32 bytes")
    func auditEntries() async throws {
        let honest = try await signed()
        var claims = honest
        claims.steps[1].place = claims.steps[0].place
        #expect(try contradiction(claims)?.contains("names the entry 1/7, as does that of the step CREATED") == true)
        claims.steps[1].place?.partition = 2
        #expect(try contradiction(claims) == nil)
        for count in [3, 31, 33] {
            var claims = honest
            claims.steps[2].place?.link = Array(repeating: 1, count: count)
            #expect(try contradiction(claims)?.contains("CONFIRMED has \(count) bytes") == true)
        }
    }

    @Test("A device may have signed five minutes before, or after by as much as clocks differ, as the server allows")
    func timeOfSignature() async throws {
        var claims = try await signed()
        let payload = try #require(claims.payload)
        let endedAt = try #require(claims.endedAt) / 1000
        for (difference, holds) in [
            (-360, false), (-331, false), (-330, true), (0, true), (30, true), (31, false), (120, false),
        ] as [(Int64, Bool)] {
            claims.signature?.device.signature = try await signature(
                over: payload, id: claims.transactionID.rawValue, seconds: endedAt + difference)
            let found = try contradiction(claims)
            #expect(holds ? found == nil : found?.hasPrefix("iat in device.signature") == true, "\(difference)")
        }
    }

    @Test("What was signed stays provable when its text would not be admitted any more; its form has to be right")
    func olderText() async throws {
        let text = String(decoding: try TransactionPayloadTests.payload().bytes, as: UTF8.self)
        for (old, new) in [("Zürich", "\u{202E}Zürich"), ("No. 42", String(repeating: "4", count: 500))] {
            let claims = try await signed(payload: Array(text.replacing(old, with: new).utf8))
            #expect(try document(claims).verified(by: keys) == claims)
        }
        for (old, new) in [(#""1250""#, "1250"), (#""nonce""#, #""fee":"1","nonce""#), (#""ver":1"#, #""ver": 1"#)] {
            let claims = try await signed(payload: Array(text.replacing(old, with: new).utf8))
            do {
                _ = try document(claims).verified(by: keys)
                Issue.record("accepted: \(new)")
            } catch EvidenceFault.malformed(let value) { #expect(value.field.hasPrefix("payload"), "\(value)") }
        }
    }

    @Test(
        "A device's signature over other bytes, for another purpose, or by a factor that was not asked for proves nothing"
    )
    func otherSignatures() async throws {
        var claims = try await signed()
        let payload = try #require(claims.payload)
        let id = claims.transactionID
        let others: [(String, DeviceAssertion.Act)] = [
            ("txh", .transaction(id, .transaction(payload + [0x20]))),
            ("txid", .transaction(try TransactionID("other"), .transaction(payload))),
            ("pur", .sca(id, .operation(payload))), ("pur", .reject(id, .transaction(payload))),
        ]
        for (member, act) in others {
            claims.signature?.device.signature = try await signature(over: payload, id: id.rawValue, act: act)
            #expect(try contradiction(claims)?.hasPrefix("\(member) in device.signature") == true)
        }
        var client = try await signed(origin: .client)
        let bytes = try #require(client.payload)
        client.signature?.secondFactor = .biometric
        client.signature?.device.signature = try await signature(
            over: bytes, id: client.transactionID.rawValue, factor: .biometric)
        #expect(try contradiction(client)?.contains("requiredSecondFactorType is PIN") == true)
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

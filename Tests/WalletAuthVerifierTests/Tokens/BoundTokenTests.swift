import Crypto
import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("DPoP at a backend (RFC 9449 section 7)", .threat("a stolen bound token")) struct BoundTokenTests {
    private let server: TestIssuer
    private let key = P256Signer(P256.Signing.PrivateKey())

    init() throws { server = try TestIssuer() }

    private func boundToken(_ changes: [String: JSONValue?] = [:]) throws -> String {
        let thumbprint = try #require(key.publicJWK).thumbprint.rawValue
        return try server.token(changes.merging(["cnf": ["jkt": .string(thumbprint)]]) { changed, _ in changed })
    }

    @Test("A bound token comes in with a proof for the URL that clients know, whatever is behind the proxy")
    func good() async throws {
        let token = try boundToken()
        let access = try await server.verifier().verify(.dpop(token, try server.proof(by: key, for: token)))
        #expect(access.tokenType == .dpop)
        #expect(access.claims.keyThumbprint == key.publicJWK?.thumbprint)
    }

    @Test("attack: a stolen bound token as a bearer token, without a proof, or with the thief's proof")
    func stolen() async throws {
        let verifier = try server.verifier()
        let token = try boundToken()
        let thief = P256Signer(P256.Signing.PrivateKey())
        let asBearer = await verifier.refusal(of: .bearer(token))
        #expect(asBearer?.code == .invalidToken)
        #expect(asBearer?.answer.values("WWW-Authenticate").contains { $0.hasPrefix("DPoP algs=") } == true)
        let bare = await verifier.refusal(of: .dpop(token))
        #expect(bare?.code == .invalidProof)
        let thiefs = await verifier.refusal(of: .dpop(token, try server.proof(by: thief, for: token)))
        #expect(thiefs?.code == .invalidToken)
        #expect(thiefs?.answer.status == 401)
    }

    @Test("attack: a token that is not bound, or bound in a way that is not known, under either scheme")
    func unbound() async throws {
        let verifier = try server.verifier()
        let token = try server.token()
        let refusal = await verifier.refusal(of: .dpop(token, try server.proof(by: key, for: token)))
        #expect(refusal?.code == .invalidToken)
        for confirmation in [["x5t#S256": "AA"], [:], "x", ["jkt": "short"]] as [JSONValue] {
            let other = try server.token(["cnf": confirmation])
            for request in [PresentedRequest.bearer(other), .dpop(other, try server.proof(by: key, for: other))] {
                let refusal = await verifier.refusal(of: request)
                #expect(refusal?.code == .invalidToken)
            }
        }
    }

    @Test(
        "attack: a proof for another method, URL, token or time, a second time, or two at once",
        .threat("Replayed proofs and assertions"))
    func otherRequest() async throws {
        let verifier = try server.verifier()
        let token = try boundToken()
        let now = server.clock.now()
        for proof in [
            try server.proof(by: key, for: token, method: "GET"),
            try server.proof(by: key, for: token, url: "https://api.example/pay/orders/"),
            try server.proof(by: key, for: token, url: "https://internal:8080/pay/orders"),
            try server.proof(by: key, for: token, url: "http://api.example/pay/orders"),
            try server.proof(by: key, for: token, url: "https://api.example/orders"),
            try server.proof(by: key, for: try boundToken()),
            try server.proof(by: key, for: token, at: now.advanced(by: .seconds(31))),
            try server.proof(by: key, for: token, at: now.advanced(by: .seconds(-271))),
            "nonsense",
        ] {
            let refusal = await verifier.refusal(of: .dpop(token, proof))
            #expect(refusal?.code == .invalidProof, "\(refusal?.reason ?? "let in")")
            #expect(refusal?.answer.status == 401)
            #expect(refusal?.answer.values("WWW-Authenticate").count == 1)
        }
        let slash = try server.proof(by: key, for: token, url: "https://api.example/pay/orders/")
        #expect(
            await verifier.refusal(of: .dpop(token, slash))?.reason
                == "the proof has an unexpected htu: htu is https://api.example/pay/orders/, expected https://api.example/pay/orders"
        )
        let proof = try server.proof(by: key, for: token, url: "https://API.example:443/pay/x/../orders?y=2#f")
        let first = await verifier.refusal(of: .dpop(token, proof))
        #expect(first == nil)
        let second = await verifier.refusal(of: .dpop(token, proof))
        #expect(second?.code == .invalidProof)
        #expect(second?.reason == "the proof was used before")
        let two = await verifier.refusal(
            of: .dpop(token, try server.proof(by: key, for: token), try server.proof(by: key, for: token)))
        #expect(two?.code == .invalidRequest)
    }

    @Test("attack: of a hundred uses of one proof at once, a single one is let in")
    func parallelReplay() async throws {
        let verifier = try server.verifier()
        let token = try boundToken()
        let request = PresentedRequest.dpop(token, try server.proof(by: key, for: token))
        let letIn = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { await verifier.refusal(of: request) == nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(letIn == 1)
    }

    @Test("attack: a proof is not forgotten while it could come again, and is refused by its age after that")
    func memory() async throws {
        let verifier = try server.verifier()
        let token = try boundToken(["exp": .integer(server.clock.now().secondsSince1970 + 3000)])
        let proof = try server.proof(by: key, for: token, at: server.clock.now().advanced(by: .seconds(30)))
        let first = await verifier.refusal(of: .dpop(token, proof))
        #expect(first == nil)
        for _ in 0..<30 {
            server.clock.advance(by: .seconds(20))
            // Others come in between and turn the memory's halves.
            let other = await verifier.refusal(of: .dpop(token, try server.proof(by: key, for: token)))
            #expect(other == nil)
            let again = await verifier.refusal(of: .dpop(token, proof))
            #expect(again?.code == .invalidProof)
        }
    }

    @Test("A memory that is full, or fails, answers 503 and accepts no proof unseen")
    func fullMemory() async throws {
        struct Broken: ProofMemory {
            struct Failure: Error {}
            func remember(
                _ proof: [UInt8], of person: String?, for life: Duration
            ) async throws -> ProofMemoryVerdict { throw Failure() }
        }
        let clock = server.clock
        let memories: [(any ProofMemory, Int)] = [
            (ProofMemoryOfThisProcess(capacity: 2, share: 3, clock: clock), 2), (Broken(), 0),
        ]
        for (memory, room) in memories {
            let verifier = try server.verifier { $0.proofMemory = memory }
            let token = try boundToken()
            for _ in 0..<room {
                let refusal = await verifier.refusal(of: .dpop(token, try server.proof(by: key, for: token)))
                #expect(refusal == nil)
            }
            let refusal = await verifier.refusal(of: .dpop(token, try server.proof(by: key, for: token)))
            #expect(refusal?.code == .temporarilyUnavailable)
            #expect(refusal?.answer.status == 503)
            #expect(refusal?.answer.values("Retry-After") == ["5"])
        }
    }

    @Test(
        "attack: one person's flood of proofs, by however many keys, keeps no one else out, and is over with its time",
        .threat("Replayed proofs and assertions"))
    func flood() async throws {
        let memory = ProofMemoryOfThisProcess(capacity: 64, share: 4, clock: server.clock)
        let verifier = try server.verifier { $0.proofMemory = memory }
        let eve = try boundToken(["exp": .integer(server.clock.now().secondsSince1970 + 3000)])
        for _ in 0..<4 {
            let refusal = await verifier.refusal(of: .dpop(eve, try server.proof(by: key, for: eve)))
            #expect(refusal == nil)
        }
        server.clock.advance(by: .seconds(100))
        let fifth = try await verifier.requiredRefusal(of: .dpop(eve, try server.proof(by: key, for: eve)))
        #expect(fifth.code == .tooManyRequests)
        #expect(fifth.answer.status == 429)
        #expect(fifth.answer.values("Retry-After") == ["201"])
        let second = P256Signer(P256.Signing.PrivateKey())
        let other = try server.token([
            "cnf": ["jkt": .string(try #require(second.publicJWK).thumbprint.rawValue)]
        ])
        let byAnotherKey = await verifier.refusal(of: .dpop(other, try server.proof(by: second, for: other)))
        #expect(byAnotherKey?.code == .tooManyRequests)
        let ada = try boundToken(["sub": "7a0f8b64-2b3f-4c67-9a52-2f1f6b1d7c33"])
        let others = await verifier.refusal(of: .dpop(ada, try server.proof(by: key, for: ada)))
        #expect(others == nil)
        server.clock.advance(by: .seconds(201))
        let later = await verifier.refusal(of: .dpop(eve, try server.proof(by: key, for: eve)))
        #expect(later == nil)
    }

    @Test("Of a small memory one person has room for what an app sends in five minutes, and no more than a quarter")
    func smallMemory() {
        let memory = ProofMemoryOfThisProcess(capacity: 1000, clock: server.clock)
        for number in 0..<250 {
            let verdict = memory.remember([UInt8(number), 0], of: "eve", for: .seconds(300))
            #expect(verdict == .new)
        }
        let beyond = memory.remember([0, 1], of: "eve", for: .seconds(300))
        #expect(beyond == .shareTaken(retryAfter: .seconds(300)))
        let other = memory.remember([0, 2], of: "ada", for: .seconds(300))
        #expect(other == .new)
    }

    @Test(
        "attack: a request that is refused for its scope or its sign-in takes no room of the proofs that are remembered"
    )
    func refusedAnyway() async throws {
        let memory = ProofMemoryOfThisProcess(capacity: 1, clock: server.clock)
        let verifier = try server.verifier { $0.proofMemory = memory }
        let token = try boundToken()
        for requirement in [
            AccessRequirement(scope: try Scope("administration")),
            AccessRequirement(acrValues: ["urn:example:acr:none"]), AccessRequirement(maximumAge: .seconds(1)),
        ] {
            let refusal = await verifier.refusal(
                of: .dpop(token, try server.proof(by: key, for: token)), for: requirement)
            #expect(refusal?.answer.status == 401 || refusal?.answer.status == 403, "\(refusal?.reason ?? "let in")")
        }
        let good = await verifier.refusal(of: .dpop(token, try server.proof(by: key, for: token)))
        #expect(good == nil)
    }

    @Test("Where nonces are asked for, a proof without one, with an old one or with another's gets the present one")
    func nonces() async throws {
        let verifier = try server.verifier { $0.nonces = .ofThisProcess() }
        let token = try boundToken()
        let bare = try await verifier.requiredRefusal(of: .dpop(token, try server.proof(by: key, for: token)))
        #expect(bare.code == .useNonce)
        #expect(bare.answer.status == 401)
        #expect(bare.answer.values("WWW-Authenticate").first?.contains(#"error="use_dpop_nonce""#) == true)
        let nonce = try #require(bare.answer.values("DPoP-Nonce").first)

        let request = PresentedRequest.dpop(token, try server.proof(by: key, for: token, nonce: nonce))
        let access = try await verifier.verify(request)
        #expect(access.responseHeaders == [HeaderField("DPoP-Nonce", nonce)])
        let replayed = await verifier.refusal(of: request)
        #expect(replayed?.code == .invalidProof)

        let other = ProofNonces.ofThisProcess().nonce(at: server.clock.now())
        let others = await verifier.refusal(of: .dpop(token, try server.proof(by: key, for: token, nonce: other)))
        #expect(others?.code == .useNonce)
        server.clock.advance(by: .seconds(240))
        let old = await verifier.refusal(of: .dpop(token, try server.proof(by: key, for: token, nonce: nonce)))
        #expect(old?.code == .useNonce)
    }

    @Test("With a fresh nonce a clock may be off by five minutes; a clock further off is named in the refusal")
    func clocks() async throws {
        let verifier = try server.verifier { $0.nonces = .ofThisProcess() }
        let token = try boundToken()
        let now = server.clock.now()
        let bare = try await verifier.requiredRefusal(
            of: .dpop(token, try server.proof(by: key, for: token, at: now.advanced(by: .seconds(7200)))))
        #expect(bare.code == .useNonce)
        let nonce = try #require(bare.answer.values("DPoP-Nonce").first)
        func proof(_ seconds: Int64) throws -> String {
            try server.proof(by: key, for: token, nonce: nonce, at: now.advanced(by: .seconds(seconds)))
        }
        for seconds in [-301, 301] as [Int64] {
            let refusal = try await verifier.requiredRefusal(of: .dpop(token, try proof(seconds)))
            #expect(refusal.code == .invalidProof)
            #expect(refusal.reason.contains("clock"))
            #expect(refusal.answer.values("WWW-Authenticate").first?.contains("clock of the device") == true)
        }
        for seconds in [-300, 300] as [Int64] {
            let proof = try proof(seconds)
            let first = await verifier.refusal(of: .dpop(token, proof))
            #expect(first == nil)
            let second = await verifier.refusal(of: .dpop(token, proof))
            #expect(second?.reason == "the proof was used before")
        }
    }

    @Test("Two processes with one secret take each other's nonces; a short secret is refused")
    func sharedNonces() throws {
        let secret = Randomness.bytes(32)
        let now = ManualBackendClock.start
        let nonce = try Nonce(ProofNonces(secret: secret).nonce(at: now))
        #expect(try ProofNonces(secret: secret).isGood(nonce, at: now.advanced(by: .seconds(100))))
        #expect(try !ProofNonces(secret: Randomness.bytes(32)).isGood(nonce, at: now))
        #expect(throws: MalformedValue.self) { try ProofNonces(secret: Randomness.bytes(31)) }
    }

    @Test("Where possession has to be proved a bearer token is refused, and Bearer is not offered")
    func required() async throws {
        let verifier = try server.verifier()
        let requirement = AccessRequirement(binding: .proofOfPossession)
        let request = PresentedRequest.bearer(try server.token())
        let refusal = try await verifier.requiredRefusal(of: request, for: requirement)
        #expect(refusal.code == .invalidToken)
        #expect(refusal.answer.values("WWW-Authenticate").allSatisfy { $0.hasPrefix("DPoP ") })
        let missing = await verifier.refusal(
            of: PresentedRequest(method: "GET", path: "/", authorization: []), for: requirement)
        #expect(missing?.answer.values("WWW-Authenticate").count == 1)
    }

    @Test("attack: a path that would move the URL elsewhere names no request of this backend")
    func paths() async throws {
        let verifier = try server.verifier()
        let token = try boundToken()
        for path in ["http://evil.example/orders", "@evil.example/orders", "", "*"] {
            let request = PresentedRequest(
                method: "POST", path: path, authorization: ["DPoP \(token)"],
                proofs: [try server.proof(by: key, for: token, url: "http://evil.example/orders")])
            let refusal = await verifier.refusal(of: request)
            #expect(refusal?.code == .invalidRequest)
        }
    }
}

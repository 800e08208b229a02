import Crypto
import Testing
import WalletAuthWire

@Suite("The proof of an operation", .threat("A payer who contests, and an app that keeps asking"))
struct OperationEvidenceTests {
    private let sample = SampleEvidence()

    /// Why a document proves nothing; nil where it holds.
    private func fault(_ document: OperationEvidence, _ keys: JWKSet? = nil) -> EvidenceFault? {
        do throws(EvidenceFault) {
            _ = try document.verified(by: keys ?? sample.keys)
            return nil
        } catch { return error }
    }

    @Test("It comes out as it went in, and names the factors, with their categories, by which the person agreed")
    func holds() async throws {
        let claims = try await sample.authorized()
        let read = try sample.sign(claims).verified(by: sample.keys)
        #expect(read == claims)
        #expect(read.factors.map(\.method) == ["pwd", "swk", "pin"])
        #expect(read.factors.map(\.category) == [.knowledge, .possession, .knowledge])
        #expect(read.factors.map(\.origin) == [.signIn, .event(.devicePIN), .event(.devicePIN)])
        let exempt = try sample.exempt()
        #expect(try sample.sign(exempt).verified(by: sample.keys) == exempt)
        #expect(exempt.factors.isEmpty)
    }

    @Test("The same facts make the same bytes")
    func stable() async throws {
        let claims = try await sample.authorized()
        #expect(claims.json.bytes == claims.json.bytes)
        let read = try sample.sign(claims).verified(by: sample.keys)
        #expect(read.json.bytes == claims.json.bytes)
    }

    @Test("attack: if any character of the document is changed, removed or duplicated, it proves nothing")
    func everyByte() async throws {
        let text = Array(try await sample.sign(sample.authorized()).rawValue.utf8)
        // All of header and signature, and of what is between them each eighth: the signature is over all of it alike.
        for index in text.indices where index < 200 || text.count - index < 200 || index % 8 == 0 {
            // Thousands of signatures are verified here: the other tests get their turn.
            await Task.yield()
            var changed = text
            changed[index] = text[index] == 0x41 ? 0x42 : 0x41
            let removed = Array(text[..<index] + text[(index + 1)...])
            let doubled = Array(text[...index] + text[index...])
            for variant in index % 16 == 0 ? [changed, removed, doubled] : [changed] {
                let document = try? OperationEvidence(String(decoding: variant, as: UTF8.self))
                #expect(document.map { fault($0) != nil } ?? true, "at \(index)")
            }
        }
    }

    @Test(
        "attack: a document with anything after its last character is none",
        arguments: ["\n", "\r\n", "\r", " ", "=", "\0", "."])
    func endings(ending: String) async throws {
        let text = try await sample.sign(sample.authorized()).rawValue
        let document = try? OperationEvidence(text + ending)
        #expect(document.map { fault($0) != nil } ?? true)
    }

    @Test("attack: another server's key under the same name, a key that is not given, and another kind of document")
    func keys() async throws {
        let claims = try await sample.authorized()
        let stranger = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
        #expect(fault(try sample.sign(claims, by: stranger)) == .forged(.invalidSignature))
        #expect(fault(try sample.sign(claims), JWKSet([])) == .forged(.unknownKey))
        #expect(
            fault(try sample.sign(claims, type: JWSType("walletauth-audit-checkpoint+jwt"))) == .forged(.wrongType))
        #expect(fault(try OperationEvidence("no.jws.here")) != nil)
    }

    @Test(
        "What its own server signs in a form that is not the one is refused: other versions, doubled and unknown members"
    )
    func form() async throws {
        let text = String(decoding: try await sample.authorized().json.bytes, as: UTF8.self)
        for (old, new) in [
            (#""ver":1"#, #""ver":2"#), (#""ver":1"#, #""ver":1,"note":"x""#), (#""ver":1"#, #""ver":1,"ver":1"#),
            (#""right":true"#, #""right":"true""#), (#""status":"AUTHORIZED""#, #""status":"DONE""#),
            (#""requestedAt":1795341600000"#, #""requestedAt":-1"#),
            (#""requestedAt":1795341600000"#, #""requestedAt":9223372036854775807"#),
            (#""categories":["knowledge"]"#, #""categories":["inherence"]"#), (#""jti":"code-1""#, #""jti":"code-2""#),
            (#""operationHash":""#, #""operationHash":"A"#),
        ] {
            #expect(text.contains(old), "\(old)")
            let found = fault(try sample.sign(Array(text.replacing(old, with: new).utf8)))
            guard case .malformed? = found else {
                Issue.record("\(new): \(String(describing: found))")
                continue
            }
        }
    }

    /// One lie of a server, and what is said of it.
    struct Lie: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout OperationEvidenceClaims, SampleEvidence) async throws -> Void

        init(
            _ name: String,
            _ change: @escaping @Sendable (inout OperationEvidenceClaims, SampleEvidence) async throws -> Void
        ) {
            testDescription = name
            self.change = change
        }
    }

    static let lies: [Lie] = [
        Lie("the device's signature of attempt 2 is over another operation") { claims, sample in
            claims.payload = try sample.payload(90_01).bytes
        },
        Lie("the operation's bytes name another event") { claims, sample in
            claims.payload = try sample.payload(event: "0190b3f2-0000-7000-8000-00000000002b").bytes
        },
        Lie("the device's signature of attempt 2 is over another event") { claims, sample in
            claims.attempts[1].device?.signature = try await sample.deviceSignature(
                over: claims.payload, event: "0190b3f2-0000-7000-8000-00000000002b")
        },
        Lie("the device's signature of attempt 2 is over another account") { claims, sample in
            claims.attempts[1].device?.signature = try await sample.deviceSignature(
                over: claims.payload, account: "0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c12")
        },
        Lie("the device's signature of attempt 2 is over another factor") { claims, sample in
            claims.attempts[1].device?.signature = try await sample.deviceSignature(over: claims.payload, isPIN: false)
        },
        Lie("the device's signature of attempt 2 is wrong") { claims, sample in
            claims.attempts[1].device?.signature = try await sample.deviceSignature(
                over: claims.payload, by: P256Signer(P256.Signing.PrivateKey()))
        },
        Lie("the app of attempt 2 was attested after its signature") { claims, _ in
            claims.attempts[1].device?.attestation = AppAttestation(
                platform: .apple, environment: .production, app: "ABCDE12345.com.example.wallet", keyLevel: nil,
                attestedAt: NumericDate(clamping: SampleEvidence.asked + 81))
        },
        Lie("attempt 2 was by a PIN, and names a voucher for a biometric key") { claims, _ in
            claims.attempts[1].device?.biometricKey = .app
        },
        Lie("attempt 2 was signed at another time") { claims, sample in
            claims.attempts[1].device?.signature = try await sample.deviceSignature(
                over: claims.payload, at: SampleEvidence.asked - 3600)
        },
        Lie("attempt 2 lacks the device's signature") { claims, _ in claims.attempts[1].device = nil },
        Lie("attempt 1 uses a method that was not challenged") { claims, _ in claims.attempts[0].verification = .sms },
        Lie("the status does not fit the number of wrong values") { claims, _ in
            claims.attempts = Array(repeating: claims.attempts[0], count: 5) + [claims.attempts[1]]
        },
        Lie("6 wrong values were compared") { claims, _ in
            claims.attempts = Array(repeating: claims.attempts[0], count: 6) + [claims.attempts[1]]
        },
        Lie("nothing was proved for this operation") { claims, _ in claims.attempts.removeLast() },
        Lie("does not rest on two categories") { claims, _ in
            claims.steps[2].signIn = nil
            claims.attempts[1].methods = ["pin"]
        },
        Lie("does not rest on two categories") { claims, _ in
            claims.steps[2].signIn?.isCounted = false
            claims.attempts[1].methods = ["pin"]
        },
        Lie("the sign-in that counted came after") { claims, _ in claims.steps[2].signIn?.at += 600_000 },
        Lie("the time of the consent is not the time of its proof") { claims, _ in claims.attempts[1].at += 120_000 },
        Lie("there is no record of how it was requested") { claims, _ in claims.steps.removeFirst() },
        Lie("“verified” is dated before") { claims, _ in claims.steps[2].at -= 120_000 },
        Lie("“verified” happened more than once") { claims, _ in claims.steps.insert(claims.steps[2], at: 2) },
        Lie("something happened after its end") { claims, _ in claims.steps.swapAt(2, 3) },
        Lie("are not of one chain in the order of the steps") { claims, _ in
            claims.steps[2].place = SampleEvidence.place(16)
        },
        Lie("are not of one chain in the order of the steps") { claims, _ in
            claims.steps[2].place = claims.steps[0].place
        },
        Lie("are not of one chain in the order of the steps") { claims, _ in claims.steps[2].place?.partition = 4 },
        Lie("there is an authentication code, but it was not carried out") { claims, _ in
            claims.steps.removeLast()
            claims.status = .verified
        },
        Lie("it was carried out, but there is no authentication code") { claims, _ in claims.authorization = nil },
        Lie("it was carried out after the time limit") { claims, _ in claims.steps[3].at += 600_000 },
        Lie("the authentication code's signature or form is wrong") { claims, sample in
            claims.authorization?.code = try sample.code(
                for: sample.payload(), by: P256Signer(P256.Signing.PrivateKey(), keyID: "es-1"))
        },
        Lie("the authentication code is for another type, amount, payee or details") { claims, sample in
            claims.authorization?.code = try sample.code(for: sample.payload(), operation: sample.operation(1))
        },
        Lie("the authentication code does not name exactly the factors") { claims, _ in
            claims.steps[2].signIn?.isCounted = false
        },
        Lie("the authentication code has a different basis") { claims, sample in
            claims.authorization?.code = try sample.code(for: sample.payload(), basis: .exempt(nil))
        },
        Lie("the status VERIFIED does not follow") { claims, _ in claims.status = .verified },
        Lie("the status EXEMPT does not follow") { claims, _ in claims.status = .exempt },
        Lie("the status CANCELLED does not follow") { claims, _ in claims.status = .cancelled },
        Lie("the status EXPIRED does not follow") { claims, _ in claims.status = .expired },
        Lie("consent was required although an exemption was granted") { claims, _ in
            claims.findings[0].isGranted = true
        },
        Lie("the exemption is not the one finding that grants one") { claims, _ in claims.decision = .exempt(.lowValue)
        },
        Lie("there is no record of how it was requested") { claims, _ in
            claims.decision = .exempt(.lowValue)
            claims.findings[0].isGranted = true
        },
    ]

    @Test("A document whose statements contradict each other is refused, and the refusal names them", arguments: lies)
    func contradictions(_ lie: Lie) async throws {
        var claims = try await sample.authorized()
        try await lie.change(&claims, sample)
        guard case .contradiction(let what)? = fault(try sample.sign(claims)) else {
            Issue.record("\(String(describing: fault(try sample.sign(claims))))")
            return
        }
        #expect(what.contains(lie.testDescription), "\(what)")
    }

    @Test("attack: a consent that names no entry of the audit log proves nothing", arguments: [0, 2, 3])
    func unrecorded(index: Int) async throws {
        var claims = try await sample.authorized()
        claims.steps[index].place = nil
        let kind = claims.steps[index].kind.rawValue
        #expect(fault(try sample.sign(claims)) == .contradiction("“\(kind)” names no entry of the audit log"))
    }

    /// Why a payment's proof does not hold whose authentication code names these methods.
    private func fault(naming methods: [String]) async throws -> EvidenceFault? {
        let payload = try sample.payload()
        var claims = try await sample.authorized()
        claims.authorization?.code = try sample.code(
            for: payload,
            basis: .verified(
                AuthenticationCodeClaims.Consent(
                    eventID: payload.eventID, payloadHash: payload.hash, methods: methods,
                    at: NumericDate(clamping: SampleEvidence.asked + 20))))
        return fault(try sample.sign(claims))
    }

    @Test("attack: a code names one method more or fewer than counted")
    func otherMethods() async throws {
        let same = try await fault(naming: ["pwd", "swk", "pin"])
        #expect(same == nil)
        let wrong = EvidenceFault.contradiction(
            "the authentication code does not name exactly the factors that counted")
        let more = try await fault(naming: ["pwd", "hwk", "swk", "pin"])
        #expect(more == wrong)
        let less = try await fault(naming: ["swk", "pin"])
        #expect(less == wrong)
    }

    @Test("Every end of an operation has evidence that holds")
    func ends() async throws {
        var claims = try await sample.authorized()
        claims.authorization = nil
        claims.steps.removeLast()
        claims.status = .verified
        #expect(fault(try sample.sign(claims)) == nil)
        claims.status = .expired
        #expect(fault(try sample.sign(claims)) == nil)
        for kind in [OperationEvidenceClaims.Step.Kind.cancelled, .refused, .voided] {
            var ended = claims
            ended.status = .cancelled
            ended.steps.append(
                OperationEvidenceClaims.Step(
                    kind: kind, at: SampleEvidence.asked * 1000 + 40_000,
                    place: kind == .voided ? nil : SampleEvidence.place(19)))
            #expect(fault(try sample.sign(ended)) == nil)
        }
        var failed = claims
        failed.steps.removeLast()
        failed.steps.append(
            OperationEvidenceClaims.Step(
                kind: .locked, at: SampleEvidence.asked * 1000 + 10_000, place: SampleEvidence.place(18)))
        failed.attempts = Array(repeating: claims.attempts[0], count: 5)
        failed.status = .failed
        #expect(fault(try sample.sign(failed)) == nil)
        var open = failed
        open.steps.removeLast()
        open.attempts.removeLast()
        open.status = .scaRequired
        #expect(fault(try sample.sign(open)) == nil)
    }

    /// Refused by the person before they agreed.
    private func refused(isWithdrawal: Bool) async throws -> OperationEvidenceClaims {
        var claims = try await sample.authorized()
        claims.authorization = nil
        claims.status = .cancelled
        claims.attempts = []
        claims.steps.removeLast(2)
        claims.steps.append(
            OperationEvidenceClaims.Step(
                kind: .refused, at: SampleEvidence.asked * 1000 + 40_000, isWithdrawal: isWithdrawal,
                place: SampleEvidence.place(19)))
        return claims
    }

    @Test("A withdrawal by the person who asked is marked, in a document of version 4, and a refusal is not")
    func withdrawal() async throws {
        let withdrawn = try await refused(isWithdrawal: true)
        let read = try sample.sign(withdrawn).verified(by: sample.keys)
        #expect(read == withdrawn && read.version == 4)
        #expect(read.step(.refused)?.isWithdrawal == true)
        let refusal = try await refused(isWithdrawal: false)
        #expect(try sample.sign(refusal).verified(by: sample.keys).version == 1)
        #expect(!String(decoding: refusal.json.bytes, as: UTF8.self).contains("withdrawn"))
    }

    @Test(
        "attack: a document that calls another step a withdrawal, says so twice over, or states an older version is refused"
    )
    func noWithdrawal() async throws {
        var cancelled = try await refused(isWithdrawal: true)
        cancelled.steps[2].kind = .cancelled
        #expect(fault(try sample.sign(cancelled)) == .contradiction("“cancelled” is said to be a withdrawal"))
        let text = String(decoding: try await refused(isWithdrawal: true).json.bytes, as: UTF8.self)
        let changes = [
            (#""ver":4"#, #""ver":1"#), (#""withdrawn":true"#, #""withdrawn":false"#),
            (#""withdrawn":true"#, #""withdrawn":true,"withdrawn":true"#),
        ]
        for (old, new) in changes {
            #expect(text.contains(old))
            #expect(throws: EvidenceFault.self) {
                _ = try sample.sign(Array(text.replacing(old, with: new).utf8)).verified(by: sample.keys)
            }
        }
    }

    @Test("Once the account is erased there is nothing of where it was, and the proof holds")
    func erased() async throws {
        var claims = try await sample.authorized()
        for index in claims.steps.indices {
            claims.steps[index].circumstances = nil
            claims.steps[index].destination = nil
        }
        for index in claims.attempts.indices { claims.attempts[index].circumstances = nil }
        #expect(fault(try sample.sign(claims)) == nil)
        #expect(!String(decoding: claims.json.bytes, as: UTF8.self).contains("192.0.2.1"))
    }
}

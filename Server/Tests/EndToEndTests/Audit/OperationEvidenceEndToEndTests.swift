import Crypto
import Foundation
import Testing
import WalletAuthWire

@Suite("The proof of a payment consent, in an auditor's hands")
struct OperationEvidenceEndToEndTests {
    /// A payment that the person agreed to by a code, and that was carried out.
    private func pay(_ setting: ConsentPageEndToEndTests.Setting) async throws {
        let operation = ConsentPageEndToEndTests.operation
        let asked = try await setting.ask(
            "/v1/wallet-operations",
            """
            {"walletOperationId":"op-1","accountId":"\(setting.account)","sessionId":"\(setting.session)",\(operation)}
            """)
        let event = try #require(asked.members["eventId"], "\(asked.text)")
        let way = #""walletOperationId":"op-1","verification":{"method":"OTP","channel":"EMAIL"}"#
        let challenged = try await setting.call("/v1/sca/events/\(event)/challenges", "{\(way)}")
        try #require(challenged.status == 200, "\(challenged.text)")
        let code = try await setting.server.newestCode()
        let verified = try await setting.call("/v1/sca/events/\(event)/attempts", #"{\#(way),"value":"\#(code)"}"#)
        try #require(verified.members["status"] == "VERIFIED", "\(verified.text)")
        let consumed = try await setting.ask(
            "/v1/wallet-operations/op-1/consume", #"{"eventId":"\#(event)",\#(operation)}"#)
        try #require(consumed.members["status"] == "AUTHORIZED", "\(consumed.text)")
    }

    /// A payment that the person has not approved, with its proof.
    private func request(_ setting: ConsentPageEndToEndTests.Setting, _ id: String, provedIn file: URL) async throws {
        let asked = try await setting.ask(
            "/v1/wallet-operations",
            """
            {"walletOperationId":"\(id)","accountId":"\(setting.account)","sessionId":"\(setting.session)",\
            \(ConsentPageEndToEndTests.operation)}
            """)
        try #require(asked.members["status"] == "SCA_REQUIRED", "\(asked.text)")
        let proof = try await setting.backend.web.get(
            await setting.server.url("/v1/wallet-operations/\(id)/evidence"),
            headers: ["Authorization": "Bearer \(setting.backendToken)"])
        try #require(proof.status == 200, "\(proof.text)")
        try proof.body.write(to: file)
    }

    @Test(
        """
        Without server, database and network the program and an independent verifier agree that it holds; with one \
        character changed, or another server's keys, neither takes it
        """)
    func offline() async throws {
        let office = try TemporaryFolder()
        defer { office.remove() }
        let folder = office.url
        let document = office.url.appending(path: "op-1.jws")
        let changed = office.url.appending(path: "changed.jws")
        try await ConsentPageEndToEndTests().withSetting { setting in
            let server = setting.server
            try await pay(setting)
            let answer = try await setting.backend.web.get(
                await server.url("/v1/wallet-operations/op-1/evidence"),
                headers: ["Authorization": "Bearer \(setting.backendToken)"])
            try #require(answer.status == 200, "\(answer.text)")
            #expect(answer.header("content-type") == "application/wallet-operation-evidence+jwt")
            try answer.body.write(to: document)
            // A letter in the middle of what is signed.
            var bytes = Array(answer.body)
            bytes[bytes.count / 2] = bytes[bytes.count / 2] == 0x41 ? 0x42 : 0x41
            try Data(bytes).write(to: changed)
            try Data(try await server.require(["audit", "key"]).utf8)
                .write(to: folder.appending(path: "keys.json"))
            let asked = try await server.require(["audit", "verify-evidence", document.path])
            #expect(asked.contains("The evidence is valid"))
            try await request(setting, "op-2", provedIn: office.url.appending(path: "op-2.jws"))
        }
        try await withServer { other in
            try Data(try await other.require(["audit", "key"]).utf8)
                .write(to: office.url.appending(path: "others.json"))
        }
        // Both servers are gone.
        let held = try await program(["op-1.jws", "--keys", "keys.json"], in: office.url)
        #expect(held.succeeded, "\(held.errors)")
        for said in [
            "90.00 EUR, to Anna Verna, account DE02", "by 2 categories", "pwd (knowledge)", "Status:  AUTHORIZED",
            "OTP/EMAIL",
        ] {
            #expect(held.output.contains(said), "\(said) is not in \(held.output)")
        }
        let open = try await program(["op-2.jws", "--keys", "keys.json"], in: office.url)
        #expect(
            open.ending == .exited(3) && open.output.contains("needed, but not given"), "\(open.output) \(open.errors)")
        let waiting = try await independent(["op-2.jws", "keys.json"], in: office.url)
        #expect(
            waiting.ending == .exited(3) && waiting.output.hasPrefix("HOLDS SCA_REQUIRED: no consent"),
            "\(waiting.output) \(waiting.errors)")
        let agreed = try await independent(["op-1.jws", "keys.json"], in: office.url)
        #expect(agreed.succeeded && agreed.output.hasPrefix("HOLDS AUTHORIZED"), "\(agreed.output) \(agreed.errors)")
        for (file, keys) in [("changed.jws", "keys.json"), ("op-1.jws", "others.json")] {
            let refused = try await program([file, "--keys", keys], in: office.url)
            #expect(refused.ending == .exited(1), "\(file) with \(keys): \(refused.output)")
            #expect(refused.errors.contains("proves NOTHING"), "\(refused.errors)")
            let found = try await independent([file, keys], in: office.url)
            #expect(found.ending == .exited(1) && found.output.hasPrefix("FAULT"), "\(found.output) \(found.errors)")
        }
        try await holdEndings(of: document, in: office.url)
        let none = try await program(["missing.jws", "--keys", "keys.json"], in: office.url)
        #expect(none.errors.contains("missing.jws does not exist"))
        let noKeys = try await program(["op-1.jws", "--keys", "op-1.jws"], in: office.url)
        #expect(noKeys.errors.contains("has no audit keys"))
        let notThere = try await independent(["missing.jws", "keys.json"], in: office.url)
        #expect(notThere.ending == .exited(1))
        #expect(notThere.errors.hasPrefix("missing.jws cannot be read: No such file"), "\(notThere.errors)")
        let noSet = try await independent(["op-1.jws", "op-1.jws"], in: office.url)
        #expect(noSet.ending == .exited(1) && noSet.errors.contains("has no audit keys"), "\(noSet.errors)")
        // Of other JSON than evidence, or of JSON without end: one line, and never a trace of the program's own.
        for header in ["[]", String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)] {
            let signature = Base64URL.encode([UInt8](repeating: 0, count: 64))
            let other = "\(Base64URL.encode(Array(header.utf8))).e30.\(signature)"
            try Data(other.utf8).write(to: office.url.appending(path: "other.jws"))
            let found = try await independent(["other.jws", "keys.json"], in: office.url)
            #expect(found.ending == .exited(1) && found.output.hasPrefix("FAULT"), "\(found.output)")
            #expect(found.errors.isEmpty, "\(found.errors)")
        }
        try await holdCodes(in: office.url)
        try await holdWithdrawals(in: office.url)
    }

    /// One line feed may follow a document. Neither verifier accepts anything else after it.
    private func holdEndings(of document: URL, in office: URL) async throws {
        let bytes = try Data(contentsOf: document)
        for ending in ["\n", "\r\n", "\r", "\n\n", " ", "\u{85}", "="] {
            let holds = ending == "\n"
            try (bytes + Data(ending.utf8)).write(to: office.appending(path: "ending.jws"))
            let said = try await program(["ending.jws", "--keys", "keys.json"], in: office)
            #expect(said.succeeded == holds, "\(Array(ending.utf8)): \(said.output) \(said.errors)")
            let found = try await independent(["ending.jws", "keys.json"], in: office)
            #expect(found.succeeded == holds, "\(Array(ending.utf8)): \(found.output) \(found.errors)")
        }
    }

    /// The program and the independent verifier accept the same codes.
    private func holdCodes(in office: URL) async throws {
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: office.appending(path: name)), as: UTF8.self)
        }
        let keys = try JWKSet(JSONValue.object(parsing: Array(text("keys.json").utf8)))
        let claims = try OperationEvidence(text("op-1.jws")).verified(by: keys)
        let payload = try OperationPayload(parsing: claims.payload)
        let itsCode = try #require(claims.authorization?.code)
        try Data(itsCode.rawValue.utf8).write(to: office.appending(path: "code.jws"))
        let mistaken = try await program(["code.jws", "--keys", "keys.json"], in: office)
        #expect(mistaken.ending == .exited(1))
        #expect(mistaken.errors.contains("it is an authentication code"), "\(mistaken.errors)")
        let counted = claims.factors.map(\.method)
        // A code at the sign-in and one for the payment are one method.
        let fewer = counted.filter { $0 != counted.last }
        let verified = try #require(claims.step(.verified))
        let authorized = try #require(claims.step(.authorized))
        let auditor = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
        let issuer = P256Signer(P256.Signing.PrivateKey(), keyID: "es-1")
        let issuerKey = try #require(issuer.publicJWK)
        try Data(JWKSet([auditor].compactMap(\.publicJWK)).json.bytes).write(to: office.appending(path: "made.json"))
        let cases = [("same", counted, true), ("more", counted + ["swk"], false), ("less", fewer, false)]
        for (name, methods, holds) in cases {
            let consent = AuthenticationCodeClaims.Consent(
                eventID: claims.eventID, payloadHash: payload.hash, methods: methods,
                at: NumericDate(clamping: verified.at / 1000))
            let code = AuthenticationCodeClaims(
                issuer: claims.issuer, clientID: claims.clientID, account: claims.account, id: "code-1",
                issuedAt: NumericDate(clamping: authorized.at / 1000), operationID: claims.operationID,
                operation: payload.operation, basis: .verified(consent))
            let signedCode = try await CompactJWSEncoder(signer: issuer, type: .walletOperation)
                .encode(code.json.bytes, signer: issuer)
            var made = claims
            made.authorization = OperationEvidenceClaims.Authorization(
                code: try AuthenticationCode(signedCode), key: issuerKey)
            let document = try await CompactJWSEncoder(signer: auditor, type: .walletOperationEvidence)
                .encode(made.json.bytes, signer: auditor)
            try Data(document.utf8).write(to: office.appending(path: "\(name).jws"))
            let said = try await program(["\(name).jws", "--keys", "made.json"], in: office)
            #expect(said.succeeded == holds, "\(name): \(said.output) \(said.errors)")
            let found = try await independent(["\(name).jws", "made.json"], in: office)
            #expect(found.succeeded == holds, "\(name): \(found.output) \(found.errors)")
        }
    }

    /// Both verifiers tell a withdrawal from a refusal, and accept it of a refusal only.
    private func holdWithdrawals(in office: URL) async throws {
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: office.appending(path: name)), as: UTF8.self)
        }
        let keys = try JWKSet(JSONValue.object(parsing: Array(text("keys.json").utf8)))
        var claims = try OperationEvidence(text("op-1.jws")).verified(by: keys)
        let end = try #require(claims.step(.authorized))
        claims.authorization = nil
        claims.attempts = []
        claims.status = .cancelled
        claims.steps = [try #require(claims.step(.requested)), end]
        let auditor = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
        try Data(JWKSet([auditor].compactMap(\.publicJWK)).json.bytes).write(to: office.appending(path: "ended.json"))
        let cases: [(OperationEvidenceClaims.Step.Kind, withdrawn: Bool, exempt: Bool, holds: Bool)] = [
            (.refused, true, false, true), (.refused, false, false, true), (.cancelled, true, false, false),
            (.refused, true, true, true), (.refused, false, true, true),
        ]
        for (kind, withdrawn, isExempt, holds) in cases {
            if isExempt {
                claims.decision = .exempt(nil)
                claims.findings = [ExemptionFinding(nil, isGranted: true, reason: "its kind needs no consent")]
                claims.steps[0].kind = .exempted
            }
            claims.steps[1].kind = kind
            claims.steps[1].isWithdrawal = withdrawn
            let document = try await CompactJWSEncoder(signer: auditor, type: .walletOperationEvidence)
                .encode(claims.json.bytes, signer: auditor)
            try Data(document.utf8).write(to: office.appending(path: "ended.jws"))
            let said = try await program(["ended.jws", "--keys", "ended.json"], in: office)
            #expect(said.ending == .exited(holds ? 3 : 1), "\(kind): \(said.output) \(said.errors)")
            let words = "withdrawn in the session that asked"
            #expect(said.output.contains(words) == (holds && withdrawn), "\(said.output)")
            let found = try await independent(["ended.jws", "ended.json"], in: office)
            #expect(found.ending == .exited(holds ? 3 : 1), "\(kind): \(found.output) \(found.errors)")
            #expect(found.output.contains(words) == (holds && withdrawn), "\(found.output)")
        }
    }

    private func program(_ arguments: [String], in folder: URL) async throws -> CommandResult {
        try await ChildProcess.run(Programs.walletauth, ["audit", "verify-evidence"] + arguments, folder: folder)
    }

    /// The independent verifier, which knows the format from the documentation alone.
    private func independent(_ arguments: [String], in folder: URL) async throws -> CommandResult {
        let script = Programs.repository.appending(path: "scripts/verify_evidence.py")
        return try await ChildProcess.run(Programs.python, [script.path] + arguments, folder: folder)
    }
}

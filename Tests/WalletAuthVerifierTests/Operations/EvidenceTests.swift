import Crypto
import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("The proof of an operation, for its backend")
struct EvidenceTests {
    private let server: OperationsServer
    private let auditKey = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")

    init() throws { server = try OperationsServer() }

    private var keys: JWKSet { JWKSet([auditKey].compactMap(\.publicJWK)) }

    /// A payment that was exempt and has not been carried out, but for what a test changes.
    private func document(
        issuer: Issuer? = nil, client: String = "backend", id: String = "op-1"
    ) throws -> String {
        let now = server.server.clock.now()
        let operationID = try WalletOperationID(id)
        let event = try SCAEventID(OperationsServer.event)
        let clientID = try ClientID(client)
        let payload = OperationPayload(
            eventID: event, operationID: operationID, clientID: clientID, account: server.person.account,
            operation: try server.payment(), expiresAt: now.advanced(by: .seconds(300)))
        let asked = now.secondsSince1970 * 1000
        let claims = OperationEvidenceClaims(
            issuer: issuer ?? server.server.issuer, status: .exempt, operationID: operationID, clientID: clientID,
            account: server.person.account, session: server.person.session, eventID: event, payload: payload.bytes,
            requestedAt: asked, expiresAt: asked + 300_000, decision: .exempt(.lowValue),
            findings: [ExemptionFinding(.lowValue, isGranted: true, reason: "Payment 1 of 5.")],
            steps: [
                OperationEvidenceClaims.Step(
                    kind: .exempted, at: asked,
                    place: OperationEvidenceClaims.Place(partition: 3, sequence: 17, link: [7, 7, 7]))
            ], attempts: [], authorization: nil)
        return try CompactJWSEncoder(signer: auditKey, type: .walletOperationEvidence)
            .encode(claims.json.bytes, signer: auditKey)
    }

    private func outcome(
        of body: String, verifiedBy keys: JWKSet, formerIssuers: Set<Issuer> = []
    ) async throws -> Result<VerifiedEvidence, OperationRefusal> {
        server.server.on("GET", "/v1/wallet-operations/op-1/evidence") { _ in
            OutboundResponse(
                status: 200, headers: [HeaderField("Content-Type", OperationEvidence.mediaType)],
                body: Array(body.utf8))
        }
        let client = try server.client()
        let id = try WalletOperationID("op-1")
        do throws(OperationRefusal) {
            return .success(try await client.evidence(of: id, verifiedBy: keys, formerIssuers: formerIssuers))
        } catch { return .failure(error) }
    }

    @Test("It comes to the byte, verified, and says what was thought")
    func comes() async throws {
        let body = try document()
        let evidence = try await outcome(of: body, verifiedBy: keys).get()
        #expect(evidence.document.rawValue == body)
        #expect(evidence.claims.decision == .exempt(.lowValue))
        #expect(try OperationPayload(parsing: evidence.claims.payload).operation == server.payment())
        #expect(try evidence.document.verified(by: keys) == evidence.claims)
    }

    @Test(
        "Of an operation from before the server got another issuer it names the former one, and is taken where that is named"
    )
    func formerIssuer() async throws {
        let former = try Issuer("https://old.example")
        let body = try document(issuer: former)
        let evidence = try await outcome(of: body, verifiedBy: keys, formerIssuers: [former]).get()
        #expect(evidence.claims.issuer == former)
        let other = try await outcome(of: body, verifiedBy: keys, formerIssuers: [Issuer("https://older.example")])
        guard case .failure(let refusal) = other else {
            Issue.record("it was taken: \(String(describing: other))")
            return
        }
        #expect(refusal.reason.contains("another server, https://old.example"))
    }

    @Test("attack: another server's key, another issuer, another client's operation and a changed byte prove nothing")
    func refused() async throws {
        func reason(_ body: String, _ keys: JWKSet? = nil) async throws -> String {
            guard case .failure(let refusal) = try await outcome(of: body, verifiedBy: keys ?? self.keys) else {
                return "it was taken"
            }
            #expect(refusal.code == .malformedAnswer)
            return refusal.reason
        }
        let stranger = JWKSet([P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")].compactMap(\.publicJWK))
        let byStranger = try await reason(document(), stranger)
        #expect(byStranger.contains("its signature is wrong"))
        let unknown = try await reason(document(), JWKSet([]))
        #expect(unknown.contains("a key that is not one of those given"))
        let elsewhere = try await reason(document(issuer: Issuer("https://other.example")))
        #expect(elsewhere.contains("another server"))
        let client = try await reason(document(client: "other"))
        #expect(client.contains("another operation"))
        let operation = try await reason(document(id: "op-2"))
        #expect(operation.contains("another operation"))
        var changed = try document()
        changed.append("A")
        let appended = try await reason(changed)
        #expect(appended.contains("the evidence: its signature is wrong"))
    }
}

import Crypto
import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("Authentication codes, verified offline") struct AuthenticationCodeTests {
    private let server: OperationsServer
    private let payment: WalletOperation

    init() throws {
        server = try OperationsServer()
        payment = try server.payment()
    }

    private func expected(event: String? = OperationsServer.event, payload: [UInt8]? = nil) throws -> ExpectedOperation
    {
        ExpectedOperation(
            clientID: server.clientID, account: server.person.account, id: try WalletOperationID("op-1"),
            operation: payment, eventID: try event.map { try SCAEventID($0) }, payload: payload)
    }

    private var keys: JWKSet {
        get throws { try JWKSet(server.server.state.withLock { $0.published }) }
    }

    @Test("A code is verified by keys that were kept, years later and without a server")
    func kept() throws {
        let code = try server.code(for: payment)
        let keys = try self.keys
        server.server.state.withLock { $0.isDown = true }
        server.server.clock.advance(by: .seconds(315_360_000))
        let claims = try code.verified(by: keys, of: server.server.issuer, for: expected())
        #expect(claims.account == server.person.account)
        #expect(server.server.state.withLock { $0.requests.isEmpty })
    }

    @Test("A code is verified by keys that are fetched; without a server the error is that it cannot be verified")
    func fetched() async throws {
        let code = try server.code(for: payment)
        let issuer = server.server.trusted()
        let claims = try await issuer.verify(code, for: expected())
        #expect(claims.operation == payment)
        let down = try OperationsServer()
        down.server.state.withLock { $0.isDown = true }
        let asked = try expected()
        do {
            _ = try await down.server.trusted().verify(code, for: asked)
            Issue.record("verified without keys")
        } catch {
            guard case .unavailable = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("The payload that the person agreed to is held against the code, hash and content")
    func payload() throws {
        let payload = OperationPayload(
            eventID: try SCAEventID(OperationsServer.event), operationID: try WalletOperationID("op-1"),
            clientID: server.clientID, account: server.person.account, operation: payment,
            expiresAt: server.server.clock.now())
        func code(_ payload: OperationPayload) throws -> AuthenticationCode {
            try server.code(for: payment) {
                $0.basis = .verified(
                    AuthenticationCodeClaims.Consent(
                        eventID: try SCAEventID(OperationsServer.event), payloadHash: payload.hash, methods: ["pin"],
                        at: server.server.clock.now()))
            }
        }
        let issuer = server.server.issuer
        let good = try code(payload)
        #expect(throws: Never.self) {
            try good.verified(by: keys, of: issuer, for: expected(payload: payload.bytes))
        }
        // One byte less than what was agreed to, and a payload about something else under its right hash.
        #expect(throws: AuthenticationCodeFault.differs("operationHash")) {
            try good.verified(by: keys, of: issuer, for: expected(payload: Array(payload.bytes.dropLast())))
        }
        let other = OperationPayload(
            eventID: payload.eventID, operationID: payload.operationID, clientID: payload.clientID,
            account: payload.account, operation: try server.payment(1), expiresAt: payload.expiresAt)
        #expect(throws: AuthenticationCodeFault.differs("operationHash")) {
            try code(other).verified(by: keys, of: issuer, for: expected(payload: other.bytes))
        }
    }

    @Test("attack: a code of another event, an exemption in place of consent, an access token, or a key in the header")
    func others() throws {
        let issuer = server.server.issuer
        #expect(throws: AuthenticationCodeFault.differs("eventId")) {
            try server.code(for: payment).verified(
                by: keys, of: issuer, for: expected(event: "99999999-1111-4ed4-8f6e-4c2f8e6d7a22"))
        }
        #expect(throws: AuthenticationCodeFault.differs("sca")) {
            try server.code(for: payment) { $0.basis = .exempt(nil) }.verified(by: keys, of: issuer, for: expected())
        }
        #expect(throws: Never.self) {
            try server.code(for: payment) { $0.basis = .exempt(nil) }.verified(
                by: keys, of: issuer, for: expected(event: nil))
        }
        #expect(throws: AuthenticationCodeFault.forged(.wrongType)) {
            try server.code(for: payment, type: "at+jwt").verified(by: keys, of: issuer, for: expected())
        }
        let stranger = P256Signer(P256.Signing.PrivateKey(), keyID: "elsewhere")
        #expect(throws: AuthenticationCodeFault.forged(.unknownKey)) {
            try server.code(for: payment, by: stranger).verified(by: keys, of: issuer, for: expected())
        }
    }
}

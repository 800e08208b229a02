import Foundation
import Testing
import WalletAuthVerifier
import WalletAuthWire

/// A payment as a backend carries it out that is built on the verifier: asked for, agreed to in the app, authorized, proved.
@Suite(
    "Wallet operations of a backend on the verifier, against the running server", .threat("a consent of another person")
)
struct OperationsAtTheBackendTests {
    /// A call of the app's to the server, with a proof.
    private func call(
        _ backend: VerifyingBackend, _ token: String, _ path: String, _ json: JSONObject
    ) async throws -> WebAnswer {
        let url = await backend.server.url(path)
        var nonce: String?
        while true {
            let proof = try backend.app.proof(method: "POST", url: url, nonce: nonce, accessToken: token)
            let answer = try await backend.app.web.post(
                url, json: String(decoding: json.bytes, as: UTF8.self),
                headers: ["Authorization": "DPoP \(token)", "DPoP": proof])
            guard answer.status == 401, nonce == nil, let asked = answer.header("dpop-nonce") else { return answer }
            nonce = asked
        }
    }

    /// The person agrees in the app by the code that is sent.
    private func agree(
        _ backend: VerifyingBackend, _ token: String, to required: SCARequired
    ) async throws -> SCAChallengeResponse {
        let challenge = SCAChallengeRequest(operationID: required.operationID, verification: .email)
        let challenged = try await call(
            backend, token, Endpoints.scaChallenges.path(required.eventID), challenge.json)
        try #require(challenged.status == 200, "\(challenged.text)")
        let code = try await backend.server.newestCode()
        backend.server.ledger.enter(code)
        let attempt = SCAAttemptRequest(
            operationID: required.operationID, verification: .email, value: try SCAValue(code))
        let answer = try await call(backend, token, Endpoints.scaAttempts.path(required.eventID), attempt.json)
        #expect(answer.members["status"] == "VERIFIED", "\(answer.text)")
        return try SCAChallengeResponse(JSONValue.object(parsing: Array(challenged.body)))
    }

    private func transfer(_ cents: Int64 = 90_00) throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: cents, currency: .euro),
            payee: Payee(name: "Anna Verna", account: "DE02120300000000202051"))
    }

    @Test("Asked for, agreed to, authorized once, and proved years later without asking anybody")
    func wholeWay() async throws {
        try await VerifyingBackend.use { backend in
            let shop = try await backend.server.makeConfidentialClient("shop")
            let clientID = try ClientID(shop.id)
            let operations = WalletOperations(
                issuer: backend.issuer, credential: .secret(clientID, try ClientSecret(shop.secret ?? "")))
            // One token for the server, where the person agrees, and for the backend, where the payment is asked for.
            let token = try await backend.signIn(resource: await backend.server.issuer.absoluteString)
            let atServer = AccessTokenVerifier(
                issuer: backend.issuer, audience: await backend.server.issuer.absoluteString,
                externalURL: try WebURL(VerifyingBackend.audience))
            let (person, _) = try await atServer.verifyPerson(backend.request(token, nonce: nil))

            let operation = try transfer()
            let outcome = try await operations.authorize(
                operation, by: person, scaDetails: nil)
            guard case .scaRequired(let required) = outcome else {
                Issue.record("no consent asked for: \(String(describing: outcome))")
                return
            }
            let details = SCADetails(eventID: required.eventID, operationID: required.operationID)
            let early = await #expect(throws: OperationRefusal.self) {
                try await operations.authorize(operation, by: person, scaDetails: details)
            }
            #expect(early?.code == .scaNotVerified)
            let challenge = try await agree(backend, token, to: required)
            let changed = await #expect(throws: OperationRefusal.self) {
                try await operations.authorize(transfer(90_01), by: person, scaDetails: details)
            }
            #expect(changed?.code == .operationChanged)
            let attempt = try IdempotencyKey("carry-out-once-0001")
            let found = try await operations.authorize(
                operation, by: person, scaDetails: details, attempt: attempt)
            guard case .authorized(let code, let claims) = found else {
                Issue.record("not authorized: \(String(describing: found))")
                return
            }
            #expect(claims.operation == operation)
            let repeated = try await operations.authorize(operation, by: person, scaDetails: details, attempt: attempt)
            #expect(repeated == .authorized(code, claims))
            let again = await #expect(throws: OperationRefusal.self) {
                try await operations.authorize(operation, by: person, scaDetails: details)
            }
            #expect(again?.code == .scaAlreadyUsed)

            // The keys are kept with the evidence; the server is gone.
            let published = try await backend.app.web.get(await backend.server.url("/.well-known/jwks.json"))
            let keys = try JWKSet(JSONValue.object(parsing: Array(published.body)))
            let issuer = backend.issuer.issuer
            _ = try await backend.server.stop()
            var expected = ExpectedOperation(
                clientID: clientID, account: person.account, id: required.operationID, operation: operation,
                eventID: required.eventID, payload: challenge.payload)
            _ = try code.verified(by: keys, of: issuer, for: expected)
            expected.operation = try transfer(90_01)
            #expect(throws: AuthenticationCodeFault.differs("operation")) {
                try code.verified(by: keys, of: issuer, for: expected)
            }
            expected.operation = operation
            expected.payload?[0] ^= 1
            #expect(throws: AuthenticationCodeFault.self) { try code.verified(by: keys, of: issuer, for: expected) }
        }
    }

    @Test("attack: one person's consent carries out nothing for another, and nothing at another backend")
    func whose() async throws {
        try await VerifyingBackend.use { backend in
            let issuer = await backend.server.issuer.absoluteString
            let shop = try await backend.server.makeConfidentialClient("shop")
            let thief = try await backend.server.makeConfidentialClient("thief")
            func operations(_ client: RegisteredClient) throws -> WalletOperations {
                WalletOperations(
                    issuer: backend.issuer,
                    credential: .secret(try ClientID(client.id), try ClientSecret(client.secret ?? "")))
            }
            let atServer = AccessTokenVerifier(
                issuer: backend.issuer, audience: issuer, externalURL: try WebURL(VerifyingBackend.audience))
            let token = try await backend.signIn(resource: issuer)
            let (ada, _) = try await atServer.verifyPerson(backend.request(token, nonce: nil))
            let operation = try transfer()
            let answer = try await operations(shop).authorize(
                operation, by: ada, scaDetails: nil)
            guard case .scaRequired(let required) = answer else {
                Issue.record("no consent asked for: \(String(describing: answer))")
                return
            }
            _ = try await agree(backend, token, to: required)
            let details = SCADetails(eventID: required.eventID, operationID: required.operationID)
            let grace = VerifyingBackend(
                server: backend.server, person: try await backend.server.makeAccount("grace"), app: backend.app,
                issuer: backend.issuer, clock: backend.clock, verifier: backend.verifier)
            let graces = try await grace.signIn(resource: issuer)
            let (other, _) = try await atServer.verifyPerson(grace.request(graces, nonce: nil))
            let byOther = await #expect(throws: OperationRefusal.self) {
                try await operations(shop).authorize(operation, by: other, scaDetails: details)
            }
            #expect(byOther?.code == .operationChanged)
            let elsewhere = await #expect(throws: OperationRefusal.self) {
                try await operations(thief).authorize(operation, by: ada, scaDetails: details)
            }
            #expect(elsewhere != nil)
            let outcome = try await operations(shop).authorize(operation, by: ada, scaDetails: details)
            guard case .authorized = outcome else {
                Issue.record("another person spent the consent: \(String(describing: outcome))")
                return
            }
        }
    }
}

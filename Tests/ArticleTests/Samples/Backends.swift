import WalletAuthVerifier

/// A service's handlers around the samples: what a framework gives and takes.
struct ExampleService {
    struct Answer {}
    struct Payment {
        let attempt: IdempotencyKey
        func carryOut(keeping code: AuthenticationCode) async throws {}
    }

    let accepted = Answer()
    func handle(_ access: VerifiedAccess) async throws -> Answer { accepted }
    func send(_ answer: ProblemAnswer) -> Answer { Answer() }
    func log(_ reason: String) {}

    func verifierAtStart() async throws -> AccessTokenVerifier {
        let issuer = TrustedIssuer(try Issuer("https://auth.example.com"))
        let verifier = AccessTokenVerifier(
            issuer: issuer, audience: "https://api.example.com", externalURL: try WebURL("https://api.example.com"))
        try await issuer.prepare()
        return verifier
    }

    func letIn(
        _ verifier: AccessTokenVerifier, method: String, path: String, authorization: [String], proofs: [String]
    ) async throws -> Answer {
        do {
            let access = try await verifier.verify(
                PresentedRequest(method: method, path: path, authorization: authorization, proofs: proofs),
                for: AccessRequirement(scope: try Scope("payments")))
            return try await handle(access)
        } catch let refusal as AccessRefusal {
            log(refusal.reason)
            return send(refusal.answer)
        }
    }

    func publishing() throws -> AccessTokenVerifier.Settings {
        var settings = AccessTokenVerifier.Settings()
        settings.metadata = ResourceMetadata(scopes: try Scope("accounts payments"), requiresProofOfPossession: true)
        return settings
    }

    struct Request {
        let headers: [String: String]
    }

    func ship(_ transaction: TransactionID) async throws {}

    func receive(_ request: Request, _ body: [UInt8], secret text: String) async throws {
        let webhooks = WebhookVerifier([try WebhookSecret(text)])

        let event = try webhooks.verify(body) { request.headers[$0] }
        if event.type == .transactionSigned, let id = event.transactionID { try await ship(id) }
    }

    func stepUp() throws -> AccessRequirement {
        let requirement = AccessRequirement(
            scope: try Scope("payments"), acrValues: AuthenticationStrength.twoFactors, maximumAge: .seconds(300),
            binding: .proofOfPossession)
        return requirement
    }

    func operations(issuer: TrustedIssuer, clientID: ClientID, clientSecret: ClientSecret) -> WalletOperations {
        let operations = WalletOperations(issuer: issuer, credential: .secret(clientID, clientSecret))
        return operations
    }

    func pay(
        _ payment: Payment, _ operation: WalletOperation, by person: VerifiedAccess.Person, scaDetails: SCADetails?,
        through operations: WalletOperations
    ) async throws -> Answer {
        do {
            let decision = try await operations.authorize(
                operation, by: person, scaDetails: scaDetails, attempt: payment.attempt)
            switch decision {
            case .scaRequired(let required):
                return send(required.answer)
            case .authorized(let code, _):
                try await payment.carryOut(keeping: code)
                return accepted
            }
        } catch let refusal as OperationRefusal {
            log(refusal.reason)
            return send(refusal.answer)
        }
    }

    struct Archive {
        func keep(_ document: OperationEvidence) throws {}
    }

    func keepEvidence(
        of operationID: WalletOperationID, auditKeys: JWKSet, from operations: WalletOperations, in archive: Archive
    ) async throws {
        let evidence = try await operations.evidence(of: operationID, verifiedBy: auditKeys)
        try archive.keep(evidence.document)
        for factor in evidence.claims.factors { log("\(factor.method) at \(factor.at)") }
    }

    func verifyArchived(_ archived: OperationEvidence, auditKeys: JWKSet) throws -> OperationEvidenceClaims {
        let claims = try archived.verified(by: auditKeys)
        return claims
    }

    func verifyLater(
        _ code: AuthenticationCode, by keptKeys: JWKSet, of issuer: Issuer, clientID: ClientID, account: AccountID,
        operationID: WalletOperationID, operation: WalletOperation
    ) throws -> AuthenticationCodeClaims {
        let claims = try code.verified(
            by: keptKeys, of: issuer,
            for: ExpectedOperation(clientID: clientID, account: account, id: operationID, operation: operation))
        return claims
    }
}

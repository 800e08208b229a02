package import WalletAuthWire

@testable import Consent
@testable import Operations

extension TestShop {
    /// The proof of an operation.
    package func evidence(_ id: String = "op-1") async throws -> OperationEvidence {
        let id = try WalletOperationID(id)
        return try await server.flows.consent.operations.evidence(
            of: id, call: call(.get, Endpoints.walletOperationEvidence.path(id))
        ).get()
    }

    /// What the proof of an operation says, verified by the keys that an auditor has.
    package func verifiedEvidence(_ id: String = "op-1") async throws -> OperationEvidenceClaims {
        let keys = try JWKSet(try await server.administer(["audit", "key"]))
        return try await evidence(id).verified(by: keys)
    }
}

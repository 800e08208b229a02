import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The calls with which a device claims, confirms, rejects and signs (protocol section 6). Each may be repeated: for a
/// step already taken, the server returns its outcome.
struct DeviceTransactionCalls: Sendable {
    let authentication: DeviceAuthentication
    let enrollment: Enrollment
    let operation: WalletError.Operation

    /// The maximum number of pages in the list of open transactions. A backend has at most 20 open transactions per
    /// account, and a page holds 100.
    static let maximumPages = 20

    func claim(_ link: TransactionLink) async throws -> DeviceTransaction {
        let claim = TransactionClaim(link: link, deviceID: enrollment.deviceID)
        return try DeviceTransaction(try await step(Endpoints.transactionClaim.path, claim.json))
    }

    func confirm(_ id: TransactionID, _ hash: PayloadHash) async throws -> DeviceTransaction {
        let confirmation = TransactionConfirmation(deviceID: enrollment.deviceID, payloadHash: hash)
        return try DeviceTransaction(
            try await step(Endpoints.transactionConfirmation.path(id), confirmation.json))
    }

    func reject(_ id: TransactionID, _ hash: PayloadHash, _ reason: RejectionReason) async throws {
        let rejection = TransactionRejection(deviceID: enrollment.deviceID, payloadHash: hash, reason: reason)
        _ = try await step(Endpoints.transactionRejection.path(id), rejection.json)
    }

    func begin(_ transaction: ClientTransaction) async throws -> TransactionDraftResponse {
        let request = try TransactionDraftRequest(
            deviceID: enrollment.deviceID, clientState: transaction.clientState.map(Array.init),
            clientAdditionalData: transaction.clientAdditionalData.map(Array.init),
            requiredSecondFactor: transaction.requiredSecondFactorType)
        return try TransactionDraftResponse(try await step(Endpoints.transactionDrafts.path, request.json))
    }

    func sign(_ id: TransactionID, by assertion: SignedAssertion) async throws -> DeviceTransaction {
        try await submit(TransactionSignature(assertion: assertion).json, at: Endpoints.transactionSignature.path(id))
    }

    func store(_ draft: TransactionDraft, by assertion: SignedAssertion) async throws -> DeviceTransaction {
        try await submit(SignedDraft(draft: draft, assertion: assertion).json, at: Endpoints.transactions.path)
    }

    /// Returns the device's open transactions, from all pages.
    /// - Throws: `MalformedValue` if the pages do not end.
    func open() async throws -> [DeviceTransaction] {
        var transactions: [DeviceTransaction] = []
        var cursor: TransactionID?
        for _ in 0..<Self.maximumPages {
            let query = cursor.map { "?cursor=\($0)" } ?? ""
            let page = try TransactionPage<DeviceTransaction>(
                try await authentication.calls.send(
                    .get, Endpoints.transactions.path + query, during: operation))
            transactions += page.transactions
            guard let next = page.cursor else { return transactions }
            guard next != cursor else { throw MalformedValue(field: "cursor", reason: "leads to the same page") }
            cursor = next
        }
        throw MalformedValue(field: "cursor", reason: "leads to more than \(Self.maximumPages) pages")
    }

    /// A call that the device signs.
    func step(_ path: String, _ body: JSONObject) async throws -> JSONObject {
        let answer = try await authentication.signedAnswer(
            to: path, body, by: enrollment, during: operation)
        return try answer.success(during: operation)
    }

    /// A call whose body the device and its second factor have signed.
    func submit(_ body: JSONObject, at path: String) async throws -> DeviceTransaction {
        let url = try authentication.issuer.url(of: path, during: operation)
        let answer = try await authentication.exchange.send(HTTPRequest(url, .json(body)), policy: .idempotent)
        return try answer.message(during: operation)
    }
}

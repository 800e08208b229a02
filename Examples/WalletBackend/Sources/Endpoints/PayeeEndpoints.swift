import Foundation
import Hummingbird
import WalletAuthVerifier
import WalletAuthWire

/// `GET /payees`, `POST /payees` and `DELETE /payees/{name}?account=…`: the person's payees.
struct PayeeEndpoints: Sendable {
    let ledger: Ledger

    @Sendable func list(_ request: Request, _ context: PersonContext) async throws -> Response {
        let payees = try await ledger.payees(of: context.person.account)
        var object = JSONObject()
        object["payees"] = .array(payees.map { .object($0.answer) })
        return Response(.ok, object.bytes)
    }

    /// Adds a payee: `{name, account}`. Repeating the request is harmless.
    @Sendable func add(_ request: Request, _ context: PersonContext) async throws -> Response {
        let body = try await request.json()
        try body.refuseMembers(otherThan: ["name", "account"])
        let payee = try Payee(
            name: body.required("name", body.string("name")),
            account: Self.account(body.required("account", body.string("account"))))
        // A person cannot agree to pay a payee whose name cannot be read.
        try WalletOperation(type: WalletOperationType("TRANSFER"), payee: payee).refuseContradictions()
        _ = try await ledger.wallet(of: context.person.account, at: Date())
        switch try await ledger.add(payee, for: context.person.account, at: Date()) {
        case .added: return Response(.created, payee.answer.bytes)
        case .known: return Response(.ok, payee.answer.bytes)
        case .nameTaken(let account):
            throw Problem(
                status: 409, code: "payee_exists", title: "Another of your payees has a name that looks the same",
                detail: "Its account is \(account). Choose another name, or pay the existing payee.")
        case .own:
            throw Problem(status: 409, code: "own_account", title: "This is your own wallet's account")
        case .tooMany:
            throw Problem(
                status: 409, code: "too_many_payees", title: "You've reached the limit of payees",
                detail: "The limit is \(Ledger.payeeLimit). Remove one first.")
        }
    }

    /// Removes a payee.
    @Sendable func remove(_ request: Request, _ context: PersonContext) async throws -> Response {
        guard let name = context.parameters.get("name")?.removingPercentEncoding, !name.isEmpty else {
            throw MalformedValue(field: "name", reason: "is not in the path")
        }
        let account = request.uri.queryParameters["account"].map(String.init)
        let payee = Ledger.PayeeName(name: name, account: account)
        guard try await ledger.removePayee(payee, of: context.person.account) else {
            throw Problem(status: 404, code: "payee_not_found", title: "You have no payee with this name")
        }
        return Response(status: .noContent)
    }

    /// The account to pay. Text that begins like an IBAN must be a valid one, so that a typing error cannot send money
    /// elsewhere.
    private static func account(_ text: String) throws(MalformedValue) -> String {
        guard IBAN.isMeant(by: text) else { return text }
        do { return try IBAN(text).rawValue } catch {
            throw MalformedValue(field: "account", reason: error.reason)
        }
    }
}

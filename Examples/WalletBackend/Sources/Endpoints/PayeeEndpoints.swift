import Foundation
import Hummingbird
import WalletAuthVerifier
import WalletAuthWire

/// `GET /payees`, `POST /payees` and `DELETE /payees/{name}?account=…`: whom the person pays.
struct PayeeEndpoints: Sendable {
    let ledger: Ledger

    @Sendable func list(_ request: Request, _ context: PersonContext) async throws -> Response {
        let payees = try await ledger.payees(of: context.person.account)
        var object = JSONObject()
        object["payees"] = .array(payees.map { .object($0.answer) })
        return Response(.ok, object.bytes)
    }

    /// `{name, account}`, once or as often as somebody likes.
    @Sendable func add(_ request: Request, _ context: PersonContext) async throws -> Response {
        let body = try await request.json()
        try body.refuseMembers(otherThan: ["name", "account"])
        let payee = try Payee(
            name: body.required("name", body.string("name")),
            account: Self.account(body.required("account", body.string("account"))))
        // Whom nobody can read, nobody can agree to pay.
        try WalletOperation(type: WalletOperationType("TRANSFER"), payee: payee).refuseContradictions()
        _ = try await ledger.wallet(of: context.person.account, at: Date())
        switch try await ledger.add(payee, for: context.person.account, at: Date()) {
        case .added: return Response(.created, payee.answer.bytes)
        case .known: return Response(.ok, payee.answer.bytes)
        case .nameTaken(let account):
            throw Problem(
                status: 409, code: "payee_exists", title: "You have another payee whose name looks the same",
                detail: "It has the account \(account). Take another name, or pay the one you have.")
        case .own:
            throw Problem(status: 409, code: "own_account", title: "This is your own wallet's account")
        case .tooMany:
            throw Problem(
                status: 409, code: "too_many_payees", title: "You have as many payees as there can be",
                detail: "There can be \(Ledger.payeeLimit).")
        }
    }

    /// Somebody who is paid no more.
    @Sendable func remove(_ request: Request, _ context: PersonContext) async throws -> Response {
        guard let name = context.parameters.get("name")?.removingPercentEncoding, !name.isEmpty else {
            throw MalformedValue(field: "name", reason: "is not in the path")
        }
        let account = request.uri.queryParameters["account"].map(String.init)
        let payee = Ledger.PayeeName(name: name, account: account)
        switch try await ledger.removePayee(payee, of: context.person.account) {
        case .one: return Response(status: .noContent)
        case .none: throw Problem(status: 404, code: "payee_not_found", title: "You have no payee of this name")
        case .several(let payees): throw Problem.ambiguousPayee(payees)
        }
    }

    /// An account as it is paid to. What begins like an IBAN has to be one: a mistyped digit must not be paid to.
    private static func account(_ text: String) throws(MalformedValue) -> String {
        guard IBAN.isMeant(by: text) else { return text }
        do { return try IBAN(text).rawValue } catch {
            throw MalformedValue(field: "account", reason: error.reason)
        }
    }
}

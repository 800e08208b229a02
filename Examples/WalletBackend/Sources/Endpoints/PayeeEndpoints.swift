import Foundation
import Hummingbird
import WalletAuthVerifier
import WalletAuthWire

/// `GET /payees` and `POST /payees`: whom the person pays.
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
            account: body.required("account", body.string("account")))
        _ = try await ledger.wallet(of: context.person.account, at: Date())
        switch try await ledger.add(payee, for: context.person.account, at: Date()) {
        case .added: return Response(.created, payee.answer.bytes)
        case .known: return Response(.ok, payee.answer.bytes)
        case .nameTaken:
            throw Problem(
                status: 409, code: "payee_exists", title: "You have another payee of this name",
                detail: "Take another name, or pay the one you have.")
        case .own:
            throw Problem(status: 409, code: "own_account", title: "This is your own wallet's account")
        case .tooMany:
            throw Problem(
                status: 409, code: "too_many_payees", title: "You have as many payees as there can be",
                detail: "There can be \(Ledger.payeeLimit).")
        }
    }
}

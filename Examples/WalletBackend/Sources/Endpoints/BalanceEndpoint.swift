import Foundation
import Hummingbird
import WalletAuthVerifier
import WalletAuthWire

/// `GET /balance`: the balance of the person's wallet.
struct BalanceEndpoint: Sendable {
    let ledger: Ledger

    @Sendable func show(_ request: Request, _ context: PersonContext) async throws -> Response {
        let wallet = try await ledger.wallet(of: context.person.account, at: Date())
        var object = JSONObject()
        object.set("account", wallet.number)
        object["balance"] = .object(wallet.balance.answer)
        return Response(.ok, object.bytes)
    }
}

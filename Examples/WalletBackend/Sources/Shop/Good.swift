import Foundation
import WalletAuthWire

/// An item on the shelf.
struct Good: Hashable, Sendable {
    /// The item's name in the form.
    let id: String
    let name: String
    let price: Money
}

extension Purchase {
    /// Creates a purchase of an item, before it is started.
    ///
    /// - Parameters:
    ///   - good: the item.
    ///   - account: the account that must sign; nil for the first person who scans the code.
    ///   - payee: the payee.
    ///   - now: the current time.
    init(of good: Good, by account: AccountID?, payee: Payee, at now: Date) throws {
        let digits = Array("0123456789ABCDEF")
        let number = String(Self.randomBytes(6).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        self.init(
            id: Base64URL.encode(Self.randomBytes(16)),
            key: try IdempotencyKey(Base64URL.encode(Self.randomBytes(16))),
            request: try TransactionRequest(
                account: account, type: WalletOperationType("PURCHASE"), amount: good.price, payee: payee,
                lines: [TransactionLine(label: "Order", value: good.name)], reference: number),
            begunAt: now, state: .begun)
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

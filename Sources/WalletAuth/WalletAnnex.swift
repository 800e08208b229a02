/// What another product of this package keeps for as long as a wallet lives. Each type of value is kept once.
package final class WalletAnnex: Sendable {
    private let values = Protected<[ObjectIdentifier: any Sendable]>([:])

    /// The value of a type; made by whoever asks first.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        values.withLock { values in
            if let kept = values[ObjectIdentifier(Value.self)] as? Value { return kept }
            let made = make()
            values[ObjectIdentifier(Value.self)] = made
            return made
        }
    }
}

import WalletAuthTransport

/// Storage for other products of this package that lives as long as a wallet. It holds one value per type.
package final class ExtensionStorage: Sendable {
    private let values = LockedValue<[ObjectIdentifier: any Sendable]>([:])

    /// Returns the value of a type; the first caller creates it.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        values.withLock { values in
            if let kept = values[ObjectIdentifier(Value.self)] as? Value { return kept }
            let made = make()
            values[ObjectIdentifier(Value.self)] = made
            return made
        }
    }
}

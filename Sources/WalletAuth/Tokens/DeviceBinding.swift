import WalletAuthTransport
import WalletAuthWire

/// The key that binds this device's tokens (RFC 9449): one per wallet, created at the first sign-in that can use it.
final class DeviceBinding: Sendable {
    private let keys: any DeviceKeys
    private let keeper: SessionKeeper
    private let id: DeviceKeyID
    private let cached = LockedValue<BoundKey?>(nil)

    init(keys: any DeviceKeys, keeper: SessionKeeper, namespace: String) {
        self.keys = keys
        self.keeper = keeper
        id = DeviceKeyID("\(namespace).dpop")
    }

    /// Returns the key for a new sign-in at a server with this metadata; nil if the server does not bind tokens to
    /// keys.
    func keyForSignIn(at server: ServerDiscovery.Metadata) async throws -> BoundKey? {
        server.offersDPoP ? try await keyForSignIn() : nil
    }

    /// Returns the key for a new sign-in. Creates one if there is none, so a device that lost its key binds to a new
    /// one.
    func keyForSignIn() async throws -> BoundKey {
        if let existing = try await usableKey() { return existing }
        // Two processes that both find no key must not replace each other's.
        return try await keeper.withKeyLock { [self] in
            if let existing = try await usableKey() { return existing }
            let made = try BoundKey(await keys.createKey(id))
            cached.withLock { $0 = made }
            return made
        }
    }

    /// Returns the key that a session is bound to.
    /// - Returns: nil if it is gone for good.
    /// - Throws: `DeviceKeyFailure` if the answer is unknown right now.
    func key(thumbprint: JWKThumbprint) async throws -> BoundKey? {
        if let cached = cached.withLock({ $0 }), cached.thumbprint == thumbprint { return cached }
        guard let found = try await usableKey(), found.thumbprint == thumbprint else { return nil }
        return found
    }

    private func usableKey() async throws -> BoundKey? {
        do {
            guard let key = try await keys.key(id) else { return nil }
            let bound = try BoundKey(key)
            cached.withLock { $0 = bound }
            return bound
        } catch let failure as DeviceKeyFailure where failure.kind == .invalidated {
            return nil
        }
    }
}

import Crypto
import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The key that binds this device's tokens (RFC 9449): one per wallet, created at the first sign-in that can use it.
struct DeviceBinding: Sendable {
    let keys: any DeviceKeys
    let store: any SecureStore
    let namespace: String
    private var id: DeviceKeyID { DeviceKeyID("\(namespace).dpop") }
    private let cached = LockedValue<BoundKey?>(nil)

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
        return try await store.withExclusiveLock(SecureStoreLock("\(namespace).key")) { [self] in
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

/// A device key as a JOSE signer.
struct BoundKey: AsyncJWSSigner {
    let jwk: JWK
    let thumbprint: JWKThumbprint
    private let key: Key

    private enum Key: Sendable {
        case device(any DeviceKey)
        case presence(any DevicePresenceKey, reason: String)
    }

    var algorithm: SigningAlgorithm { .es256 }
    var keyID: String? { nil }
    var publicJWK: JWK? { jwk }

    init(_ key: any DeviceKey) throws { try self.init(.device(key), key.publicKey) }

    /// - Parameter reason: the text that the system shows while it asks for the person.
    init(_ key: any DevicePresenceKey, reason: String) throws {
        try self.init(.presence(key, reason: reason), key.publicKey)
    }

    private init(_ key: Key, _ publicKey: Data) throws {
        guard let publicKey = try? P256.Signing.PublicKey(x963Representation: publicKey) else {
            throw DeviceKeyFailure(.failed, reason: "the public key is not a point on P-256")
        }
        self.key = key
        jwk = JWK(publicKey)
        thumbprint = jwk.thumbprint
    }

    func sign(_ bytes: [UInt8]) async throws -> [UInt8] {
        let signature: Data
        do {
            switch key {
            case .device(let key): signature = try await key.sign(Data(bytes))
            case .presence(let key, let reason): signature = try await key.sign(Data(bytes), reason: reason)
            }
        } catch let malformed as MalformedValue {
            throw DeviceKeyFailure(.failed, reason: "a key is malformed: \(malformed)")
        }
        guard signature.count == 64 else {
            throw DeviceKeyFailure(.failed, reason: "a signature is not 64 bytes long")
        }
        return Array(signature)
    }
}

/// No DPoP proof can name the URL of a request.
struct UnprovableURL: Error {
    /// The rule that the URL breaks, as the end of a sentence.
    let reason: String
}

extension BoundKey {
    /// A proof of possession for one request (RFC 9449 §4.2), created for each attempt.
    /// - Throws: ``UnprovableURL``, `DeviceKeyFailure`.
    func proof(
        method: String, url: URL, accessToken: AccessToken?, nonce: Nonce?, at now: Instant
    ) async throws -> String {
        let target: HTTPTarget
        do { target = try HTTPTarget(url.absoluteString) } catch { throw UnprovableURL(reason: error.reason) }
        let content = DPoPProofContent(
            id: Randomness.token(), method: method, target: target,
            issuedAt: NumericDate(clamping: now.seconds), nonce: nonce, accessToken: accessToken)
        let input = try CompactJWSEncoder(proofsOf: self).signingInput(content.bytes)
        return CompactJWSEncoder.text(input, signature: try await sign(input))
    }
}

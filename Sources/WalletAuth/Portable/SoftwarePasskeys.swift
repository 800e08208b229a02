import Crypto
import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Passkeys in software, kept in a secure store: for Linux and simulators.
///
/// A server cannot tell them from a security key's. They prove possession of the store, and state that the person was verified because
/// `presence` let them pass; nothing but this code ties the two together.
public struct SoftwarePasskeys: PasskeyAuthenticator {
    private let store: any SecureStore
    private let presence: any UserPresence

    /// Creates an authenticator.
    /// - Parameters:
    ///   - store: keeps the passkeys under a name of their own; can be the session's store.
    ///   - presence: verifies the person before each use. One that asks no one makes every signature claim what did not happen.
    public init(store: any SecureStore, presence: any UserPresence) {
        self.store = store
        self.presence = presence
    }

    private struct Passkey: Codable {
        var id: Data
        var site: String
        var userHandle: Data
        var userName: String
        var key: Data
    }

    private static let item = SecureStoreKey("passkeys")
    private static let lock = SecureStoreLock("passkeys")

    /// Creates a passkey and keeps it.
    /// - Parameter request: what the server asks for.
    /// - Throws: ``UserAgentFailure``; ``SecureStoreFailure``.
    public func create(_ request: PasskeyCreationRequest) async throws -> CreatedPasskey {
        try await confirm("Create a passkey for \(request.userName) at \(request.site)")
        let key = P256.Signing.PrivateKey()
        let passkey = Passkey(
            id: Data(Randomness.bytes(32)), site: request.site, userHandle: request.userHandle,
            userName: request.userName,
            key: key.rawRepresentation)
        try await store.withExclusiveLock(Self.lock) {
            let kept = try await passkeys()
            guard !kept.contains(where: { request.existing.contains($0.id) }) else {
                throw UserAgentFailure(.failed, reason: "this device has a passkey of the account already")
            }
            try await store.put(try JSONEncoder().encode(kept + [passkey]), for: Self.item)
        }
        // WebAuthn §6.5.1: a model of zeros, the id with its length, and the COSE key.
        let point = key.publicKey.rawRepresentation
        var data = Self.authenticatorData(for: request.site, flags: 0x45)
        data.append(Data(count: 16))
        data.append(contentsOf: [0, UInt8(passkey.id.count)])
        data.append(passkey.id)
        data.append(contentsOf: [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32])
        data.append(point.prefix(32))
        data.append(contentsOf: [0x22, 0x58, 32])
        data.append(point.suffix(32))
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}.
        var attestation = Data([0xA3, 0x63])
        attestation.append(Data("fmt".utf8))
        attestation.append(0x64)
        attestation.append(Data("none".utf8))
        attestation.append(0x67)
        attestation.append(Data("attStmt".utf8))
        attestation.append(contentsOf: [0xA0, 0x68])
        attestation.append(Data("authData".utf8))
        attestation.append(contentsOf: [0x58, UInt8(data.count)])
        attestation.append(data)
        return CreatedPasskey(
            id: passkey.id, clientData: try Self.clientData("webauthn.create", request.challenge, request.site),
            attestationObject: attestation)
    }

    /// Signs with the newest passkey of the site, or of the account that the request names.
    /// - Parameter request: what the server asks for.
    /// - Throws: ``UserAgentFailure``, of kind `cancelledByPerson` too if there is none; ``SecureStoreFailure``.
    public func use(_ request: PasskeyUseRequest) async throws -> UsedPasskey {
        guard let passkey = try await passkey(for: request),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: passkey.key)
        else {
            let whose = request.userName == nil ? "" : " of that name"
            throw UserAgentFailure(
                .cancelledByPerson, reason: "this device has no passkey\(whose) for \(request.site)")
        }
        try await confirm("Use the passkey of \(passkey.userName) at \(passkey.site)")
        let clientData = try Self.clientData("webauthn.get", request.challenge, request.site)
        let data = Self.authenticatorData(for: request.site, flags: 0x05)
        let signature = try key.signature(for: data + SHA256.hash(data: clientData))
        return UsedPasskey(
            id: passkey.id, clientData: clientData, authenticatorData: data,
            signature: signature.derRepresentation, userHandle: passkey.userHandle)
    }

    private func passkey(for request: PasskeyUseRequest) async throws -> Passkey? {
        let ofSite = try await passkeys().filter { $0.site == request.site }
        guard let name = request.userName else { return ofSite.last }
        if let named = ofSite.last(where: { Self.isSame($0.userName, name) }) { return named }
        // An address or a number can be another name of any account.
        let canBeAnother = name.contains("@") || !name.contains(where: \.isLetter)
        return canBeAnother ? ofSite.last : nil
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        guard let one = try? Username(one), let other = try? Username(other) else { return one == other }
        return one == other
    }

    private func passkeys() async throws -> [Passkey] {
        guard let kept = try await store.get(Self.item) else { return [] }
        return try JSONDecoder().decode([Passkey].self, from: kept)
    }

    private func confirm(_ reason: String) async throws {
        do { try await presence.confirm(reason: reason) } catch let failure as UserPresenceFailure {
            switch failure {
            case .refused: throw UserAgentFailure(.cancelledByPerson, reason: "the person declined")
            case .lockedOut, .unavailable:
                throw UserAgentFailure(.unavailable, reason: "this device cannot ask for the person")
            }
        }
    }

    /// WebAuthn §6.1, without a counter.
    /// - Parameter flags: present and verified, and whether a new key follows.
    private static func authenticatorData(for site: String, flags: UInt8) -> Data {
        Data(SHA256.hash(data: Data(site.utf8))) + Data([flags, 0, 0, 0, 0])
    }

    private static func clientData(_ type: String, _ challenge: Data, _ site: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            ["type": type, "challenge": Base64URL.encode(Array(challenge)), "origin": "https://\(site)"])
    }
}

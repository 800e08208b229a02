internal import Core
internal import Crypto
internal import Kernel
internal import SwiftASN1
internal import WalletAuthWire
internal import X509

/// Verifies what Apple's App Attest says about an app.
struct AppAttest: Sendable {
    let roots: AttestationRoots
    /// The client's apps: team id, dot, bundle id.
    let appIDs: [String]
    let environment: ServerSettings.Environment

    /// Verifies the attestation of a new App Attest key.
    /// - Parameters:
    ///   - object: as Apple's framework returned it.
    ///   - clientDataHash: what the app had the platform attest.
    func attestation(
        _ object: [UInt8], over clientDataHash: [UInt8], now: Timestamp
    ) async throws(AttestationFault) -> DeviceAttestation {
        guard let members = (try? CBORReader.value(of: object))?.map,
            members[.text("fmt")]?.text == AttestationStatement.Format.appleAttestation.rawValue,
            let statement = members[.text("attStmt")]?.map,
            case .array(let certificates)? = statement[.text("x5c")],
            let encoded = members[.text("authData")]?.bytes, let data = try? AuthenticatorData(encoded),
            let credential = data.credential
        else { throw .malformed }
        let chain = try await CertificateChain(certificates.map { $0.bytes ?? [] }, to: roots, now: now)
        guard let key = chain.key else { throw .unsuitableKey }
        guard let nonce = Self.nonce(in: chain.leaf) else { throw .malformed }
        guard ConstantTime.equal(nonce, Array(SHA256.hash(data: encoded + clientDataHash))) else {
            throw .wrongChallenge
        }
        guard credential.id == Array(SHA256.hash(data: key.x963Representation)),
            credential.key.key.key == Self.jwkKey(key)
        else { throw .wrongKey }
        let app = try app(data.relyingParty)
        guard data.counter == 0 else { throw .usedBefore }
        let origin: AppAttestation.Environment
        switch credential.model {
        case Array("appattest".utf8) + [UInt8](repeating: 0, count: 7): origin = .production
        case Array("appattestdevelop".utf8): origin = .development
        default: throw .malformed
        }
        guard origin == .production || environment == .sandbox else { throw .development }
        return DeviceAttestation(
            app: AppAttestation(
                platform: .apple, environment: origin, app: app, keyLevel: nil,
                attestedAt: NumericDate(clamping: now.seconds)),
            counted: DeviceAttestation.CountedKey(publicKey: Array(key.rawRepresentation), counter: 0))
    }

    /// Verifies an assertion by a key that was attested before. The caller's write raises the counter.
    /// - Returns: the assertion's counter.
    func assertion(
        _ object: [UInt8], over clientDataHash: [UInt8], by attested: DeviceAttestation.CountedKey
    ) throws(AttestationFault) -> Int64 {
        guard let members = (try? CBORReader.value(of: object))?.map,
            let encoded = members[.text("signature")]?.bytes, let data = members[.text("authenticatorData")]?.bytes,
            // Apple sets the flag of a new key without appending one, so it is not authenticator data by WebAuthn's rules.
            data.count == 37, let signature = try? P256.Signing.ECDSASignature(derRepresentation: encoded)
        else { throw .malformed }
        guard let key = try? P256.Signing.PublicKey(rawRepresentation: attested.publicKey),
            key.isValidSignature(signature, for: Array(SHA256.hash(data: data + clientDataHash)))
        else { throw .wrongSignature }
        _ = try app(Array(data[..<32]))
        let counter = data[33..<37].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard counter > attested.counter else { throw .counterBehind }
        return counter
    }

    private func app(_ hash: [UInt8]) throws(AttestationFault) -> String {
        guard let app = appIDs.first(where: { hash == Array(SHA256.hash(data: Array($0.utf8))) }) else {
            throw .wrongApp
        }
        return app
    }

    /// The octet string in the certificate's extension 1.2.840.113635.100.8.2.
    private static func nonce(in certificate: Certificate) -> [UInt8]? {
        guard let found = certificate.extensions[oid: [1, 2, 840, 113_635, 100, 8, 2]] else { return nil }
        return try? DER.sequence(DER.parse(found.value), identifier: .sequence) { nodes in
            try DER.explicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                Array(try ASN1OctetString(derEncoded: node).bytes)
            }
        }
    }

    private static func jwkKey(_ key: P256.Signing.PublicKey) -> JWK.Key {
        let coordinates = Array(key.rawRepresentation)
        return .p256(x: Array(coordinates.prefix(32)), y: Array(coordinates.suffix(32)))
    }
}

package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// What a waiting sign-in keeps sealed.
package struct ScanSignInContent: Sendable, Hashable {
    /// The page's sealed request.
    package var request: String
    /// The secret that the codes are made of: 16 bytes.
    package var seed: [UInt8]
    /// The name of the client.
    package var service: String
    /// What the browser says of itself.
    package var browser: String?
    package var system: String?

    /// The secret of the code that a page shows in a step. The former ones do not tell the next.
    package func secret(of step: Int64) throws -> TransactionSecret {
        try TransactionSecret(
            Base64URL.encode(Digests.of("scan-sign-in-code", seed + Array(String(step).utf8)).prefix(16)))
    }
}

/// Seals the columns of waiting sign-ins.
package typealias ScanSignInVault = Vault<ScanSignInField>

package enum ScanSignInField: String, SealedField {
    case content = "scan_sign_ins|sealed"
    case payload = "scan_sign_ins|payload"

    package var purpose: KeyPurpose { .personal }
}

extension ScanSignInVault {
    package func seal(_ content: ScanSignInContent, of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("request", content.request)
        object.set("seed", Base64URL.encode(content.seed))
        object.set("service", content.service)
        object.set("browser", content.browser)
        object.set("system", content.system)
        return try seal(object.bytes, .content, of: id)
    }

    /// - Throws: ``DamagedRow`` if the row does not open.
    package func content(of record: ScanSignInRecord) throws -> ScanSignInContent {
        let object = try object(record.sealed, .content, of: record.id)
        guard let request = try object.string("request"), let service = try object.string("service"),
            let seed = try object.string("seed").flatMap({ Base64URL.decode($0) })
        else { throw DamagedRow() }
        return ScanSignInContent(
            request: request, seed: seed, service: service, browser: try object.string("browser"),
            system: try object.string("system"))
    }

    package func seal(payload: [UInt8], of id: UniqueID) throws -> ScanSignInRecord.Payload {
        ScanSignInRecord.Payload(
            sealed: try seal(payload, .payload, of: id), hash: .scannedSignIn(payload))
    }

    /// The bytes to sign; `nil` until the person has chosen the right number.
    package func payload(of record: ScanSignInRecord) throws -> [UInt8]? {
        guard let payload = record.claim?.payload else { return nil }
        let bytes = try bytes(payload.sealed, .payload, of: record.id)
        guard PayloadHash.scannedSignIn(bytes) == payload.hash else { throw DamagedRow() }
        return bytes
    }
}

extension RequestOrigin {
    /// A keyed digest of the home or office that a request comes from; `nil` if its address is unknown.
    package func networkDigest(key: DataKey) -> [UInt8]? {
        NetworkAddress(address).map { Digests.keyed("scan-sign-in-network", [$0.neighborhood], key: key) }
    }
}

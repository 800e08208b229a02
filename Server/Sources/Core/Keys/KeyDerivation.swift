package import Crypto

/// HKDF with SHA-256 (RFC 5869), composed of the library's HMAC.
///
/// Every sealed message needs it. The library's `HKDF` is generic and not specialized for other modules, so it spends
/// most of its time on looking up types. It also prepares the HMAC again for each block.
package enum KeyDerivation {
    /// The first two blocks of the output, 32 bytes each.
    package static func blocks(
        of input: SymmetricKey, salt: [UInt8], info: [UInt8]
    ) -> (first: HMAC<SHA256>.MAC, second: HMAC<SHA256>.MAC) {
        let extracted = input.withUnsafeBytes {
            HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: salt))
        }
        let prepared = HMAC<SHA256>(key: SymmetricKey(data: extracted))
        var hmac = prepared
        hmac.update(data: info + [1])
        let first = hmac.finalize()
        hmac = prepared
        first.withUnsafeBytes { hmac.update(data: $0) }
        hmac.update(data: info + [2])
        return (first, hmac.finalize())
    }
}

package import Core
internal import Kernel
internal import Store
package import WalletAuthWire

/// Authorization codes as text: sealed and self-contained, so that a sign-in writes no row. A grant that would make the code
/// too long for some client's field is stored in a row.
package struct AuthorizationCodes: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let random: any RandomBytes

    private static let prefix = "wac_"
    private static let longest = 512
    private static let handleLength = 32
    private static let codeContext = "authorization-code"
    private static let rowContext = "stored_codes|sealed"

    /// Creates a code for a sign-in that passed the gate.
    func code(for admission: Admission) async throws -> AuthorizationCode {
        let bytes = try admission.grant.bytes
        let sealed = try sealing.seal(
            bytes, for: .code, context: sealing.untilRestored(Self.codeContext))
        let text = Self.prefix + Base64URL.encode(sealed)
        if text.utf8.count <= Self.longest { return try AuthorizationCode(text) }
        let handle = random.bytes(Self.handleLength)
        let digest = Self.digest(handle)
        let kept = try sealing.seal(bytes, for: .code, context: sealing.untilRestored(Self.rowContext))
        let end = admission.grant.issuedAt + AuthorizationGrant.memory
        try await database.write { try StoredCodes.keep(digest, sealed: kept, until: end, on: $0) }
        return try AuthorizationCode(Self.prefix + Base64URL.encode(handle))
    }

    /// The grant of a code; `nil` for anything that this server never issued.
    package func open(_ code: AuthorizationCode, now: Timestamp) async throws -> AdmittedGrant? {
        let text = code.reveal()
        guard text.hasPrefix(Self.prefix), text.utf8.count <= Self.longest,
            let bytes = Base64URL.decode(Array(text.utf8)[Self.prefix.utf8.count...])
        else { return nil }
        if bytes.count == Self.handleLength {
            let digest = Self.digest(bytes)
            guard let kept = try await database.read({ try StoredCodes.find(digest, now: now, on: $0) })
            else { return nil }
            return AdmittedGrant(sealed: kept, in: Self.rowContext, by: sealing)
        }
        return AdmittedGrant(sealed: bytes, in: Self.codeContext, by: sealing)
    }

    /// Distinguishes two codes of one sign-in. Codes are long and random, so the digest needs no key.
    package static func digest(of code: AuthorizationCode) -> [UInt8] {
        Digests.of("authorization-code", Array(code.reveal().utf8))
    }

    private static func digest(_ handle: [UInt8]) -> [UInt8] { Digests.of("stored-code", handle) }
}

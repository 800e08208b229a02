package import WalletAuthWire

/// A file of checkpoints, read line by line from its beginning.
///
/// It holds checkpoints and endorsements. In an endorsement an audit key vouches for the next one, so that a checkpoint still
/// verifies after a restore from a copy that is older than its key.
package struct AuditCheckpointFile: Sendable {
    /// What a line is.
    package enum Line: Sendable, Hashable {
        case checkpoint(AuditCheckpoint)
        /// The keys that it names are trusted from here on.
        case endorsement
        /// The beginning of a line whose end never reached the disk: room or power was gone.
        case torn
        /// Nothing that was written here, or changed since.
        case invalid
    }

    /// The public keys that are trusted so far: those given, and those that one of them endorsed.
    package private(set) var keys: [JWK]
    private var verifiers: [any JWSVerifier]

    /// - Parameter keys: the audit keys that the database has, retired ones included.
    package init(trusting keys: [AuditCheckpointKey]) {
        self.keys = keys.map(\.publicKey)
        verifiers = self.keys.compactMap { try? $0.verifier() }
    }

    /// Reads the next line.
    /// - Parameter line: without its end; may hold anything.
    package mutating func read(_ line: [UInt8]) -> Line {
        guard !Self.isTorn(line) else { return .torn }
        guard let jws = try? CompactJWS(String(decoding: line, as: UTF8.self)) else { return .invalid }
        // A key that came after a restore may have the number of one that the restore lost.
        for verifier in verifiers where verifier.keyID == jws.header.keyID {
            if let verified = try? jws.verified(by: verifier, type: AuditCheckpoint.type),
                let json = try? JSONValue.object(parsing: verified.payload), let checkpoint = try? AuditCheckpoint(json)
            {
                return .checkpoint(checkpoint)
            }
            if let verified = try? jws.verified(by: verifier, type: AuditKeyEndorsement.type),
                let json = try? JSONValue.object(parsing: verified.payload),
                let endorsement = try? AuditKeyEndorsement(json), let endorsed = try? endorsement.key.verifier()
            {
                if !keys.contains(endorsement.key) {
                    keys.append(endorsement.key)
                    verifiers.append(endorsed)
                }
                return .endorsement
            }
        }
        return .invalid
    }

    /// Whether a line is no more than the beginning of a compact JWS by ES256 (RFC 7515 §3.1), or has zeros where the disk never got
    /// its bytes. Cutting one on purpose gains no more than removing it: the checkpoints that follow vouch for the same entries.
    private static func isTorn(_ line: [UInt8]) -> Bool {
        guard line.allSatisfy({ $0 == 0 || alphabet.contains($0) }) else { return false }
        if line.contains(0) { return true }
        let parts = line.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return line.starts(with: beginning.prefix(line.count))
            && (parts.count < 3 || parts.count == 3 && parts[2].count < signatureLength)
    }

    /// `{"`, with which every header begins.
    private static let beginning = Array("eyJ".utf8)
    private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
    /// 64 bytes in base64url.
    private static let signatureLength = 86
}

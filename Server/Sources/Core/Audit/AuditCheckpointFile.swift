package import WalletAuthWire

/// Reads a file of checkpoints, line by line from its beginning.
///
/// It also contains endorsements, in which an audit key vouches for the next one. With them, a checkpoint still
/// verifies after a restore from a copy older than its key.
package struct AuditCheckpointFile: Sendable {
    package enum Line: Sendable, Hashable {
        case checkpoint(AuditCheckpoint)
        /// From here on the endorsed keys are trusted.
        case endorsement
        /// The beginning of a line whose end never reached the disk, for lack of space or power.
        case torn
        /// Not written by this server, or changed since.
        case invalid
    }

    /// The keys trusted so far: those given, and those that one of them endorsed.
    package private(set) var keys: [JWK]
    private var verifiers: [any JWSVerifier]

    /// - Parameter keys: the audit keys in the database, retired ones included.
    package init(trusting keys: [AuditCheckpointKey]) {
        self.keys = keys.map(\.publicKey)
        verifiers = self.keys.compactMap { try? $0.verifier() }
    }

    /// Reads the next line, without its line break, from an untrusted file.
    package mutating func read(_ line: [UInt8]) -> Line {
        guard !Self.isTorn(line) else { return .torn }
        guard let jws = try? CompactJWS(String(decoding: line, as: UTF8.self)) else { return .invalid }
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

    /// Whether a line is only the beginning of a compact JWS with ES256 (RFC 7515 §3.1), or has zeros where its bytes
    /// never reached the disk. Cutting a line on purpose gains no more than removing it: later checkpoints cover the
    /// same entries.
    private static func isTorn(_ line: [UInt8]) -> Bool {
        guard line.allSatisfy({ $0 == 0 || alphabet.contains($0) }) else { return false }
        if line.contains(0) { return true }
        let parts = line.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return line.starts(with: beginning.prefix(line.count))
            && (parts.count < 3 || parts.count == 3 && parts[2].count < signatureLength)
    }

    /// `{"`, the beginning of every header.
    private static let beginning = Array("eyJ".utf8)
    private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
    private static let signatureLength = 86
}

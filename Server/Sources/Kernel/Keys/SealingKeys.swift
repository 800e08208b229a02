package import Core
package import Logging

/// Seals state and columns under the active keys, and opens what was sealed under any that is still kept.
///
/// A class, because every vault has it: one reference to count.
package final class SealingKeys: Sendable {
    package let keyRing: KeyRing
    package let random: any RandomBytes
    package let logger: Logger
    private let clock: any Clock
    /// The number chosen by the last restore; 0 before the first.
    private let epoch: Int64

    init(keyRing: KeyRing, clock: any Clock, random: any RandomBytes, logger: Logger, epoch: Int64) {
        self.keyRing = keyRing
        self.clock = clock
        self.random = random
        self.logger = logger
        self.epoch = epoch
    }

    /// Seals under the active key of a purpose.
    package func seal(_ plaintext: [UInt8], for purpose: KeyPurpose, context: String) throws -> [UInt8] {
        try Sealing.seal(
            plaintext, with: keyRing.active(purpose), context: context, nonce: random.bytes(Sealing.nonceLength))
    }

    /// Opens the result of ``seal(_:for:context:)``, including under a key that has since been rotated; `nil` for anything
    /// else.
    package func open(_ sealed: [UInt8], for purpose: KeyPurpose, context: String) -> [UInt8]? {
        guard let id = Sealing.keyID(of: sealed), let key = keyRing.key(purpose, id, at: clock.now())
        else { return nil }
        return Sealing.open(sealed, with: key, context: context)
    }

    /// A sealing context that ends with the next restore: what is sealed under it no longer opens afterwards. Needed for
    /// everything that a row makes single-use, because the restored copy may lack that row.
    package func untilRestored(_ label: String) -> String { epoch == 0 ? label : "\(label)|\(epoch)" }

    package func reportUnopened(column: String) {
        logger.error("a sealed column does not open", metadata: ["column": "\(column)"])
    }
}

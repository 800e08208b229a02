#if os(Linux)
    import Crypto
    import Foundation

    /// Seals the items of a store with AES-GCM under one 32-byte key.
    ///
    /// Each item is bound to its name: a file in another item's place does not open. An older file of the same item in
    /// its own place is not detected.
    struct StoreCipher {
        /// The length of the key file in bytes.
        static let keyBytes = 32
        /// The prefix of a sealed item. Change it with the format.
        private static let mark = [UInt8]("WAS1".utf8)

        private let key: SymmetricKey

        /// Reads the contents of the key file.
        init(key: [UInt8]) throws(SecureStoreFailure) {
            guard key.count == Self.keyBytes else {
                throw SecureStoreFailure(
                    .damaged, reason: "the key file has \(key.count) bytes instead of \(Self.keyBytes)")
            }
            self.key = SymmetricKey(data: key)
        }

        /// Creates a key.
        static func newKey() -> [UInt8] {
            SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        }

        /// Seals a value under a name.
        func seal(_ value: Data, name: String) throws -> [UInt8] {
            let box = try AES.GCM.seal(value, using: key, authenticating: Self.context(name))
            guard let combined = box.combined else {
                throw SecureStoreFailure(.failed, reason: "AES-GCM returned a nonce of non-standard length")
            }
            return Self.mark + combined
        }

        /// Opens a value that ``seal(_:name:)`` sealed under the same name.
        /// - Throws: ``SecureStoreFailure`` of kind `damaged`.
        func open(_ sealed: [UInt8], name: String) throws(SecureStoreFailure) -> Data {
            guard sealed.starts(with: Self.mark),
                let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(Self.mark.count)),
                let value = try? AES.GCM.open(box, using: key, authenticating: Self.context(name))
            else {
                throw SecureStoreFailure(
                    .damaged, reason: "\(name) was not sealed with this store's key, or was changed")
            }
            return value
        }

        private static func context(_ name: String) -> [UInt8] {
            [UInt8]("wallet-auth file store v1\0item\0".utf8) + Array(name.utf8)
        }
    }
#endif

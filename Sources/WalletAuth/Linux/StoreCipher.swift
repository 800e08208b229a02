#if os(Linux)
    import Crypto
    import Foundation

    /// Seals the items of a store under one key of 32 bytes, with AES-GCM.
    ///
    /// An item is bound to its name: the file of one item, put in another's place, does not open. What this cannot see is
    /// an older file of the same item put back.
    struct StoreCipher {
        /// The length of the key file.
        static let keyBytes = 32
        /// What a sealed item begins with: whoever changes the form changes this.
        private static let mark = [UInt8]("WAS1".utf8)

        private let key: SymmetricKey

        /// Takes the contents of the key file.
        init(key: [UInt8]) throws(SecureStoreFailure) {
            guard key.count == Self.keyBytes else {
                throw SecureStoreFailure(
                    .damaged, reason: "the key file has \(key.count) bytes instead of \(Self.keyBytes)")
            }
            self.key = SymmetricKey(data: key)
        }

        /// A new key.
        static func newKey() -> [UInt8] {
            SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        }

        /// Seals a value for a name.
        func seal(_ value: Data, name: String) throws -> [UInt8] {
            let box = try AES.GCM.seal(value, using: key, authenticating: Self.context(name))
            guard let combined = box.combined else {
                throw SecureStoreFailure(.failed, reason: "AES-GCM gave no standard nonce")
            }
            return Self.mark + combined
        }

        /// Opens what ``seal(_:name:)`` made for the same name.
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

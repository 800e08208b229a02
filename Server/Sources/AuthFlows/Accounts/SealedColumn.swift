internal import AuthCore
internal import AuthStore

/// The columns of an account that hold sealed bytes. The context of each names table, column and row, so that a
/// ciphertext copied to another person's row does not open there.
enum SealedColumn: String {
    case email
    case phone
    case profile
    case password

    /// What ``ServerContext/seal(_:for:context:)`` binds a value of this column to.
    func context(_ account: UniqueID) -> String { "accounts|\(rawValue)|\(account.uuid)" }

    /// A password hash has keys of its own, the pepper; the others are personal data.
    var purpose: KeyPurpose { self == .password ? .pepper : .personal }
}

extension ServerContext {
    /// Seals a text for a column of an account.
    func seal(_ text: String, in column: SealedColumn, of account: UniqueID) throws -> [UInt8] {
        try seal(Array(text.utf8), for: column.purpose, context: column.context(account))
    }

    /// The text of a column of an account; `nil` where the column is empty or does not open.
    func open(_ sealed: [UInt8]?, in column: SealedColumn, of account: UniqueID) -> String? {
        guard let sealed, let bytes = open(sealed, for: column.purpose, context: column.context(account)) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

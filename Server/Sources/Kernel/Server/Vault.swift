package import Core
package import Store
package import WalletAuthWire

/// A sealed column. Its raw value, `table|column`, begins the label that authenticates each sealed value, so neither may change
/// while rows exist.
package protocol SealedField: RawRepresentable, Sendable where RawValue == String {
    /// Identifies a row.
    associatedtype Row = UniqueID

    var purpose: KeyPurpose { get }

    /// Whether an empty value is no value. Elsewhere it is a damaged one, which is logged.
    var mayBeEmpty: Bool { get }

    /// The end of the label. A value moved to another row does not open.
    static func id(of row: Row) -> String
}

extension SealedField {
    @inlinable
    package var mayBeEmpty: Bool { false }
}

extension SealedField where Row == UniqueID {
    @inlinable
    package static func id(of row: UniqueID) -> String { row.uuid }
}

/// Seals and opens the columns of a flow's tables.
///
/// Inlinable, so that each flow gets copies for its own columns: the generic code looks up the type of a row at each
/// step, several times in a request.
package struct Vault<Field: SealedField>: Sendable {
    package let sealing: SealingKeys

    package init(_ sealing: SealingKeys) { self.sealing = sealing }

    @inlinable
    package func seal(_ bytes: [UInt8], _ field: Field, of row: Field.Row) throws -> [UInt8] {
        try sealing.seal(bytes, for: field.purpose, context: Self.label(field, of: row))
    }

    @inlinable
    package func seal(_ text: String, _ field: Field, of row: Field.Row) throws -> [UInt8] {
        try seal(Array(text.utf8), field, of: row)
    }

    /// The value; `nil` if there is none, or if it does not open. That is logged: a lost key must not look like an address that
    /// was never given.
    @inlinable
    package func open(_ sealed: [UInt8]?, _ field: Field, of row: Field.Row) -> String? {
        openBytes(sealed, field, of: row).map { String(decoding: $0, as: UTF8.self) }
    }

    @inlinable
    package func openBytes(_ sealed: [UInt8]?, _ field: Field, of row: Field.Row) -> [UInt8]? {
        guard let sealed, !(sealed.isEmpty && field.mayBeEmpty) else { return nil }
        let bytes = sealing.open(sealed, for: field.purpose, context: Self.label(field, of: row))
        if bytes == nil { sealing.reportUnopened(column: field.rawValue) }
        return bytes
    }

    /// - Throws: ``DamagedRow`` if the value does not open: its key is lost, or it was moved.
    @inlinable
    package func bytes(_ sealed: [UInt8]?, _ field: Field, of row: Field.Row) throws -> [UInt8] {
        guard let bytes = openBytes(sealed, field, of: row) else { throw DamagedRow() }
        return bytes
    }

    /// - Throws: ``DamagedRow`` as ``bytes(_:_:of:)``.
    @inlinable
    package func object(_ sealed: [UInt8]?, _ field: Field, of row: Field.Row) throws -> JSONObject {
        guard let object = try? JSONValue.object(parsing: bytes(sealed, field, of: row)) else { throw DamagedRow() }
        return object
    }

    @inlinable
    package static func label(_ field: Field, of row: Field.Row) -> String {
        "\(field.rawValue)|\(Field.id(of: row))"
    }
}

/// A row cannot be used. Its sealed value does not open, because its key is lost or the row was moved, or it lacks what
/// its state requires.
package struct DamagedRow: Error {
    package init() {}
}

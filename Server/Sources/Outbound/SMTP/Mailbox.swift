package import WalletAuthWire

/// The sender or recipient of a message: an address, and perhaps a name.
package struct Mailbox: Sendable, Hashable {
    package let address: EmailAddress
    /// The display name.
    package let name: String?

    /// - Throws: ``MalformedValue``.
    package init(_ address: String) throws {
        try self.init(address: address, name: nil)
    }

    /// Parses an address with or without a name: `name@example.com` or `Example Bank <name@example.com>`.
    /// - Throws: ``MalformedValue``.
    package init(named text: String) throws {
        guard text.hasSuffix(">"), let open = text.firstIndex(of: "<") else {
            try self.init(address: text, name: nil)
            return
        }
        var name = text[..<open]
        while name.last == " " { name.removeLast() }
        if name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") { name = name.dropFirst().dropLast() }
        try self.init(
            address: String(text[text.index(after: open)...].dropLast()), name: name.isEmpty ? nil : String(name))
    }

    private init(address: String, name: String?) throws {
        let isPlainName = name?.unicodeScalars.allSatisfy { Self.isVisible($0) || $0 == " " } ?? true
        guard isPlainName, (name?.utf8.count ?? 0) <= 128 else {
            throw MalformedValue(field: "name", reason: "is not a name of at most 128 bytes on one line")
        }
        self.address = try EmailAddress(address)
        self.name = name
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: true
        }
    }
}

internal import WalletAuthWire

/// An e-mail address that is safe in an SMTP command and a header: nothing in it ends a line or an address.
package struct Mailbox: Sendable, Hashable {
    /// `name@example.com`.
    package let address: String
    /// The display name.
    package let name: String?

    /// - Parameter address: a dot-string and a domain (RFC 5321 §4.1.2), also internationalized (RFC 6531). Quoted
    ///   local parts are not supported: hardly anyone has one, and they can contain characters that end a command
    ///   elsewhere.
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
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard address.utf8.count <= 254, parts.count == 2, parts[0].utf8.count <= 64,
            Self.isDotString(parts[0], of: Self.isInLocalPart), Self.isDotString(parts[1], of: Self.isInDomain)
        else { throw MalformedValue(field: "email", reason: "is not an address such as name@example.com") }
        let isPlainName = name?.unicodeScalars.allSatisfy { Self.isVisible($0) || $0 == " " } ?? true
        guard isPlainName, (name?.utf8.count ?? 0) <= 128 else {
            throw MalformedValue(field: "name", reason: "is not a name of at most 128 bytes on one line")
        }
        self.address = address
        self.name = name
    }

    package var domain: String { String(address.drop { $0 != "@" }.dropFirst()) }

    /// Whether the server must support SMTPUTF8 (RFC 6531).
    var isInternational: Bool { !address.utf8.allSatisfy { $0 < 0x80 } }

    private static func isDotString(_ text: Substring, of isAllowed: (Unicode.Scalar) -> Bool) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.unicodeScalars.allSatisfy(isAllowed)
        }
    }

    /// `atext` of RFC 5322 §3.2.3, with the additions of RFC 6532.
    private static func isInLocalPart(_ scalar: Unicode.Scalar) -> Bool {
        isLetterOrDigit(scalar) || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
            || (!scalar.isASCII && isVisible(scalar))
    }

    private static func isInDomain(_ scalar: Unicode.Scalar) -> Bool {
        isLetterOrDigit(scalar) || scalar == "-" || (!scalar.isASCII && isVisible(scalar))
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
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

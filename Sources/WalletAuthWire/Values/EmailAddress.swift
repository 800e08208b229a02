/// An e-mail address to which a mail server can deliver, and which is safe in an SMTP command and a header: nothing in it
/// ends a line or an address.
///
/// This is the only rule for addresses: what it accepts can be sent, so that no one waits for a code that never leaves.
/// Quotation marks are not accepted; ``addrSpec`` adds them where SMTP demands them.
public struct EmailAddress: WireValue {
    /// The form of its text.
    public static var form: TextForm { .own(3...maximumBytes, format: "email", example: "maria@example.com") }

    /// The address as typed, without white space around it. Its case is kept: servers may distinguish it before the `@`.
    public let rawValue: String
    /// The part before the `@`, as typed.
    public let localPart: String
    /// The domain in ASCII: an internationalized one as A-labels (`xn--…`), as DNS and mail servers know it.
    public let asciiDomain: String
    private let isQuoted: Bool

    /// The maximum length in bytes, as typed and as sent (RFC 5321 §4.5.3.1.3).
    public static let maximumBytes = 254
    /// The maximum length of the part before the `@` in bytes, with quotation marks (RFC 5321 §4.5.3.1.1).
    public static let maximumLocalPartBytes = 64

    /// Validates an address.
    /// - Parameter typed: the address as typed. White space around it is dropped.
    public init(_ typed: String) throws(MalformedValue) {
        func fault(_ reason: String) -> MalformedValue { MalformedValue(field: "email", reason: reason) }
        let text = TypedText.trimmed(typed)
        guard text.utf8.count <= Self.maximumBytes else { throw fault("is longer than \(Self.maximumBytes) bytes") }
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw fault("is not an address such as name@example.com")
        }
        guard let domain = DomainName.ascii(of: String(parts[1])) else {
            throw fault("has no valid domain after the @")
        }
        guard parts[0].allSatisfy({ $0 == "." || Self.isInAtom($0) }) else {
            throw fault("has a character before the @ that is not supported in addresses")
        }
        let isLoose = parts[0].split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty)
        guard !isLoose || Self.mayHaveLooseDots(domain) else {
            throw fault("has two dots in a row, or one at the beginning or directly before the @")
        }
        rawValue = text
        localPart = String(parts[0])
        asciiDomain = domain
        isQuoted = isLoose
        guard sentLocalPart.utf8.count <= Self.maximumLocalPartBytes else {
            throw fault("has more than \(Self.maximumLocalPartBytes) bytes before the @")
        }
        guard addrSpec.utf8.count <= Self.maximumBytes else { throw fault("is longer than \(Self.maximumBytes) bytes") }
    }

    /// The address in SMTP commands and headers (RFC 5321 §4.1.2): the domain in ASCII, and the part before the `@` in
    /// quotation marks if its dots are not where a dot-string has them.
    public var addrSpec: String { "\(sentLocalPart)@\(asciiDomain)" }

    /// Whether delivery needs SMTPUTF8 (RFC 6531): a domain alone never does.
    public var needsSMTPUTF8: Bool { !localPart.utf8.allSatisfy { $0 < 0x80 } }

    private var sentLocalPart: String { isQuoted ? "\"\(localPart)\"" : localPart }

    /// Carriers in Japan gave addresses such as `a..b@docomo.ne.jp` and `abc.@ezweb.ne.jp`, which their people still have;
    /// those of au moved to au.com. Elsewhere such dots are a typing error.
    private static func mayHaveLooseDots(_ domain: String) -> Bool {
        let domain = domain.lowercased()
        return domain.hasSuffix(".ne.jp") || domain == "au.com"
    }

    /// `atext` of RFC 5322 §3.2.3, with the additions of RFC 6532.
    private static func isInAtom(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return isVisible(scalar) }
        return ASCII.isAlphanumeric(UInt8(truncatingIfNeeded: scalar.value))
            || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // Such as a filler or a variation selector: two addresses would look the same.
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default: return true
        }
    }
}

/// The content of a transaction's QR code and its deep link: `ISSUER/t/{transactionId}#{secret}`.
///
/// The secret is in the fragment, which browsers never send to a server.
public struct TransactionLink: Hashable, Sendable {
    /// The server of the transaction.
    public let issuer: Issuer
    /// The transaction.
    public let transactionID: TransactionID
    /// The secret that proves that a device scanned the code.
    public let secret: TransactionSecret

    /// The maximum length in bytes.
    public static let maximumBytes = 2_048

    /// Creates a link. Each parameter sets the property of the same name.
    public init(issuer: Issuer, transactionID: TransactionID, secret: TransactionSecret) {
        self.issuer = issuer
        self.transactionID = transactionID
        self.secret = secret
    }

    /// Parses QR data or a deep link.
    /// - Parameter text: the scanned or opened text.
    /// - Throws: ``MalformedValue`` for anything but the exact form of a transaction's link.
    public init(_ text: String) throws(MalformedValue) {
        func refused(_ reason: String) -> MalformedValue { MalformedValue(field: "qrData", reason: reason) }
        guard text.utf8.count <= Self.maximumBytes else { throw refused("is too long for a transaction's link") }
        guard let hash = text.utf8.firstIndex(of: 0x23) else { throw refused("is not a transaction's link") }
        let address = text[..<hash]
        guard let slash = address.utf8.lastIndex(of: 0x2F), address[..<slash].hasSuffix("/t") else {
            throw refused("is not a transaction's link")
        }
        do {
            transactionID = try TransactionID(String(address[address.utf8.index(after: slash)...]))
            secret = try TransactionSecret(String(text[text.utf8.index(after: hash)...]))
        } catch { throw refused(error.reason) }
        // An issuer may end in a slash; its link is the same either way.
        let base = String(address[..<slash].dropLast(2))
        do { issuer = try Issuer(base) } catch { throw refused("names no server: \(error.reason)") }
        guard !base.hasSuffix("/") else { throw refused("is not a transaction's link") }
    }

    /// The text of the link. It contains the secret.
    public func reveal() -> String {
        issuer.url(path: Endpoints.transactionPage.path(transactionID)) + "#" + secret.reveal()
    }

    /// Whether the link belongs to a server.
    /// - Parameter other: the server's issuer, with or without a trailing slash.
    public func leads(to other: Issuer) -> Bool { issuer.url(path: "") == other.url(path: "") }
}

extension TransactionLink: WireShaped {
    /// A URL.
    public static let shape = WireShape.text(
        .own(1...2048, format: "uri", example: "https://auth.example.com/t/0190c5b0#AAAAAAAAAAAAAAAAAAAAAA"))
}

/// The content of a transaction's QR code and its deep link: `ISSUER/t/{transactionId}#{secret}`.
///
/// The secret is in the fragment, which a browser sends to no server.
public struct TransactionLink: Hashable, Sendable {
    /// The server of the transaction.
    public let issuer: Issuer
    /// The transaction.
    public let transactionID: TransactionID
    /// The secret that proves that a device scanned the code.
    public let secret: TransactionSecret

    /// The longest text that is read, in bytes.
    public static let maximumBytes = 2_048

    /// Makes a link. Each parameter is the property of its name.
    public init(issuer: Issuer, transactionID: TransactionID, secret: TransactionSecret) {
        self.issuer = issuer
        self.transactionID = transactionID
        self.secret = secret
    }

    /// Reads QR data or a deep link.
    /// - Parameter text: as it was scanned or opened.
    /// - Throws: ``MalformedValue`` for anything but a transaction's link, to the letter.
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
        // An issuer may end in a slash; the link of either spelling is the same.
        let base = String(address[..<slash].dropLast(2))
        do { issuer = try Issuer(base) } catch { throw refused("names no server: \(error.reason)") }
        guard !base.hasSuffix("/") else { throw refused("is not a transaction's link") }
    }

    /// The text of the link. It holds the secret.
    public func reveal() -> String {
        issuer.url(path: Endpoints.transactionPage.path(transactionID)) + "#" + secret.reveal()
    }

    /// Whether the link leads to a server.
    /// - Parameter other: the server's issuer, with or without a slash at its end.
    public func leads(to other: Issuer) -> Bool { issuer.url(path: "") == other.url(path: "") }
}

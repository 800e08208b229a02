/// The text of the code on a sign-in page: `WALLET-LOGIN/1/{issuer}/{transactionId}/{secret}`, the issuer as base64url.
///
/// It is no URL, so neither a camera nor a link opens an app with it: a person has to scan the page with the app.
public struct SignInCode: Hashable, Sendable {
    /// The server of the page.
    public let issuer: Issuer
    /// The sign-in that waits.
    public let transactionID: TransactionID
    /// The secret that the page shows at the moment. It changes every few seconds.
    public let secret: TransactionSecret

    /// The maximum length in bytes.
    public static let maximumBytes = 2_048
    private static let prefix = "WALLET-LOGIN/1/"

    /// Creates a code. Each parameter sets the property of the same name.
    public init(issuer: Issuer, transactionID: TransactionID, secret: TransactionSecret) {
        self.issuer = issuer
        self.transactionID = transactionID
        self.secret = secret
    }

    /// Parses a scanned text.
    /// - Parameter text: the text.
    /// - Throws: ``MalformedValue`` for anything but the exact form of a sign-in page's code.
    public init(_ text: String) throws(MalformedValue) {
        func refused(_ reason: String) -> MalformedValue { MalformedValue(field: "qrData", reason: reason) }
        guard text.utf8.count <= Self.maximumBytes else { throw refused("is too long for a sign-in page's code") }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard text.hasPrefix(Self.prefix), parts.count == 3, let server = Base64URL.decode(String(parts[0])),
            let address = String(validating: server, as: UTF8.self)
        else { throw refused("is not a sign-in page's code") }
        do {
            issuer = try Issuer(address)
            transactionID = try TransactionID(String(parts[1]))
            secret = try TransactionSecret(String(parts[2]))
        } catch { throw refused(error.reason) }
    }

    /// Whether a text has the beginning of a sign-in page's code, valid or not.
    public static func looksLike(_ text: String) -> Bool { text.hasPrefix(prefix) }

    /// The text of the code. It contains the secret.
    public func reveal() -> String {
        Self.prefix
            + [Base64URL.encode(issuer.rawValue.utf8), transactionID.rawValue, secret.reveal()]
            .joined(separator: "/")
    }

    /// Whether the code belongs to a server.
    /// - Parameter other: the server's issuer, with or without a trailing slash.
    public func leads(to other: Issuer) -> Bool { issuer.url(path: "") == other.url(path: "") }
}

extension SignInCode: WireShaped {
    /// A text.
    public static let shape = WireShape.text(
        .own(
            1...2048,
            example: "WALLET-LOGIN/1/aHR0cHM6Ly9hdXRoLmV4YW1wbGUuY29t/0190c5b0-0000-7000-8000-000000000000/"
                + String(repeating: "A", count: 22)))
}

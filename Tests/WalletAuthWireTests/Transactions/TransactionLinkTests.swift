import Testing
import WalletAuthWire

@Suite("The content of a transaction's QR code")
struct TransactionLinkTests {
    private static let secret = "AAECAwQFBgcICQoLDA0ODw"

    @Test(
        "A link is read back as it was written, for issuers with and without a path",
        arguments: [
            "https://id.example.com", "https://example.com/tenants/t", "https://example.com/t", "http://127.0.0.1:8080",
        ])
    func roundTrip(issuer: String) throws {
        let link = TransactionLink(
            issuer: try Issuer(issuer), transactionID: try TransactionID("0190b3f2-0000-7000-8000-00000000002a"),
            secret: try TransactionSecret(Self.secret))
        let text = issuer + "/t/0190b3f2-0000-7000-8000-00000000002a#" + Self.secret
        #expect(link.reveal() == text)
        #expect(try TransactionLink(text) == link)
    }

    @Test("A link of an issuer that ends in a slash leads to that issuer")
    func slash() throws {
        let issuer = try Issuer("https://id.example.com/")
        let link = TransactionLink(
            issuer: issuer, transactionID: try TransactionID("tx"), secret: try TransactionSecret(Self.secret))
        let read = try TransactionLink(link.reveal())
        #expect(read.leads(to: issuer))
        #expect(try read.leads(to: Issuer("https://id.example.com")))
        #expect(try !read.leads(to: Issuer("https://id.example.com/x")))
        #expect(try !read.leads(to: Issuer("https://id.example.com:8443")))
    }

    @Test(
        "Whatever else a camera may read is refused",
        arguments: [
            "", "#", "hello", "https://id.example.com", "https://id.example.com/t/tx", "https://id.example.com/t/tx#",
            "https://id.example.com/t/tx#short", "https://id.example.com/t/#\(secret)",
            "https://id.example.com/t//tx#\(secret)", "https://id.example.com/x/tx#\(secret)",
            "https://id.example.com/t/tx/#\(secret)", "https://id.example.com/t/..#\(secret)",
            "https://id.example.com/t/tx?x=1#\(secret)", "https://id.example.com/t/tx#\(secret)#\(secret)",
            "https://id.example.com/t/tx#\(secret)=", "https://id.example.com//t/tx#\(secret)",
            "http://id.example.com/t/tx#\(secret)", "https://a@id.example.com/t/tx#\(secret)",
            "javascript:alert(1)//t/tx#\(secret)", "HTTPS://ID.EXAMPLE.COM/t/tx#\(secret)",
            "https://id.example.com/t/tx#\(secret) ", "\u{202E}https://id.example.com/t/tx#\(secret)",
            "https://id.example.com/t/t%78#\(secret)", "WIFI:S:t;T:WPA;P:x;;", String(repeating: "a", count: 100_000),
        ])
    func refused(text: String) {
        #expect(throws: MalformedValue.self) { try TransactionLink(text) }
    }

    @Test("The secret is not shown by printing a link")
    func redacted() throws {
        let link = try TransactionLink("https://id.example.com/t/tx#" + Self.secret)
        #expect(!"\(link)".contains(Self.secret))
        #expect(!String(reflecting: link).contains(Self.secret))
    }
}

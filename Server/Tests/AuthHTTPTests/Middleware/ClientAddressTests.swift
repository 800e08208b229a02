import Core
import HTTPTypes
import NIOCore
import Testing

@testable import HTTP
@testable import Web

@Suite("The client's address behind proxies", .threat("X-Forwarded-For injection"))
struct ClientAddressTests {
    private func origin(
        trusting ranges: [String], peer: String, _ fields: [(String, String)], endsTLSElsewhere: Bool = false
    ) throws -> ClientOrigin {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let ranges = try ranges.map { try #require(AddressRange($0)) }
        return ClientAddress(trustedProxies: ranges, endsTLSElsewhere: endsTLSElsewhere)
            .origin(of: headers, peer: try SocketAddress(ipAddress: peer, port: 4711))
    }

    @Test("X-Forwarded-For injection: without a configured proxy the header is ignored")
    func untrustedPeer() throws {
        let origin = try origin(
            trusting: [], peer: "203.0.113.9", [("x-forwarded-for", "10.0.0.1"), ("x-forwarded-proto", "http")])
        #expect(origin.address?.text == "203.0.113.9")
        #expect(!origin.arrivedInPlain)
    }

    @Test("X-Forwarded-For injection: what the client wrote left of the proxy's entry is never believed")
    func spoofedEntry() throws {
        let origin = try origin(
            trusting: ["10.0.0.0/8"], peer: "10.0.0.7", [("x-forwarded-for", "1.1.1.1, 203.0.113.9")])
        #expect(origin.address?.text == "203.0.113.9")
    }

    @Test("A chain of trusted proxies, in one header or several, is walked to the first address that is not one")
    func chain() throws {
        let headers = [("x-forwarded-for", "1.1.1.1, 203.0.113.9"), ("x-forwarded-for", "10.0.0.8")]
        let origin = try origin(trusting: ["10.0.0.0/8", "::1"], peer: "10.0.0.7", headers)
        #expect(origin.address?.text == "203.0.113.9")
    }

    @Test(
        "An unreadable entry yields no address instead of the proxy's own",
        arguments: ["unknown", "_hidden", "1.2.3"])
    func unreadable(entry: String) throws {
        let origin = try origin(trusting: ["10.0.0.7"], peer: "10.0.0.7", [("x-forwarded-for", entry + ", " + entry)])
        #expect(origin.address == nil)
    }

    @Test(
        "Ports and brackets that proxies add are taken off",
        arguments: [
            ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:DB8:0:0::1", "2001:db8::1"), ("::ffff:203.0.113.9", "203.0.113.9"),
        ])
    func spellings(entry: String, expected: String) throws {
        let origin = try origin(trusting: ["10.0.0.7"], peer: "10.0.0.7", [("x-forwarded-for", entry)])
        #expect(origin.address?.text == expected)
    }

    @Test("A trusted proxy that says anything but https marks the request as plain; only its last word counts")
    func plain() throws {
        func plain(_ value: String) throws -> Bool {
            try origin(trusting: ["10.0.0.7"], peer: "10.0.0.7", [("x-forwarded-proto", value)]).arrivedInPlain
        }
        #expect(try plain("http"))
        #expect(try plain("https, http"))
        #expect(try plain("http,"))
        for junk in ["ftp", "http; x", "httpsx"] { #expect(try plain(junk), "\(junk)") }
        #expect(try !plain("http, HTTPS"))
        #expect(try !plain("https "))
    }

    @Test("A request through a local proxy does not count as coming from this machine")
    func loopback() throws {
        #expect(try origin(trusting: [], peer: "127.0.0.1", []).isDirectLoopback)
        #expect(try origin(trusting: [], peer: "::1", []).isDirectLoopback)
        #expect(try !origin(trusting: [], peer: "203.0.113.9", []).isDirectLoopback)
    }

    static let proxyFields = [
        "Forwarded", "Via", "CDN-Loop", "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP", "CF-Ray",
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server",
        "X-Forwarded", "X-Original-Forwarded-For", "X-Envoy-External-Address", "X-Amzn-Trace-Id", "Fastly-Client-IP",
        "Fly-Client-IP", "CloudFront-Viewer-Address", "Tailscale-User-Login", "Proxy-Connection", "x-REAL-ip",
    ]

    @Test("attack: any field that proxies add shows that a request is not from this machine", arguments: proxyFields)
    func proxied(field: String) throws {
        let local = try origin(trusting: [], peer: "127.0.0.1", [(field, "203.0.113.9")])
        #expect(!local.isDirectLoopback)
        #expect(local.isFromUnknownProxy)
        let configured = try origin(trusting: ["127.0.0.1"], peer: "127.0.0.1", [(field, "203.0.113.9")])
        #expect(!configured.isDirectLoopback)
        #expect(!configured.isFromUnknownProxy)
        // A person elsewhere may use a proxy of their own.
        #expect(try !origin(trusting: [], peer: "203.0.113.9", [(field, "x")]).isFromUnknownProxy)
    }

    @Test("Fields of clients are not mistaken for those of proxies")
    func ownFields() throws {
        let fields = ["Host", "User-Agent", "Accept", "Cookie", "DPoP", "Authorization", "Traceparent", "X-Device"]
        let local = try origin(trusting: [], peer: "127.0.0.1", fields.map { ($0, "x") })
        #expect(local.isDirectLoopback)
        #expect(!local.isFromUnknownProxy)
    }

    @Test("A range holds its addresses and no neighbor")
    func ranges() throws {
        func contains(_ range: String, _ address: String) throws -> Bool {
            try #require(AddressRange(range)).contains(try #require(NetworkAddress(address)))
        }
        #expect(try contains("10.1.2.0/23", "10.1.3.255"))
        #expect(try !contains("10.1.2.0/23", "10.1.4.0"))
        #expect(try contains("2001:db8::/33", "2001:db8:7fff::1"))
        #expect(try !contains("2001:db8::/33", "2001:db8:8000::1"))
        #expect(try contains("0.0.0.0/0", "198.51.100.1"))
        #expect(try !contains("::/0", "198.51.100.1"))
    }

    @Test(
        "What is no address range is refused",
        arguments: ["", "10.0.0.0/33", "10.0.0.0/", "host", "::1/129", "10.0.0/8"])
    func malformedRanges(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test("Past the proxy: on a listener that leaves TLS to proxies, any other peer has sent plain text")
    func pastTheProxy() throws {
        let direct = try origin(trusting: ["10.0.0.7"], peer: "203.0.113.9", [], endsTLSElsewhere: true)
        #expect(direct.arrivedInPlain)
        let proxied = try origin(
            trusting: ["10.0.0.7"], peer: "10.0.0.7", [("x-forwarded-proto", "https")], endsTLSElsewhere: true)
        #expect(!proxied.arrivedInPlain)
    }

    @Test("A proxy on this machine that adds no header is not mistaken for a person on this machine")
    func localProxy() throws {
        #expect(try !origin(trusting: ["127.0.0.1"], peer: "127.0.0.1", []).isDirectLoopback)
        #expect(try origin(trusting: [], peer: "127.0.0.1", []).isDirectLoopback)
    }
}

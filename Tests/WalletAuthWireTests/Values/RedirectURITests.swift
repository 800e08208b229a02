import Testing
import WalletAuthWire

@Suite("Redirect URIs", .threat("open redirect: user information"), .covers("site URL")) struct RedirectURITests {
    @Test(
        "The kinds of RFC 8252 are taken",
        arguments: [
            ("https://app.example.com/callback", .https), ("https://app.example.com", .https),
            ("https://app.example.com:8443/cb?tenant=1", .https), ("https://xn--bcher-kva.example/cb", .https),
            ("com.example.app:/callback", .customScheme), ("com.example.app://callback", .customScheme),
            ("http://127.0.0.1:49152/cb", .loopback), ("http://127.0.0.1", .loopback),
            ("http://[::1]:8080/cb", .loopback),
            ("http://localhost:8080/cb", .localhost),
        ] as [(String, RedirectURI.Kind)])
    func accepted(text: String, kind: RedirectURI.Kind) throws {
        let uri = try RedirectURI(text)
        #expect(uri.kind == kind)
        #expect(uri.rawValue == text)
    }

    @Test(
        "attack: a host that leads to the person's own machine, or to an address, is claimed by no domain",
        arguments: [
            "https://localhost/cb", "https://localhost:8443/cb", "https://foo.localhost/cb", "https://a.b.localhost/cb",
            "https://localhost.localdomain/cb", "https://ip6-localhost/cb", "https://wallet/cb", "https://127.0.0.1/cb",
            "https://127.1.2.3/cb", "https://10.0.0.1/cb", "https://192.0.2.7/cb", "https://[::1]/cb",
            "https://127.1/cb",
            "https://127.0.1/cb", "https://0x7f.1/cb", "https://0x7f000001/cb", "https://2130706433/cb", "https://0/cb",
            "https://0x/cb", "https://017700000001/cb", "https://0177.0.0.1/cb", "https://127.0.0.01/cb",
            "https://1.2.3.4.5/cb", "https://foo.0x7f/cb", "https://foo.1/cb", "http://127.0.0.1/cb",
            "http://localhost/cb", "com.example.app:/cb", "https://printer.local/cb", "https://app.corp.internal/cb",
            "https://app.home.arpa/cb", "https://wallet.lan/cb", "https://wallet.home/cb", "https://wallet.corp/cb",
            "https://wallet.intranet/cb", "https://wallet.private/cb",
        ])
    func unclaimed(text: String) throws { #expect(try !RedirectURI(text).isClaimedByDomain) }

    @Test(
        "A name of the public DNS is claimed by its domain",
        arguments: [
            "https://app.example.com/cb", "https://app.example.com:8443/cb", "https://127.0.0.1.nip.example/cb",
            "https://1.example.com/cb", "https://xn--bcher-kva.example/cb", "https://localhost.example.com/cb",
            "https://a.0x7g/cb",
        ])
    func claimed(text: String) throws { #expect(try RedirectURI(text).isClaimedByDomain) }

    @Test(
        "attack: an IPv4 address that browsers and other programs read in different ways",
        arguments: [
            ("https://127.1/cb", true), ("https://0x7f.1/cb", true), ("https://2130706433/cb", true),
            ("https://0/cb", true),
            ("https://010.0.0.1/cb", true), ("https://127.0.0.256/cb", true), ("https://1.2.3.4.5/cb", true),
            ("https://127.0.0.1/cb", false), ("https://[::1]/cb", false), ("https://app.example.com/cb", false),
            ("http://127.0.0.1:1/cb", false), ("com.example.app:/cb", false),
        ])
    func ambiguousHost(text: String, isAmbiguous: Bool) throws {
        #expect(try RedirectURI(text).hasAmbiguousHost == isAmbiguous)
    }

    @Test(
        "No redirect URI is made of a loopback address in other brackets, dots or capitals",
        arguments: [
            "https://[::ffff:127.0.0.1]/cb", "https://[0:0:0:0:0:0:0:1]/cb", "https://localhost./cb",
            "https://127.0.0.1./cb",
            "https://LOCALHOST/cb", "https://0X7F.1/cb", "https://127%2e0.0.1/cb", "https://①②⑦.1/cb",
        ])
    func otherNotations(text: String) { refuse(text) }

    @Test(
        "User information before an '@' cannot hide the real host",
        arguments: [
            "https://app.example.com@evil.example/cb", "https://app.example.com:443@evil.example/",
            "https://@evil.example/",
            "http://127.0.0.1@evil.example/", "http://127.0.0.1:80@evil.example:80/", "https://a@b@evil.example/",
            "com.example.app://user@host/",
        ])
    func userInfo(text: String) { refuse(text) }

    @Test(
        "Dot segments, '..;/' and their encoded forms cannot climb out of the registered path",
        arguments: [
            "https://app.example.com/cb/../evil", "https://app.example.com/cb/..;/evil",
            "https://app.example.com/cb/.;x/evil",
            "https://app.example.com/cb/%2e%2e/evil", "https://app.example.com/cb/%2E./evil",
            "https://app.example.com/cb/..%2fevil",
            "https://app.example.com/cb/%5c..%5cevil", "https://app.example.com/cb/%252e%252e/evil",
            "https://app.example.com/./cb",
            "https://app.example.com/cb/..", "https://app.example.com/cb\\..\\evil",
            "https://app.example.com/cb%00.html",
        ])
    func traversal(text: String) { refuse(text) }

    @Test(
        "Encoded dots, trailing dots and odd labels cannot make another host of a registered one",
        arguments: [
            "https://app%2eexample%2ecom/cb", "https://app.example.com./cb", "https://app..example.com/cb",
            "https://.example.com/",
            "https://-app.example.com/", "https://app-.example.com/", "https://app_x.example.com/",
            "https://app.example.com%00.evil/",
            "https:///cb", "https://", "https:app.example.com/cb", "https://app.example.com:/cb",
            "https://app.example.com:0443/cb",
            "https://app.example.com:99999/", "https://app.example.com:-1/", "https://[::1/cb", "https://[::g]/cb",
            "https://[fe80::1]/",
        ])
    func host(text: String) { refuse(text) }

    @Test(
        "A fragment, even an empty one, is refused",
        arguments: ["https://app.example.com/cb#x", "https://app.example.com/cb#"])
    func fragment(text: String) { refuse(text) }

    @Test(
        "A wildcard is refused",
        arguments: ["https://*.example.com/cb", "https://app.example.com/*", "https://app.example.com/cb?x=*"])
    func wildcard(text: String) { refuse(text) }

    @Test(
        "Upper case in scheme or host is refused",
        arguments: ["HTTPS://app.example.com/cb", "https://APP.example.com/cb", "Com.Example.App:/cb"])
    func letterCase(text: String) { refuse(text) }

    @Test(
        "javascript:, data: and every scheme without an owner are refused",
        arguments: [
            "javascript:alert(1)", "javascript://app.example.com/%0aalert(1)", "data:text/html,x", "file:///etc/passwd",
            "vbscript:x", "about:blank", "blob:https://app.example.com/1", "myapp:/cb", "ftp://app.example.com/",
            "a..b:/cb", "com.:/cb",
        ])
    func schemes(text: String) { refuse(text) }

    @Test(
        "http leads to this device or is refused",
        arguments: [
            "http://app.example.com/cb", "http://127.0.0.1.evil.example/", "http://127.0.0.2/cb", "http://0.0.0.0/cb",
            "http://127.1/cb",
            "http://2130706433/cb", "http://localhost.evil.example/", "http://localhost./",
            "http://[::ffff:127.0.0.1]/", "http://LOCALHOST/",
        ])
    func plainHTTP(text: String) { refuse(text) }

    @Test(
        "What no URI has is refused: control characters, spaces, bare Unicode, cut escapes",
        arguments: [
            "", " ", "https://app.example.com/ cb", "https://app.example.com/\n", "https://bücher.example/",
            "https://app.example.com/%2",
            "https://app.example.com/\u{0}", "//app.example.com/cb", "/cb", "https://app.example.com/<script>", "://x",
        ])
    func characters(text: String) { refuse(text) }

    @Test("A URI of more than 2048 bytes is refused")
    func length() { refuse("https://app.example.com/" + String(repeating: "a", count: 2048)) }

    @Test(
        "A requested URI matches to the letter, or not at all",
        arguments: [
            ("https://app.example.com/cb", "https://app.example.com/cb", true),
            ("https://app.example.com/cb/", "https://app.example.com/cb", false),
            ("https://app.example.com/CB", "https://app.example.com/cb", false),
            ("https://app.example.com/cb?x=1", "https://app.example.com/cb", false),
            ("https://app.example.com:443/cb", "https://app.example.com/cb", false),
            ("https://evil.example.com/cb", "https://app.example.com/cb", false),
            ("https://app.example.com/c%62", "https://app.example.com/cb", false),
            ("com.example.app:/cb", "com.example.app://cb", false),
        ])
    func exactMatch(requested: String, registered: String, matches: Bool) throws {
        #expect(try RedirectURI(requested).matches(registered: RedirectURI(registered)) == matches)
    }

    @Test(
        "The port may vary only on 127.0.0.1 and [::1]; localhost must match port and all, and represents no address",
        arguments: [
            ("http://127.0.0.1:50001/cb", "http://127.0.0.1/cb", true),
            ("http://127.0.0.1/cb", "http://127.0.0.1:8000/cb", true),
            ("http://[::1]:50001/cb", "http://[::1]:1/cb", true),
            ("http://127.0.0.1:50001/other", "http://127.0.0.1/cb", false),
            ("http://127.0.0.1:50001/cb?a=1", "http://127.0.0.1/cb", false),
            ("http://[::1]:1/cb", "http://127.0.0.1:1/cb", false),
            ("http://localhost:50001/cb", "http://localhost:8080/cb", false),
            ("http://localhost:8080/cb", "http://localhost:8080/cb", true),
            ("http://localhost:8080/cb", "http://127.0.0.1:8080/cb", false),
            ("http://127.0.0.1:8080/cb", "http://localhost:8080/cb", false),
            ("https://127.0.0.1:1/cb", "https://127.0.0.1:2/cb", false),
        ])
    func loopbackPort(requested: String, registered: String, matches: Bool) throws {
        #expect(try RedirectURI(requested).matches(registered: RedirectURI(registered)) == matches)
    }

    @Test(
        "A URI is under a site only by whole path segments",
        arguments: [
            ("https://shop.example/app/cb", "https://shop.example/app", true),
            ("https://shop.example/app", "https://shop.example/app", true),
            ("https://shop.example/application", "https://shop.example/app", false),
            ("https://shop.example/cb", "https://shop.example", true),
            ("https://shop.example.evil/app/cb", "https://shop.example/app", false),
            ("https://shop.example:8443/app/cb", "https://shop.example/app", false),
            ("http://localhost/app/cb", "https://shop.example/app", false),
        ])
    func site(uri: String, site: String, lies: Bool) throws {
        #expect(try RedirectURI(uri).lies(under: WebURL(site)) == lies)
    }

    @Test("Parameters are added behind what the query has")
    func appending() throws {
        let form = Sample.form(["code": "a b", "state": "&"])
        #expect(try RedirectURI("https://a.example/cb").appending(form) == "https://a.example/cb?code=a%20b&state=%26")
        #expect(
            try RedirectURI("https://a.example/cb?x=1").appending(form)
                == "https://a.example/cb?x=1&code=a%20b&state=%26")
        #expect(try RedirectURI("com.example.app:/cb").appending(form) == "com.example.app:/cb?code=a%20b&state=%26")
    }

    private func refuse(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect {
            try RedirectURI(text)
        } throws: { error in
            (error as? MalformedValue)?.field == "redirect_uri"
        }
    }
}

import Kernel
import SignIn
import Testing

@Suite("The kind of a browser, by what it says of itself", .threat("The account's own page"))
struct BrowserKindTests {
    private static func kind(_ agent: String?, brands: String? = nil, platform: String? = nil) -> BrowserKind {
        BrowserKind(
            RequestOrigin(address: "192.0.2.1", userAgent: agent, brandsHint: brands, platformHint: platform))
    }

    private static func webKit(_ system: String, _ products: String) -> String {
        "Mozilla/5.0 (\(system)) AppleWebKit/605.1.15 (KHTML, like Gecko) \(products)"
    }

    private static func chromium(_ system: String, _ products: String) -> String {
        "Mozilla/5.0 (\(system)) AppleWebKit/537.36 (KHTML, like Gecko) \(products)"
    }

    private static let windows = "Windows NT 10.0; Win64; x64"
    private static let mac = "Macintosh; Intel Mac OS X 10_15_7"
    private static let iPhone = "iPhone; CPU iPhone OS 17_2 like Mac OS X"
    private static let iPad = "iPad; CPU OS 17_2 like Mac OS X"
    private static let android = "Linux; Android 10; K"

    @Test(
        "The browser and the system of a User-Agent",
        arguments: [
            (chromium(windows, "Chrome/120.0.0.0 Safari/537.36"), BrowserFamily.chrome, SystemFamily.windows),
            (chromium(mac, "Chrome/120.0.0.0 Safari/537.36"), .chrome, .macos),
            (chromium("X11; Linux x86_64", "Chrome/120.0.0.0 Safari/537.36"), .chrome, .linux),
            (chromium("X11; CrOS x86_64 14541.0.0", "Chrome/120.0.0.0 Safari/537.36"), .chrome, .chromeos),
            (chromium(android, "Chrome/120.0.0.0 Mobile Safari/537.36"), .chrome, .android),
            (webKit(iPhone, "CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1"), .chrome, .iphone),
            (webKit(iPad, "CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1"), .chrome, .ipad),
            (chromium(windows, "Chrome/120.0.0.0 Safari/537.36 Edg/120.0.2210.91"), .edge, .windows),
            (chromium(mac, "Chrome/120.0.0.0 Safari/537.36 Edg/120.0.2210.91"), .edge, .macos),
            (chromium(android, "Chrome/120.0.0.0 Mobile Safari/537.36 EdgA/120.0.2210.84"), .edge, .android),
            (webKit(iPhone, "Version/17.0 EdgiOS/120.0.2210.86 Mobile/15E148 Safari/605.1.15"), .edge, .iphone),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:121.0) Gecko/20100101 Firefox/121.0", .firefox, .windows),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14.2; rv:121.0) Gecko/20100101 Firefox/121.0", .firefox, .macos),
            ("Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0", .firefox, .linux),
            ("Mozilla/5.0 (X11; Linux i686; rv:121.0) Gecko/20100101 Firefox/121.0", .firefox, .linux),
            ("Mozilla/5.0 (Android 14; Mobile; rv:121.0) Gecko/121.0 Firefox/121.0", .firefox, .android),
            (webKit(iPhone, "FxiOS/121.0 Mobile/15E148 Safari/605.1.15"), .firefox, .iphone),
            (webKit(mac, "Version/17.2 Safari/605.1.15"), .safari, .macos),
            (webKit(iPhone, "Version/17.2 Mobile/15E148 Safari/604.1"), .safari, .iphone),
            (webKit(iPad, "Version/17.2 Mobile/15E148 Safari/604.1"), .safari, .ipad),
            (
                chromium(
                    "Linux; Android 13; SAMSUNG SM-S918B",
                    "SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36"),
                .samsungInternet, .android
            ),
            (chromium(windows, "Chrome/119.0.0.0 Safari/537.36 OPR/105.0.0.0"), .opera, .windows),
            (chromium("X11; Linux x86_64", "Chrome/119.0.0.0 Safari/537.36 OPR/105.0.0.0"), .opera, .linux),
            (
                chromium(
                    "Linux; Android 13; SM-G991B", "Chrome/119.0.6045.66 Mobile Safari/537.36 OPR/78.4.4143.75569"),
                .opera, .android
            ),
        ])
    func userAgents(agent: String, browser: BrowserFamily, system: SystemFamily) {
        #expect(Self.kind(agent) == BrowserKind(browser: browser, system: system))
    }

    @Test(
        "A browser that is not in the list, and an app's view of the web, get no other browser's name",
        arguments: [
            (chromium(windows, "Chrome/120.0.0.0 Safari/537.36 Vivaldi/6.5.3206.50"), SystemFamily.windows),
            (chromium(windows, "Chrome/118.0.0.0 YaBrowser/23.11.0.0 Safari/537.36"), .windows),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:91.0) Gecko/20100101 Firefox/91.0 SeaMonkey/2.53.18", .linux),
            (webKit("X11; Linux x86_64", "Version/17.0 Safari/605.1.15"), .linux),
            (
                chromium(
                    "Linux; Android 13; Pixel 7 Build/TQ3A.230901.001; wv",
                    "Version/4.0 Chrome/120.0.6099.43 Mobile Safari/537.36"), .android
            ),
            (webKit(iPhone, "Mobile/15E148"), .iphone),
            (webKit(iPhone, "GSA/295.0.590048842 Mobile/15E148 Safari/604.1"), .iphone),
            (chromium("X11; Linux x86_64", "HeadlessChrome/120.0.6099.109 Safari/537.36"), .linux),
            ("curl/8.5.0", nil), ("Dalvik/2.1.0", nil), ("", nil),
            ("Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) TV Safari/537.36", nil),
        ] as [(String, SystemFamily?)])
    func unknown(agent: String, system: SystemFamily?) {
        #expect(Self.kind(agent) == BrowserKind(system: system))
    }

    @Test("Client hints count before the User-Agent, where they name a listed browser or system")
    func hints() {
        let agent = Self.chromium("X11; Linux x86_64", "Chrome/120.0.0.0 Safari/537.36")
        let brave = #""Not_A Brand";v="8", "Chromium";v="120", "Brave";v="120""#
        #expect(Self.kind(agent, brands: brave) == BrowserKind(browser: .brave, system: .linux))
        #expect(Self.kind(agent, platform: "\"Chrome OS\"") == BrowserKind(browser: .chrome, system: .chromeos))
        let edge = #""Microsoft Edge";v="120", "Chromium";v="120", "Not?A_Brand";v="24""#
        #expect(
            Self.kind(nil, brands: edge, platform: "\"Windows\"") == BrowserKind(browser: .edge, system: .windows))
        let chrome = #""Google Chrome";v="120", "Not;A=Brand";v="8""#
        for useless in ["", "\"", #""Chromium";v="120""#, "Brave", chrome + ", " + brave, brave + "\u{0}"] {
            #expect(Self.kind(agent, brands: useless) == BrowserKind(browser: .chrome, system: .linux))
        }
        for useless in ["", "\"", "\"\"", "\"Unknown\"", "Windows", "\"iOS\"", "\"Windows\"\n"] {
            #expect(Self.kind(agent, platform: useless) == BrowserKind(browser: .chrome, system: .linux))
        }
    }

    @Test("attack: megabytes, control characters, markup and open brackets say nothing, and are read no further")
    func hostile() {
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0"
        #expect(Self.kind(firefox) == BrowserKind(browser: .firefox, system: .linux))
        let megabytes = String(repeating: "Firefox/121.0 ", count: 1_000_000)
        for agent in [
            megabytes, firefox + megabytes, firefox + "\u{7}", firefox + "\u{202E}", firefox + "\r\nSet-Cookie: a=b",
            "<script>alert(1)</script>", String(repeating: "(", count: 500), String(repeating: ")", count: 500),
        ] {
            let hint = "\"" + agent + "\""
            #expect(Self.kind(agent, brands: hint, platform: hint) == BrowserKind())
        }
        // What comes after the known part takes the browser's name away, and adds none.
        #expect(Self.kind(firefox + " <b>Chrome</b>") == BrowserKind(system: .linux))
        #expect(Self.kind(firefox + " (Windows NT 10.0)") == BrowserKind(browser: .firefox, system: .linux))
    }

    @Test("A stored name is short, and a shown one is a product's")
    func names() {
        let names =
            BrowserFamily.allCases.map { ($0.rawValue, $0.name) } + SystemFamily.allCases.map { ($0.rawValue, $0.name) }
        for (stored, shown) in names {
            #expect(stored.utf8.count <= 32)
            #expect(shown.utf8.allSatisfy { $0 < 0x80 } && !shown.contains("<"))
        }
    }
}

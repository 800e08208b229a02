import Foundation
import Testing
import WalletAuthWire

@Suite("Values") struct ValueTests {
    @Test("Scopes keep their order, count a token once, and compare as sets")
    func scope() throws {
        let scope = try Scope("openid profile openid email")
        #expect(scope.rawValue == "openid profile email")
        #expect(try scope == Scope("email profile openid"))
        #expect(try Scope("openid").isSubset(of: scope))
        #expect(try !Scope("openid admin").isSubset(of: scope))
        #expect(try Scope("") == .none)
    }

    @Test(
        "Malformed scopes are refused",
        arguments: ["a\tb", "a\"b", "a\\b", "ä", "a\u{0}b", "a\nb"])
    func malformedScope(text: String) {
        #expect(throws: MalformedValue.self) { try Scope(text) }
    }

    @Test(
        "Doubled and outer spaces of a scope mean nothing",
        arguments: [" openid profile", "openid profile ", "openid  profile", "  openid   profile  "])
    func spacesInScope(text: String) throws {
        #expect(try Scope(text).tokens == ["openid", "profile"])
        #expect(try Scope("  ") == .none)
    }

    @Test("A scope of more tokens than anybody needs is refused")
    func manyScopes() {
        #expect(throws: MalformedValue.self) { try Scope(tokens: (0..<65).map { "s\($0)" }) }
    }

    @Test(
        "Issuers are https, or http on loopback, without query, fragment and user information",
        arguments: [
            "http://auth.example.com", "https://auth.example.com?x", "https://auth.example.com#x",
            "https://a@auth.example.com", "auth.example.com",
            "https://auth.example.com/a/../b", "https://AUTH.example.com", "ftp://auth.example.com", "",
        ])
    func malformedIssuer(text: String) {
        #expect(throws: MalformedValue.self) { try Issuer(text) }
    }

    @Test("The well-known places of an issuer with a path follow each standard's own rule")
    func issuerPlaces() throws {
        let issuer = try Issuer("https://auth.example.com:8443/tenant")
        #expect(
            issuer.oauthMetadataURL == "https://auth.example.com:8443/.well-known/oauth-authorization-server/tenant")
        #expect(
            issuer.openIDConfigurationURL == "https://auth.example.com:8443/tenant/.well-known/openid-configuration")
        #expect(issuer.url(path: Endpoints.token.path) == "https://auth.example.com:8443/tenant/oauth2/token")
        let slashed = try Issuer("https://auth.example.com/")
        #expect(slashed.oauthMetadataURL == "https://auth.example.com/.well-known/oauth-authorization-server")
        #expect(slashed.openIDConfigurationURL == "https://auth.example.com/.well-known/openid-configuration")
        #expect(try Issuer("http://127.0.0.1:8700").isInsecure)
    }

    @Test(
        "Language tags get their customary case",
        arguments: [
            ("EN", "en"), ("de-at", "de-AT"), ("de_AT", "de-AT"), ("ZH-hant-tw", "zh-Hant-TW"),
            ("en-u-CA-x", "en-u-ca-x"),
        ])
    func locale(text: String, written: String) throws {
        #expect(try LocaleTag(text).rawValue == written)
    }

    @Test(
        "What is no language tag is refused",
        arguments: [
            "", "e", "en_", "en__US", "en-", "-en", "en--US", "en-toolongsubtag", "12", "../../etc", "en\r\nX: y",
        ])
    func malformedLocale(text: String) {
        #expect(throws: MalformedValue.self) { try LocaleTag(text) }
    }

    @Test("Amounts are whole minor units, never rounded and never overflowing")
    func money() throws {
        let euro = try Currency("EUR")
        #expect(try Money(value: "1250", currency: euro).minorUnits == 1250)
        #expect(try Currency("JPY").minorUnitDigits == 0)
        #expect(try Currency("KWD").minorUnitDigits == 3)
        for text in ["", "-1", "+1", "01", "1.5", "1e3", " 1", "١", "9223372036854775808", "1000000000000001"] {
            #expect(throws: MalformedValue.self) { try Money(value: text, currency: euro) }
        }
        let most = try Money(minorUnits: Money.maximumMinorUnits, currency: euro)
        #expect(try most.adding(Money(minorUnits: 1, currency: euro)) == nil)
        #expect(try most.adding(Money(minorUnits: 0, currency: Currency("USD"))) == nil)
    }

    @Test(
        "UUIDs have one spelling",
        arguments: [
            "", "0192F3B0-0000-7000-8000-000000000000", "0192f3b0000070008000000000000000",
            "0192f3b0-0000-7000-8000-00000000000g", "0192f3b0-0000-7000-8000-0000000000000",
        ])
    func uuids(text: String) throws {
        #expect(throws: MalformedValue.self) { try SessionID(text) }
        let bytes = [UInt8](0..<16)
        #expect(try SessionID(bytes: bytes).rawValue == "00010203-0405-0607-0809-0a0b0c0d0e0f")
        #expect(try SessionID(bytes: bytes).bytes == bytes)
    }

    @Test(
        "Identifiers cannot change the path that they are put into",
        arguments: ["", ".", "..", "a/b", "a%2fb", "a b", "ä", "a\u{0}"])
    func pathIdentifiers(text: String) {
        #expect(throws: MalformedValue.self) { try BrandID(text) }
        #expect(throws: MalformedValue.self) { try DeviceID(text) }
    }

    @Test("A state keeps its characters, and control characters that could split a header are refused")
    func state() throws {
        #expect(try OAuthState("a b&c=\"").rawValue == "a b&c=\"")
        #expect(throws: MalformedValue.self) { try OAuthState("a\r\nSet-Cookie: x") }
        #expect(throws: MalformedValue.self) { try Nonce("a\u{0}") }
    }

    @Test("Values travel through Codable as plain strings and are checked on the way in")
    func codable() throws {
        let encoded = try JSONEncoder().encode([try ClientID("app")])
        #expect(String(decoding: encoded, as: UTF8.self) == #"["app"]"#)
        #expect(try JSONDecoder().decode([ClientID].self, from: encoded) == [try ClientID("app")])
        #expect(throws: MalformedValue.self) { try JSONDecoder().decode([ClientID].self, from: Data(#"["a b"]"#.utf8)) }
    }

    @Test("The places of endpoints are distinct, and a brand's identity goes into its path")
    func endpoints() throws {
        #expect(Set(Endpoints.all.map(\.path)).count == Endpoints.all.count)
        #expect(try Endpoints.authenticationDetails.path(BrandID("acme")) == "/v1/brands/acme/authentication-details")
    }

    @Test("Dates never overflow, whatever is added to them")
    func dates() {
        #expect(NumericDate.latest.advanced(by: .seconds(Int64.max)) == .latest)
        #expect(NumericDate(clamping: 0).advanced(by: .seconds(Int64.min)) == NumericDate(clamping: 0))
        #expect(NumericDate(exactly: -1) == nil)
    }
}

internal import Foundation
internal import WalletAuthWire

/// A client's settings without a column of their own, stored as JSON. Lifetimes are in seconds.
package struct ClientSettings: Codable, Sendable, Hashable {
    /// The operator's own app: it may sign in natively and needs no consent.
    package var firstParty = false
    /// Whether every token request needs a DPoP proof. `nil` in a registration: yes for a public first-party client, no for
    /// others.
    package var requiresDPoP: Bool?
    /// Its authorization requests may have a nonce in place of PKCE.
    package var withoutPKCE = false
    /// Where it publishes its keys for `private_key_jwt`.
    package var jwksURI: String?
    /// Browsers bring its authorization requests by reference only, after it has pushed them (RFC 9126).
    package var requiresPushedRequests = false
    /// The types of authorization details that it may ask for (RFC 9396).
    package var authorizationDetailsTypes: [String] = []
    /// Its authorization requests are objects that it signed (RFC 9101).
    package var requiresSignedRequests = false
    /// Hosts whose apps describe themselves at their `client_id`, and may sign people in with this client's scopes and resources.
    package var metadataHosts: [String] = []
    /// Such an app. Its name and redirect URIs are what it said when a person first allowed it something.
    package var selfDescribed = false
    /// The base URL that must contain all https redirect URIs.
    package var siteURL: String?
    /// URLs that "Forgot your password?" may link to.
    package var resetCredentialsURLs: [String] = []
    /// URLs to which the consent page for operations returns, compared exactly.
    package var consentReturnURLs: [String] = []
    /// URIs to which sign-out returns, compared like redirect URIs (OpenID Connect RP-Initiated Logout 1.0 §3).
    package var postLogoutRedirectURIs: [String] = []
    /// The apps that open links to transactions and may use passkeys, as Apple identifies them: `TEAMID.bundle.id`.
    package var appleAppIDs: [String] = []
    /// What the app that enrolls a device has to prove.
    package var attestation = AttestationPolicy.off
    /// Its access tokens say which app was attested on the session's device.
    package var attestationClaim = false
    /// Android apps, which may use passkeys and be attested, as `PACKAGE=SHA256` with the signing certificate's digest in hexadecimal.
    package var androidApps: [String] = []
    /// Origins of web pages, and of apps with passkeys in software, that may ask for passkeys of this server, besides its own pages.
    package var passkeyOrigins: [String] = []
    /// Where people get the app in Apple's store, for the page that a transaction's link opens.
    package var appStoreURL: String?
    /// Where they get it in Google's store.
    package var playStoreURL: String?
    /// The app's id at Apple's push service; `nil` for the one in the server's settings.
    package var pushTopic: String?
    /// The `resource` values that the client may request (RFC 8707). Without any, tokens are for the issuer.
    package var resources: [String] = []
    /// A sign-in needs a `merchant_id`.
    package var requiresMerchant = false
    /// The confidential client that may redeem this client's codes.
    package var redeemer: String?
    /// Under the FAPI 2.0 Security Profile. Registration sees to what other settings have to be then.
    package var fapi = false
    /// An enrolled device signs in only after its installation confirmed a code.
    package var verifiesAppInstallation = false
    /// The app may keep long-lived sessions with device authentication tokens.
    package var deviceTokens = false
    /// People may sign in on its devices with a code that they type elsewhere (RFC 8628).
    package var deviceGrant = false
    /// How it hears of the people whom it has sign in on their phones (OpenID CIBA Core 1.0 §5): a ``BackchannelMode``; `nil` if it may not.
    package var backchannelMode: String?
    /// May request tokens for guests that its backend vouches for. It counts as a first-party client.
    package var guestTokens = false
    /// May request guest tokens by user name and password, too.
    package var guestPasswords = false
    /// The merchants whose guests it may speak for.
    package var loyaltyMerchants: [Int64] = []
    /// May introspect every token, as a resource server does.
    package var introspection = false
    /// May exchange people's access tokens that were presented to it for others with which it calls further services.
    package var tokenExchange = false
    /// May create transactions without an account: the first device that scans the code signs.
    package var allowsTransactionsWithoutAccount = false
    /// The role of a backend that calls `/admin/v1` for itself.
    package var adminRole: String?
    /// The role reaches all brands, and not only the client's own.
    package var adminAllBrands = false
    /// `RS256` (the default, except under FAPI), `ES256` or `EdDSA`.
    package var idTokenAlgorithm: String?
    /// Default 300.
    package var accessTokenLifetime: Int?
    /// Default 30 days without use.
    package var refreshIdleLifetime: Int?
    /// Default 90 days, used or not.
    package var refreshAbsoluteLifetime: Int?

    package init() {}

    /// A missing member has its default, so clients of an older version remain readable.
    init(json: String) throws {
        var members = try JSONValue.object(parsing: Array(ClientSettings().json().utf8))
        let limits = JSONLimits(bytes: json.utf8.count)
        for member in try JSONValue.object(parsing: Array(json.utf8), limits: limits).members {
            members[member.name] = member.value
        }
        self = try JSONDecoder().decode(ClientSettings.self, from: Data(members.bytes))
    }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

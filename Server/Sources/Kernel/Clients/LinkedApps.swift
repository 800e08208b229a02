package import WalletAuthWire

/// The apps of all clients that open links to this server.
package struct LinkedApps: Sendable {
    /// Where people get an app.
    package struct Stores: Sendable, Hashable {
        package var appStore: String?
        package var playStore: String?
    }

    private var apple: Set<String> = []
    private var android: Set<AndroidApp> = []
    private var origins: Set<String> = []
    private var stores: [BrandID: Stores] = [:]
    /// Whether there are hosts whose apps describe themselves, and need no registration.
    package private(set) var letsInSelfDescribed = false

    /// For Android, in order.
    package var androidApps: [AndroidApp] { android.sorted { $0.text < $1.text } }

    /// The web pages that may ask for passkeys, in order.
    package var passkeyOrigins: [String] { origins.sorted() }

    /// As Apple identifies them, in order.
    package var appleIDs: [String] { apple.sorted() }

    /// Where people get the app of a brand: of its first client, by id, that is in a store and is the operator's own. `nil` without one.
    package func stores(of brand: BrandID) -> Stores? { stores[brand] }

    /// Adds a client's app. Clients come in the order of their ids.
    mutating func add(_ client: RegisteredClient) {
        if !client.settings.metadataHosts.isEmpty { letsInSelfDescribed = true }
        // Another party's app must not pass for the brand's on the page of a payment, nor get the secrets of links.
        guard client.isFirstParty else { return }
        apple.formUnion(client.settings.appleAppIDs)
        android.formUnion(client.androidApps)
        origins.formUnion(client.settings.passkeyOrigins)
        let found = Stores(appStore: client.settings.appStoreURL, playStore: client.settings.playStoreURL)
        guard found != Stores(), let brand = try? client.accountBrand, stores[brand] == nil else { return }
        stores[brand] = found
    }
}

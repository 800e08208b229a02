internal import ArgumentParser
internal import Kernel
internal import Outbound
internal import WalletAuthWire

/// Where people get the app of a client, and its name for push messages.
struct AppStoreOptions: ParsableArguments {
    @Option(
        name: .customLong("app-store-url"),
        help: ArgumentHelp(
            "Where people get the app in the App Store, for the page that a transaction's link opens; empty for nowhere.",
            valueName: "url")
    )
    var appStoreURL: String?

    @Option(
        name: .customLong("play-store-url"),
        help: ArgumentHelp("Where they get it on Google Play; empty for nowhere.", valueName: "url"))
    var playStoreURL: String?

    @Option(
        name: .customLong("push-topic"),
        help: ArgumentHelp(
            "The app's bundle id for push messages to iPhones; empty for the one in the server's settings.",
            valueName: "bundle-id"))
    var pushTopic: String?
}

extension ClientSettings {
    /// Sets what is given.
    mutating func setStores(_ options: AppStoreOptions) {
        if let url = options.appStoreURL { appStoreURL = url.isEmpty ? nil : url }
        if let url = options.playStoreURL { playStoreURL = url.isEmpty ? nil : url }
        if let topic = options.pushTopic { pushTopic = topic.isEmpty ? nil : topic }
    }

    /// - Throws: ``AdministrationRefusal`` for a backend or another party's app, `MalformedValue` for a URL that is not https.
    mutating func checkStores(of kind: ClientKind) throws {
        guard appStoreURL != nil || playStoreURL != nil else { return }
        guard kind == .public else {
            throw AdministrationRefusal(
                "A backend is in no store: leave out --app-store-url and --play-store-url.", code: "contradiction")
        }
        guard firstParty else {
            throw AdministrationRefusal(
                """
                The page of a transaction's link offers only the brand's own app: add --first-party, or clear the store \
                links with --app-store-url "" --play-store-url "".
                """,
                code: "contradiction")
        }
        appStoreURL = try appStoreURL.map { try Self.storeURL($0, "--app-store-url") }
        playStoreURL = try playStoreURL.map { try Self.storeURL($0, "--play-store-url") }
    }

    /// - Throws: ``AdministrationRefusal`` for a backend, `MalformedValue` for a topic that no app has.
    func checkPushTopic(of kind: ClientKind) throws {
        guard let pushTopic else { return }
        guard kind == .public else {
            throw AdministrationRefusal(
                "A backend gets no push messages: leave out --push-topic.", code: "contradiction")
        }
        guard PushTopic.isValid(pushTopic) else {
            throw MalformedValue(field: "--push-topic", reason: "is not a bundle id, such as com.example.wallet")
        }
    }

    private static func storeURL(_ text: String, _ option: String) throws(MalformedValue) -> String {
        let url = try WebURL(text, field: option)
        guard url.rawValue.hasPrefix("https://") else { throw MalformedValue(field: option, reason: "is not https") }
        return url.rawValue
    }
}

internal import ArgumentParser
internal import Kernel
internal import WalletAuthWire

/// How a client has people sign in on their phones whom it names.
struct ClientBackchannelOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("ciba"),
        help: ArgumentHelp(
            "It names people, who sign in on their phones (OpenID CIBA), and asks for the outcome (poll) or is notified (ping).",
            valueName: "mode"),
        completion: .list(BackchannelMode.allCases.map(\.rawValue)))
    var mode: String?

    @Option(
        name: .customLong("ciba-notification-endpoint"),
        help: ArgumentHelp("The https URI where it is notified, with --ciba ping.", valueName: "uri"))
    var notificationEndpoint: String?
}

extension ClientRegistration {
    /// Checks the settings of backchannel authentication.
    func checkBackchannel() throws {
        guard let name = settings.backchannelMode else { return }
        guard BackchannelMode(rawValue: name) != nil else {
            throw MalformedValue(field: "--ciba", reason: "must be poll or ping")
        }
        guard kind == .confidential else {
            throw AdministrationRefusal(
                "Only a confidential client can have people sign in on their phones: a public client's id proves nothing.",
                code: "contradiction")
        }
        guard scopes.contains("openid") else {
            throw AdministrationRefusal("With --ciba, a client needs the scope openid.", code: "contradiction")
        }
    }

    /// Checks that a client is notified where it has to be, and nowhere else.
    /// - Parameter known: where it was notified before.
    func checkNotifications(known: String? = nil) throws {
        let isNotified = settings.backchannelMode == BackchannelMode.ping.rawValue
        guard isNotified ? (notificationEndpoint ?? known) != nil : notificationEndpoint == nil else {
            throw AdministrationRefusal(
                "--ciba ping and --ciba-notification-endpoint need each other.", code: "contradiction")
        }
    }
}

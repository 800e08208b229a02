internal import ArgumentParser

/// What a client that is registered has to do with signing out.
struct ClientSignOutOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp(
            "Where sign-out returns to, in the form of a redirect URI; may be repeated.", valueName: "uri"))
    var postLogoutRedirectURIs: [String] = []

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp(
            "The https URI to which a logout token is posted when one of its sessions ends.", valueName: "uri"))
    var backchannelLogoutURI: String?
}

/// Changes to what a client has to do with signing out.
struct ClientSignOutChange: ParsableArguments, Sendable {
    @Option(
        name: .customLong("add-post-logout-redirect-uri"),
        help: ArgumentHelp("Add a URI that sign-out may return to; may be repeated.", valueName: "uri"))
    var addedPostLogoutRedirectURIs: [String] = []

    @Option(
        name: .customLong("remove-post-logout-redirect-uri"),
        help: ArgumentHelp("Remove such a URI; may be repeated.", valueName: "uri"))
    var removedPostLogoutRedirectURIs: [String] = []

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp(
            "The https URI to which a logout token is posted when one of its sessions ends.", valueName: "uri"))
    var backchannelLogoutURI: String?
}

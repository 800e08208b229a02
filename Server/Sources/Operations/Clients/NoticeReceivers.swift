internal import Core
internal import Foundation
internal import Kernel
internal import Outbound
internal import Store
internal import WalletAuthWire

/// The URIs of clients for notices. Each is a receiver among those of webhooks: see ``WebhookNotice``.
struct NoticeReceivers: Sendable {
    let random: any RandomBytes
    let vault: Vault<WebhookField>
    let transport: any WebhookTransport

    /// The receiver at a URI that can be posted to, for ``WebhookEndpoints/setURI(_:on:)``.
    /// - Throws: ``AdministrationRefusal`` or `MalformedValue` for any other URI.
    func receiver(
        of client: String, at uri: String, for notice: WebhookNotice, now: Timestamp
    ) async throws -> WebhookEndpoint {
        let url = try WebURL(uri, field: notice.option).rawValue
        if let fault = try await transport.fault(of: url) {
            throw AdministrationRefusal(
                "Nothing can be posted to \(url): \(fault).", hint: fault.remedyOfURL, code: "webhook_unreachable")
        }
        let id = try random.timeOrderedID(now)
        // Nothing is signed with it, but each receiver's row has one.
        let secret = try vault.seal(Data(random.bytes(32)).base64EncodedString(), .secret, of: id)
        var endpoint = WebhookEndpoint(id: id, clientID: client, url: url, kinds: [], secret: secret, createdAt: now)
        endpoint.notice = notice
        return endpoint
    }
}

extension WebhookNotice {
    fileprivate var option: String {
        switch self {
        case .logout: "--backchannel-logout-uri"
        case .ping: "--ciba-notification-endpoint"
        }
    }
}

extension AdministrationRefusal {
    static var tooManyReceivers: AdministrationRefusal {
        AdministrationRefusal(
            "The client has \(WebhookEndpoint.limit) webhooks, which is the most.",
            hint: "Remove one with `walletauth webhook remove ID`.", code: "limit")
    }
}

extension JSONObject {
    /// Adds a client's back-channel logout URI, without its query, which may have a token.
    mutating func set(logoutURI: String?) { set("backchannelLogoutUri", logoutURI.map(Self.withoutQuery)) }

    /// Adds where it is notified, likewise.
    mutating func set(notificationEndpoint: String?) {
        set("backchannelNotificationEndpoint", notificationEndpoint.map(Self.withoutQuery))
    }

    /// Adds both, of those of all clients.
    mutating func set(uris: NoticeURIs, ofClient id: String) {
        set(logoutURI: uris[.logout]?[id])
        set(notificationEndpoint: uris[.ping]?[id])
    }

    private static func withoutQuery(_ uri: String) -> String { String(uri.prefix { $0 != "?" }) }
}

/// The URIs for notices, by client.
typealias NoticeURIs = [WebhookNotice: [String: String]]

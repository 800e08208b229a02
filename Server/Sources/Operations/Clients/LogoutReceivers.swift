internal import Core
internal import Foundation
internal import Kernel
internal import Outbound
internal import Store
internal import WalletAuthWire

/// The back-channel logout URIs of clients. Each is a receiver among those of webhooks: see ``LogoutNotice``.
struct LogoutReceivers: Sendable {
    let random: any RandomBytes
    let vault: Vault<WebhookField>
    let transport: any WebhookTransport

    /// The receiver at a URI that can be posted to, for ``WebhookEndpoints/setLogoutURI(_:on:)``.
    /// - Throws: ``AdministrationRefusal`` or `MalformedValue` for any other URI.
    func receiver(of client: String, at uri: String, now: Timestamp) async throws -> WebhookEndpoint {
        let url = try WebURL(uri, field: "--backchannel-logout-uri").rawValue
        if let fault = try await transport.fault(of: url) {
            throw AdministrationRefusal(
                "Nothing can be posted to \(url): \(fault).", hint: fault.remedyOfURL, code: "webhook_unreachable")
        }
        let id = try random.timeOrderedID(now)
        // Nothing is signed with it, but each receiver's row has one.
        let secret = try vault.seal(Data(random.bytes(32)).base64EncodedString(), .secret, of: id)
        var endpoint = WebhookEndpoint(id: id, clientID: client, url: url, kinds: [], secret: secret, createdAt: now)
        endpoint.hearsLogouts = true
        return endpoint
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
    mutating func set(logoutURI: String?) {
        set("backchannelLogoutUri", logoutURI.map { String($0.prefix { $0 != "?" }) })
    }
}

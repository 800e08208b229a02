internal import Core
internal import Kernel
internal import Outbound
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Makes the notifications of clients that wait for a person's decision (OpenID CIBA Core 1.0 §10.2).
struct Pings: Sendable {
    let database: any Database
    let vault: DeviceGrantVault

    init(_ context: ServerContext) {
        database = context.database
        vault = DeviceGrantVault(context.sealing)
    }

    /// - Returns: `nil` if the request is gone.
    func request(for event: WebhookDeliveryRecord, to url: String) async throws -> WebhookRequest? {
        guard let waiting = try await database.read({ try DeviceGrants.find(event.subject, on: $0) }),
            let notification = try vault.content(of: waiting).notification
        else { return nil }
        var body = JSONObject()
        body.set("auth_req_id", notification.requestID.reveal())
        return WebhookRequest(url: url, id: event.webhookID, body: body.bytes, bearer: notification.token)
    }
}

internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Gives a receiver another secret. Until the former one ends, every event is signed by both.
struct WebhookRotateSecret: AdminCommand {
    static let title = "webhook rotate-secret"
    static let access = CommandAccess.changing(.developer)
    static let abstract = "Give a receiver a new secret, shown only once; events are signed by both for a while."
    static let discussion = """
        Give the new secret to every process of the receiver before the former one ends: `webhook show` says when. A secret that \
        leaked ends at once with --overlap now.
        """

    @OptionGroup var webhook: IDOptions

    @Option(
        help: ArgumentHelp(
            "How long the former secret still signs: 30m, 24h or 7d, up to 30d, or `now` to end it at once.",
            valueName: "duration"))
    var overlap = "24h"

    @Flag(help: "Make no new secret, but end the former one now, because nothing uses it any more.")
    var endFormer = false

    var loggedTitle: String { Self.title + (endFormer ? " --end-former" : "") }

    func execute(in webhooks: WebhookAdministration) async throws -> AdministrationAnswer {
        let overlap = try endFormer ? nil : Duration.overlap(self.overlap)
        // By a wrong time, the former secret would end at once, or long after the operator believes.
        if overlap != nil { try await webhooks.clocks.requireAgreement() }
        let now = webhooks.clock.now()
        let seen = try await webhooks.find(webhook.id)
        try seen.requireEvents(for: Self.title)
        let former = seen.former.flatMap { now < $0.endsAt ? $0 : nil }
        var endpoint = seen
        var secret: String?
        if endFormer {
            guard former != nil else {
                throw AdministrationRefusal(
                    "Webhook \(webhook.id) has no former secret that still signs; nothing was changed.",
                    code: "no_change")
            }
            endpoint.former = nil
        } else {
            if overlap != nil, let former {
                throw AdministrationRefusal(
                    "The secret before this one works until \(former.endsAt.text), and a webhook has no more than two.",
                    hint: "Once nothing uses it, end it with `walletauth webhook rotate-secret \(webhook.id) "
                        + "--end-former`; --overlap now ends both.",
                    code: "overlap")
            }
            let made = webhooks.newSecret()
            endpoint.former = try overlap.map { overlap in
                let current = try webhooks.vault.bytes(seen.secret, .secret, of: seen.id)
                return WebhookEndpoint.Former(
                    secret: try webhooks.vault.seal(current, .formerSecret, of: seen.id), endsAt: now + overlap)
            }
            endpoint.secret = try webhooks.vault.seal(made, .secret, of: seen.id)
            secret = made
        }
        try await write(endpoint, seen: seen, in: webhooks, now: now)
        var json = endpoint.shown(at: now)
        json.set("secret", secret)
        let end =
            endpoint.former.map { "The former secret signs until \($0.endsAt.text)." }
            ?? "The former secret no longer signs."
        return .done(
            [secret.map { "Webhook \(webhook.id) has a new secret, shown only once: \($0)" }, end].compactMap { $0 },
            json)
    }

    private func write(
        _ endpoint: WebhookEndpoint, seen: WebhookEndpoint, in webhooks: WebhookAdministration, now: Timestamp
    ) async throws {
        var details = JSONObject()
        details.set("formerSecretEndsAt", endpoint.former?.endsAt.text)
        let entry = try webhooks.entry(.webhookSecretRotated, endpoint, details: details, now: now)
        let isWritten = try await webhooks.database.write { connection in
            guard try WebhookEndpoints.setSecrets(endpoint, seen: seen, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isWritten else {
            throw AdministrationRefusal(
                "Another command changed webhook \(webhook.id); check it, then try again.", code: "changed")
        }
    }
}

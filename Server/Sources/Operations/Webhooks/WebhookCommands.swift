internal import ArgumentParser
internal import Core
internal import Foundation
internal import Kernel
internal import Outbound
internal import Store
internal import WalletAuthWire

enum WebhookCommands: CommandNoun {
    static let title = "webhook"
    static let abstract = "Send events to backends, as Standard Webhooks."
    static let commands: [any AdminCommand.Type] = [
        WebhookAdd.self, WebhookList.self, WebhookShow.self, WebhookRemove.self, WebhookTest.self,
        WebhookRotateSecret.self, WebhookReplay.self,
    ]
}

/// The commands that add, test and remove the receivers of webhooks.
struct WebhookAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let clocks: ClockMonitor
    let random: any RandomBytes
    let auditLog: AuditLog
    let vault: Vault<WebhookField>
    let transport: any WebhookTransport
    let activity: WebhookActivity

    func find(_ text: String) async throws -> WebhookEndpoint {
        guard let id = UniqueID(uuid: text),
            let found = try await database.read({ try WebhookEndpoints.find(id, on: $0) })
        else { throw AdministrationRefusal.notFound("webhook", text) }
        return found
    }

    /// A secret, as receivers verify with it.
    func newSecret() -> String { "whsec_" + Data(random.bytes(32)).base64EncodedString() }

    func entry(
        _ event: AdministrationEvent, _ endpoint: WebhookEndpoint, details: JSONObject = JSONObject(), now: Timestamp
    ) throws -> AuditLog.Entry {
        var details = details
        details.set("webhookId", endpoint.id.uuid)
        details.set("brand", endpoint.brandID)
        return try auditLog.administration(event, client: endpoint.clientID, details: details, now: now)
    }
}

extension WebhookEndpoint {
    /// The URL without its query, which may have a token: lists and logs are read by more people than the command that added it.
    var shownURL: String { String(url.prefix { $0 != "?" }) }

    /// What operators see of it. It never has a secret.
    func shown(at now: Timestamp) -> JSONObject {
        var json = JSONObject()
        json.set("id", id.uuid)
        json.set("clientId", clientID)
        json.set("brand", brandID)
        json.set("url", shownURL)
        json.set("kinds", shownKinds)
        json.set("state", state.rawValue)
        json.set("failingSince", failingSince?.text)
        json.set("failure", failure)
        json.set("disabledAt", disabledAt?.text)
        if dropped > 0 { json.set("dropped", dropped) }
        json.set("droppedAt", droppedAt?.text)
        if let former, now < former.endsAt { json.set("formerSecretEndsAt", former.endsAt.text) }
        json.set("createdAt", createdAt.text)
        return json
    }

    fileprivate var shownKinds: [String] { notice.map { [$0.rawValue] } ?? kinds.map(\.rawValue) }

    /// - Throws: ``AdministrationRefusal`` for a client's URI that takes notices of one kind and nothing else.
    func requireEvents(for command: String) throws {
        guard let notice, let clientID else { return }
        let words: (name: String, gets: String, hint: String) =
            switch notice {
            case .logout: ("back-channel logout URI", "logout tokens", "Sign out of the client to try it.")
            case .ping: ("notification endpoint", "pings", "Have the client ask for a sign-in to try it.")
            }
        throw AdministrationRefusal(
            "\(id.uuid) is the \(words.name) of the client \(clientID), which gets \(words.gets) only: \(command) is for webhooks.",
            hint: words.hint, code: "contradiction")
    }

    fileprivate var owner: String { clientID.map { "client \($0)" } ?? brandID.map { "brand \($0)" } ?? "" }
}

struct WebhookAdd: AdminCommand {
    static let title = "webhook add"
    static let access = CommandAccess.changing(.developer)
    static let abstract = "Add a receiver for a client or a brand; its secret is shown only once."
    static let discussion = """
        A client's receiver hears of what happens through that client; a brand's, of everything at the brand's accounts. See \
        docs/webhooks.md for the bodies, and for verifying them.

          walletauth webhook add https://shop.example.com/hooks --client backend \\
              --kind transactions --kind wallet-operations
        """

    @Argument(help: "The https URL that events are posted to.")
    var url: String

    @Option(help: ArgumentHelp("The client whose events it hears of.", valueName: "id"))
    var client: String?

    @Option(help: ArgumentHelp("The brand whose events it hears of.", valueName: "id"))
    var brand: String?

    @Option(
        name: .customLong("kind"),
        help: ArgumentHelp("A kind of event; may be repeated. All kinds if omitted.", valueName: "kind"),
        completion: .list(WebhookKind.allCases.map(\.rawValue)))
    var kinds: [String] = []

    func checkRequest() throws {
        guard (client == nil) != (brand == nil) else { throw ValidationError("use either --client or --brand") }
    }

    func execute(in webhooks: WebhookAdministration) async throws -> AdministrationAnswer {
        let now = webhooks.clock.now()
        let kinds = try chosenKinds()
        if let fault = try await webhooks.transport.fault(of: url) {
            throw AdministrationRefusal(
                "Nothing can be posted to \(url): \(fault).", hint: fault.remedyOfURL, code: "webhook_unreachable")
        }
        let (id, secret) = (try webhooks.random.timeOrderedID(now), webhooks.newSecret())
        let endpoint = WebhookEndpoint(
            id: id, clientID: client, brandID: brand, url: url, kinds: kinds,
            secret: try webhooks.vault.seal(secret, .secret, of: id), createdAt: now)
        var details = JSONObject()
        details.set("url", endpoint.shownURL)
        details.set("kinds", kinds.map(\.rawValue))
        let entry = try webhooks.entry(.webhookAdded, endpoint, details: details, now: now)
        let refusal = try await webhooks.database.write { connection -> AdministrationRefusal? in
            if let client, try !Clients.isRegistered(client, on: connection) { return .notFound("client", client) }
            if let brand, try Brands.find(brand, on: connection) == nil { return .notFound("brand", brand) }
            guard try WebhookEndpoints.add(endpoint, on: connection) else {
                return AdministrationRefusal(
                    "The \(endpoint.owner) has \(WebhookEndpoint.limit) webhooks, which is the most.",
                    hint: "Remove one with `walletauth webhook remove ID`.", code: "limit")
            }
            try entry.write(on: connection)
            return nil
        }
        if let refusal { throw refusal }
        var json = endpoint.shown(at: now)
        json.set("secret", secret)
        return .done(
            [
                "Webhook \(id.uuid) added for \(endpoint.owner). Its secret, shown only once: \(secret)",
                "Try it with `walletauth webhook test \(id.uuid)`.",
            ], json)
    }

    private func chosenKinds() throws -> [WebhookKind] {
        guard !kinds.isEmpty else { return WebhookKind.allCases }
        let chosen = try kinds.map { name in
            guard let kind = WebhookKind(rawValue: name) else {
                throw AdministrationRefusal(
                    "--kind must be one of \(WebhookKind.allCases.map(\.rawValue).joined(separator: ", ")).",
                    code: "malformed")
            }
            return kind
        }
        return WebhookKind.allCases.filter(chosen.contains)
    }
}

struct WebhookList: AdminCommand {
    static let title = "webhook list"
    static let access = CommandAccess.reading(.developer, .auditor)
    static let abstract = "List the receivers and their states."

    var effect: CommandEffect { .reads }

    func execute(in webhooks: WebhookAdministration) async throws -> AdministrationAnswer {
        let now = webhooks.clock.now()
        let found = try await webhooks.database.everyPage { last, limit, connection in
            try WebhookEndpoints.list(after: last?.id, limit: limit, on: connection)
        }
        let rows = found.map { endpoint -> AdministrationAnswer.Row in
            (
                [
                    endpoint.id.uuid, endpoint.owner, endpoint.state.rawValue, endpoint.failure ?? "",
                    endpoint.shownURL,
                ], endpoint.shown(at: now)
            )
        }
        return .list(
            "webhooks", columns: ["ID", "OF", "STATE", "LATEST FAILURE", "URL"], rows, empty: "No webhooks.")
    }
}

struct WebhookShow: AdminCommand {
    static let title = "webhook show"
    static let access = CommandAccess.reading(.developer, .auditor)
    static let abstract = "Show a receiver, and how many events wait for it."

    @OptionGroup var webhook: IDOptions

    var effect: CommandEffect { .reads }

    func execute(in webhooks: WebhookAdministration) async throws -> AdministrationAnswer {
        let now = webhooks.clock.now()
        let endpoint = try await webhooks.find(webhook.id)
        let waiting = try await webhooks.database.read {
            try WebhookDeliveries.waiting(of: endpoint.id, now: now, on: $0)
        }
        var json = endpoint.shown(at: now)
        json.set("waiting", waiting.count)
        json.set("waitingSince", waiting.since?.text)
        var facts = [
            ("id", endpoint.id.uuid), ("of", endpoint.owner), ("URL", endpoint.shownURL),
            ("kinds", endpoint.shownKinds.joined(separator: ", ")), ("state", endpoint.state.rawValue),
            ("waiting", String(waiting.count)),
        ]
        if let since = waiting.since { facts.append(("waiting since", since.text)) }
        if let since = endpoint.failingSince { facts.append(("failing since", since.text)) }
        if let failure = endpoint.failure { facts.append(("latest failure", failure)) }
        if let at = endpoint.droppedAt { facts.append(("dropped", "\(endpoint.dropped), the latest at \(at.text)")) }
        if let end = json["formerSecretEndsAt"]?.string { facts.append(("former secret works until", end)) }
        return .facts(facts.map { (name: $0.0, value: $0.1) }, json)
    }
}

struct WebhookRemove: AdminCommand {
    static let title = "webhook remove"
    static let access = CommandAccess.changing(.developer)
    static let abstract = "Remove a receiver, with the events that wait for it."

    @OptionGroup var webhook: IDOptions

    func execute(in webhooks: WebhookAdministration) async throws -> AdministrationAnswer {
        let now = webhooks.clock.now()
        let endpoint = try await webhooks.find(webhook.id)
        let entry = try webhooks.entry(.webhookRemoved, endpoint, now: now)
        let isRemoved = try await webhooks.database.write { connection in
            guard try WebhookEndpoints.remove(endpoint.id, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isRemoved else { throw AdministrationRefusal.notFound("webhook", webhook.id) }
        var count: Int
        repeat {
            count = try await webhooks.database.write(isolation: .guardedStatement) {
                try WebhookDeliveries.discard(of: endpoint.id, limit: WebhookDeliveries.page, on: $0)
            }
        } while count == WebhookDeliveries.page
        return .done("Webhook \(webhook.id) removed.", JSONObject(strings: ["id": webhook.id]))
    }
}

/// Posts an event that nothing has caused, and waits for the answer.
struct WebhookTest: AdminCommand {
    static let title = "webhook test"
    static let access = CommandAccess.changing(.developer)
    static let abstract = "Post a test event now, and report the answer."

    @OptionGroup var webhook: IDOptions

    func execute(in webhooks: WebhookAdministration) async throws -> AdministrationAnswer {
        let now = webhooks.clock.now()
        let endpoint = try await webhooks.find(webhook.id)
        try endpoint.requireEvents(for: Self.title)
        let test = endpoint.test(
            try webhooks.random.timeOrderedID(now), at: now, by: webhooks.vault.signatures(of: endpoint, at: now))
        let id = test.id
        let entry = try webhooks.entry(
            .webhookTested, endpoint, details: JSONObject(strings: ["eventId": id]), now: now)
        _ = try await webhooks.database.write { try entry.write(on: $0) }
        let outcome = try await webhooks.transport.post(test, now: now)
        let failure: String
        switch outcome {
        case .delivered:
            if endpoint.state == .unreachable { try await endpoint.noteSuccess(now: now, in: webhooks.database) }
            let remarks =
                endpoint.state == .disabled
                ? ["It is switched off: `walletauth webhook replay \(webhook.id)` switches it on."] : []
            return .done(
                ["Webhook \(webhook.id) has accepted the event \(id)."] + remarks,
                JSONObject(
                    strings: [
                        "id": webhook.id, "eventId": id,
                        "state": (endpoint.state == .disabled ? .disabled : WebhookEndpoint.State.active).rawValue,
                    ]))
        case .notSent(let reason):
            throw AdministrationRefusal("The event was not sent: \(reason).", code: "busy")
        case .failed(let reason, _), .rejected(let reason, _): failure = reason
        case .gone: failure = "status 410, by which it asks for no more webhooks"
        }
        throw AdministrationRefusal(
            "Webhook \(webhook.id) did not accept the event: \(failure).",
            hint: "It has to answer with a status from 200 to 299 within ten seconds.", code: "webhook_unreachable")
    }
}

struct WebhookReplay: AdminCommand {
    static let title = "webhook replay"
    static let access = CommandAccess.changing(.developer)
    static let abstract = "Switch a receiver on, and deliver at once what waits for it."
    static let discussion = """
        With --since, events of that time are delivered again, under the same ids, even if they were accepted; they are kept for \
        a day after that. Waiting events are kept for seven days.
        """

    @OptionGroup var webhook: IDOptions

    @Option(
        help: ArgumentHelp(
            "Also deliver again what was accepted: the events of this long, such as 30m or 24h.", valueName: "duration")
    )
    var since: String?

    func execute(in webhooks: WebhookAdministration) async throws -> AdministrationAnswer {
        let now = webhooks.clock.now()
        let endpoint = try await webhooks.find(webhook.id)
        let start = try since.map { text in
            guard let duration = Duration(typed: text), duration > .zero, duration <= BackendEvent.lifetime else {
                throw AdministrationRefusal(
                    "--since must be a duration with its unit up to 7d, such as 30m or 24h.", code: "malformed")
            }
            return now - duration
        }
        var details = JSONObject()
        details.set("since", start?.text)
        let entry = try webhooks.entry(.webhookReplayed, endpoint, details: details, now: now)
        try await webhooks.database.write { connection in
            try WebhookEndpoints.enable(endpoint.id, on: connection)
            try entry.write(on: connection)
        }
        // A page in each write, so that others do not wait. One statement, which no event that is delivered meanwhile undoes.
        var again: Int64 = 0
        var count: Int
        repeat {
            guard let start else { break }
            count = try await webhooks.database.write(isolation: .guardedStatement) {
                try WebhookDeliveries.replay(endpoint.id, since: start, now: now, limit: WebhookDeliveries.page, on: $0)
            }
            again += Int64(count)
        } while count == WebhookDeliveries.page
        repeat {
            count = try await webhooks.database.write(isolation: .guardedStatement) {
                try WebhookDeliveries.makeDue(of: endpoint.id, now: now, limit: WebhookDeliveries.page, on: $0)
            }
        } while count == WebhookDeliveries.page
        let waiting = try await webhooks.database.read {
            try WebhookDeliveries.waiting(of: endpoint.id, now: now, on: $0)
        }
        webhooks.activity.signal.wake()
        var json = JSONObject()
        json.set("id", webhook.id)
        json.set("events", waiting.count)
        json.set("again", again)
        return .done(
            "Webhook \(webhook.id) is on, and \(waiting.count) events are being delivered, \(again) of them again.",
            json)
    }
}

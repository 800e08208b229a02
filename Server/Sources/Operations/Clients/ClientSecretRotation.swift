internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Gives a client another secret. The former one stays for a while, so that a backend can change without a gap.
struct ClientRotateSecret: AdminCommand {
    static let title = "client rotate-secret"
    static let access = CommandAccess.changing(.developer)
    static let abstract =
        "Give a confidential client a new secret, shown only once; the former one works a while longer."
    static let discussion = """
        Give the new secret to every process of the backend before the former one ends: `client show` says when. Sessions and \
        tokens continue. A secret that leaked ends at once with --overlap now.

          walletauth client rotate-secret backend --overlap 7d
        """

    @OptionGroup var client: IDOptions

    @Option(
        help: ArgumentHelp(
            "How long the former secret still works: 30m, 24h or 7d, up to 30d, or `now` to end it at once.",
            valueName: "duration"))
    var overlap = "24h"

    @Flag(help: "Make no new secret, but end the former one now, because nothing uses it any more.")
    var endFormer = false

    var loggedTitle: String { Self.title + (endFormer ? " --end-former" : "") }

    var target: CommandTarget { .client(client.id, .credentials) }

    func execute(in clients: ClientAdministration) async throws -> AdministrationAnswer {
        if endFormer { return try await clients.endFormerSecret(of: client.id) }
        return try await clients.rotateSecret(of: client.id, overlap: try Duration.overlap(overlap))
    }
}

extension ClientAdministration {
    /// - Parameter overlap: how long the former secret is still accepted; `nil` ends it at once.
    /// - Throws: `AdministrationRefusal` if the client has no secret, or already has two and an overlap is asked for.
    func rotateSecret(of id: String, overlap: Duration?) async throws -> AdministrationAnswer {
        // By a wrong time, the former secret would end at once, or long after the operator believes.
        if overlap != nil { try await clocks.requireAgreement() }
        let now = clock.now()
        var record = try await clientWithSecret(id)
        if overlap != nil, let former = record.formerSecret, former.isAccepted(at: now) {
            // A third secret would end one that a backend may use, without anyone noticing before.
            throw AdministrationRefusal(
                "The secret before this one works until \(former.endsAt.text), and a client has no more than two.",
                hint:
                    "Once nothing uses it, end it with `walletauth client rotate-secret \(CommandLineSyntax.quoted(id)) "
                    + "--end-former`; --overlap now ends both.",
                code: "overlap")
        }
        let secret = newSecret()
        record.formerSecret = record.secretHash.flatMap { hash in
            overlap.map { FormerSecret(hash: hash, endsAt: now + $0) }
        }
        record.secretHash = secret.hash
        var json = try await write(record, now: now)
        json.set("clientSecret", secret.text)
        let end =
            record.formerSecret.map { "The former secret works until \($0.endsAt.text)." }
            ?? "The former secret no longer works."
        return .done(["Client \(id) has a new secret, shown only once: \(secret.text)", end], json)
    }

    func endFormerSecret(of id: String) async throws -> AdministrationAnswer {
        let now = clock.now()
        var record = try await clientWithSecret(id)
        guard let former = record.formerSecret, former.isAccepted(at: now) else {
            throw AdministrationRefusal(
                "Client \(id) has no former secret that still works; nothing was changed.", code: "no_change")
        }
        record.formerSecret = nil
        return .done(["The former secret of client \(id) no longer works."], try await write(record, now: now))
    }

    private func clientWithSecret(_ id: String) async throws -> ClientRecord {
        guard let record = try await database.read({ try Clients.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("client", id)
        }
        guard record.authenticationMethod.hasSecret else {
            throw AdministrationRefusal(
                "Client \(id) has no secret: its authentication method is \(record.authenticationMethod.rawValue).",
                hint: record.authenticationMethod == .privateKeyJWT
                    ? "Replace its keys with `walletauth client update \(CommandLineSyntax.quoted(id)) --jwks FILE`."
                    : nil,
                code: "contradiction")
        }
        return record
    }

    /// Writes a client whose secrets have changed, with its entry in the audit log.
    /// - Returns: what operators see of it.
    private func write(_ seen: ClientRecord, now: Timestamp) async throws -> JSONObject {
        var record = seen
        record.updatedAt = now
        var details = JSONObject()
        details.set("formerSecretEndsAt", record.formerSecret?.endsAt.text)
        let entry = try auditLog.administration(
            AdministrationEvent.clientSecretRotated, client: record.id, details: details, now: now)
        try await database.write { [record] connection in
            guard try Clients.update(record, seen: seen.updatedAt, on: connection) else {
                throw AdministrationRefusal.changedMeanwhile(client: record.id)
            }
            try entry.write(on: connection)
        }
        directory.forget(try ClientID(record.id))
        // A client with a secret is not on people's devices.
        return try record.shown(at: now, among: [])
    }
}

extension AdministrationRefusal {
    static func changedMeanwhile(client id: String) -> AdministrationRefusal {
        AdministrationRefusal("Another command changed client \(id); check it, then try again.", code: "changed")
    }
}

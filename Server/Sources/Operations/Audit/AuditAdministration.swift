internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The commands about the audit log.
///
/// This folder owns its verification, reports and exports. The log is written in `AuthEvents/Audit`.
extension Administration {
    func execute(_ command: AuditCommand) async throws -> AdministrationAnswer {
        switch command {
        case .verify(let path): return try await verifyAudit(checkpoints: path)
        case .checkpoint: return try await makeCheckpoint()
        case .key: return try showAuditKeys()
        case .tail(let account, let kind, let limit):
            return try await tail(account: account, kind: kind, limit: limit)
        case .follow(let account, let kind, let cursor):
            return try await follow(account: account, kind: kind, cursor: cursor)
        }
    }

    private func verifyAudit(checkpoints path: String?) async throws -> AdministrationAnswer {
        let checkpoints = path.map { Audit.Checkpoints.copy($0) } ?? .own
        let report = AuditReport(try await Audit(context: context).verify(checkpoints: checkpoints))
        return AdministrationAnswer(
            status: report.isSound ? .done : .refused, lines: report.lines, json: JSONValue.object(report.json).text)
    }

    private func makeCheckpoint() async throws -> AdministrationAnswer {
        do {
            let checkpoint = try await Audit(context: context).checkpoint(now: context.clock.now())
            var json = JSONObject()
            json.set("checkpoint", checkpoint)
            return .done(checkpoint, json)
        } catch let damage as Audit.Damaged {
            throw AdministrationRefusal("No checkpoint was made: \(damage.description).", code: "damaged")
        } catch let failure as AuditArchiveFailure {
            throw AdministrationRefusal("No checkpoint was made: \(failure.description).", code: "file")
        }
    }

    private func showAuditKeys() throws -> AdministrationAnswer {
        let keys = try Audit(context: context).publicKeys(now: context.clock.now())
        let json = JWKSet(keys).json
        return .done(JSONValue.object(json).text, json)
    }

    private func tail(account: AccountReference?, kind: String?, limit: Int?) async throws -> AdministrationAnswer {
        let limit = limit ?? 20
        guard (1...1000).contains(limit) else {
            throw AdministrationRefusal("--limit must be from 1 to 1000.", code: "malformed")
        }
        try requireKnown(kind)
        let (records, cursor) = try await context.database.read { connection in
            let account = try account.map { try $0.find(on: connection).id }
            return (
                try AuditChains.recent(account: account, kind: kind, limit: limit, on: connection),
                try AuditPartition.all.map { try AuditChains.head(of: $0, on: connection).sequence }
            )
        }
        return entries(records.reversed(), cursor: cursor)
    }

    /// With a mistyped kind, the answer would look as if nothing had happened.
    private func requireKnown(_ kind: String?) throws {
        let all = (Self.eventKinds.map { $0.rawValue } + flows.flatMap(\.eventKinds)).sorted()
        guard let kind, !all.contains(kind) else { return }
        // Suggests kinds of the same family, if there are any: `account` as well as `account.signedin` finds them.
        let family = kind.prefix { $0 != "." } + "."
        let near = all.filter { $0.hasPrefix(family) }
        throw AdministrationRefusal(
            "There is no kind of entry \(kind). Kinds are: \((near.isEmpty ? all : near).joined(separator: ", ")).",
            code: "not_found")
    }

    private func follow(
        account: AccountReference?, kind: String?, cursor: [Int64]
    ) async throws -> AdministrationAnswer {
        guard cursor.count == AuditPartition.all.count else {
            throw AdministrationRefusal("The cursor was not issued by `audit tail`.", code: "malformed")
        }
        try requireKnown(kind)
        let (records, next) = try await context.database.read { connection in
            let account = try account.map { try $0.find(on: connection).id }
            var records: [UnverifiedEvent] = []
            var next: [Int64] = []
            for (partition, last) in zip(AuditPartition.all, cursor) {
                let page = try AuditChains.page(of: partition, after: last, limit: 1000, on: connection)
                next.append(page.last?.entry.sequence ?? last)
                records += page.filter { record in
                    (account == nil || record.entry.account == account?.bytes)
                        && (kind == nil || record.entry.kind == kind)
                }
            }
            return (records.sorted { $0.entry.occurredAt < $1.entry.occurredAt }, next)
        }
        return entries(records, cursor: next)
    }

    private func entries(_ records: [UnverifiedEvent], cursor: [Int64]) -> AdministrationAnswer {
        var json = JSONObject()
        json["entries"] = .array(records.map { .object($0.json) })
        json["cursor"] = .array(cursor.map { .integer($0) })
        return .done(records.map(\.line), json)
    }
}

extension UnverifiedEvent {
    private var accountText: String? { entry.account.flatMap { UniqueID(bytes: $0) }?.uuid }

    /// One line for people: time, place, kind, account, client, details.
    fileprivate var line: String {
        let place = "\(entry.partition)/\(entry.sequence)"
        let padding = String(repeating: " ", count: max(0, 9 - place.count))
        let about = [accountText.map { "account=\($0)" }, entry.client.map { "client=\($0)" }, details]
        return ([entry.occurredAt.text, place + padding, entry.kind] + about.compactMap { $0 }).joined(separator: "  ")
    }

    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.set("partition", entry.partition.rawValue)
        json.set("sequence", entry.sequence)
        json.set("id", UniqueID(bytes: entry.id)?.uuid)
        json.set("occurredAt", entry.occurredAt.text)
        json.set("kind", entry.kind)
        json.set("accountId", accountText)
        json.set("clientId", entry.client)
        json["details"] = (try? JSONValue.object(parsing: Array(details.utf8))).map { .object($0) }
        json.set("link", Base64URL.encode(link))
        return json
    }
}

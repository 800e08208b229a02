internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What happened to an account, in sentences for its holder: the events of the audit log that concern them.
///
/// Who did what for the operator is not in it, and neither are kinds that say nothing to people.
struct ActivityList: Sendable {
    let database: any Database
    let sealing: SealingKeys

    /// The entries of a page.
    private static let pageSize = 20
    /// The events read for a page. An account may have thousands that do not concern people.
    private static let readAtMost = 1000
    private static let batch = 100

    /// The place in the list after a page. It is sealed, since the id of an event is not for apps.
    private struct Cursor: Codable, Sendable {
        var account: String
        var before: String
    }

    private var cursors: SealedState<Cursor> {
        SealedState(sealing, purpose: .signIn, label: "account-activity", lifetime: .days(1), restore: .spares)
    }

    /// The newest first.
    /// - Parameter cursor: of the page before.
    /// - Throws: `MalformedValue` for a cursor that is not this account's.
    func page(
        after cursor: String?, of account: AccountRecord, in language: Language, now: Timestamp
    ) async throws -> AccountActivity {
        var before = try cursor.map { try opened($0, of: account.id, now: now) }
        var entries: [AccountActivity.Entry] = []
        var names: [String: String] = [:]
        var read = 0
        repeat {
            let start = before
            let (events, clients) = try await database.read { connection in
                let events = try SecurityEvents.list(
                    of: account.id, before: start, limit: Self.batch, on: connection)
                let clients = try Set(events.compactMap(\.clientID)).map { id in
                    (id, try Clients.find(id, on: connection)?.name)
                }
                return (events, clients)
            }
            for (id, name) in clients { names[id] = name }
            for event in events {
                before = event.id
                read += 1
                guard let entry = Self.entry(event, app: event.clientID.flatMap { names[$0] }, in: language) else {
                    continue
                }
                entries.append(entry)
                if entries.count == Self.pageSize { break }
            }
            if entries.count < Self.pageSize, events.count < Self.batch {
                return AccountActivity(entries: entries, cursor: nil)
            }
        } while entries.count < Self.pageSize && read < Self.readAtMost
        let next = try before.map {
            try cursors.seal(Cursor(account: account.id.uuid, before: $0.uuid), now: now)
        }
        return AccountActivity(entries: entries, cursor: next)
    }

    private func opened(_ cursor: String, of account: UniqueID, now: Timestamp) throws -> UniqueID {
        guard let opened = cursors.open(cursor, now: now), opened.account == account.uuid,
            let before = UniqueID(uuid: opened.before)
        else { throw MalformedValue(field: "cursor", reason: "is not one of this list, or has expired") }
        return before
    }

    /// - Parameter app: the name of the client through which it happened.
    /// - Returns: `nil` if the event does not concern the holder.
    static func entry(_ event: SecurityEvent, app: String?, in language: Language) -> AccountActivity.Entry? {
        guard let text = ActivityText.byKind[event.kind] else { return nil }
        let details = try? JSONValue.object(parsing: Array(event.details.utf8))
        return AccountActivity.Entry(
            at: NumericDate(clamping: event.occurredAt.seconds), text: language.activityText[text], app: app,
            address: details?["address"]?.string)
    }
}

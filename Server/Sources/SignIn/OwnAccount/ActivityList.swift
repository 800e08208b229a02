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
    let dependents: [any DependentRows]

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

    struct Page: Sendable {
        var activity: AccountActivity
        /// The browser of each entry; `nil` for one that is not known, and for an app.
        var browsers: [BrowserKind?]
        /// Whether it has a payment whose amount and payee are stored and not shown.
        var hidesPayments: Bool
    }

    /// The newest first.
    /// - Parameters:
    ///   - cursor: of the page before.
    ///   - showsPayments: whether payments are shown with amount and payee.
    /// - Throws: `MalformedValue` for a cursor that is not this account's.
    func page(
        after cursor: String?, of account: AccountRecord, showsPayments: Bool = true, in language: Language,
        now: Timestamp
    ) async throws -> Page {
        var before = try cursor.map { try opened($0, of: account.id, now: now) }
        var shown: [SecurityEvent] = []
        var names: [String: String] = [:]
        var (read, isLast) = (0, false)
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
                guard ActivityText.byKind[event.kind] != nil else { continue }
                shown.append(event)
                if shown.count == Self.pageSize { break }
            }
            isLast = shown.count < Self.pageSize && events.count < Self.batch
        } while !isLast && shown.count < Self.pageSize && read < Self.readAtMost
        let payments = try await payments(in: shown, of: account.id, language)
        let brand = try await database.read { try Brands.find(account.brandID, on: $0)?.name }
        let entries = Self.causesFirst(shown).compactMap { event in
            Self.entry(
                event, app: event.clientID.flatMap { names[$0] }, payment: showsPayments ? payments[event.id] : nil,
                brand: brand, in: language
            ).map { (entry: $0, browser: Self.browser(of: event)) }
        }
        let next = try before.map {
            try cursors.seal(Cursor(account: account.id.uuid, before: $0.uuid), now: now)
        }
        return Page(
            activity: AccountActivity(entries: entries.map(\.entry), cursor: isLast ? nil : next),
            browsers: entries.map(\.browser),
            hidesPayments: !showsPayments && !payments.isEmpty)
    }

    /// Amount and payee of the payments among events, by the event.
    private func payments(
        in events: [SecurityEvent], of account: UniqueID, _ language: Language
    ) async throws -> [UniqueID: String] {
        let asked = events.filter { ActivityText.byKind[$0.kind]?.ofPayment != nil }
        guard !asked.isEmpty else { return [:] }
        return try await database.read { connection in
            var found: [UniqueID: String] = [:]
            for event in asked {
                guard let details = try? JSONValue.object(parsing: Array(event.details.utf8)) else { continue }
                for rows in dependents where found[event.id] == nil {
                    found[event.id] = try rows.payment(
                        details, of: account, in: language, sealing: sealing, on: connection)
                }
            }
            return found
        }
    }

    private func opened(_ cursor: String, of account: UniqueID, now: Timestamp) throws -> UniqueID {
        guard let opened = cursors.open(cursor, now: now), opened.account == account.uuid,
            let before = UniqueID(uuid: opened.before)
        else { throw MalformedValue(field: "cursor", reason: "is not one of this list, or has expired") }
        return before
    }

    /// Of a sign-in and the session that it replaced in the same second, puts the sign-in first, although it happened before: read from
    /// the top, the list then gives the reason first.
    /// - Parameter events: the newest first.
    static func causesFirst(_ events: [SecurityEvent]) -> [SecurityEvent] {
        var events = events
        var index = 0
        while index + 1 < events.count {
            let (later, earlier) = (events[index], events[index + 1])
            let details = try? JSONValue.object(parsing: Array(later.details.utf8))
            guard ActivityText.byKind[earlier.kind] == .accountSignedIn, earlier.clientID == later.clientID,
                earlier.occurredAt.seconds == later.occurredAt.seconds, let kind = ActivityText.byKind[later.kind],
                ActivityDetailText(kind, details ?? JSONObject()) == .sessionReplaced
            else {
                index += 1
                continue
            }
            events.swapAt(index, index + 1)
            index += 2
        }
        return events
    }

    private static func browser(of event: SecurityEvent) -> BrowserKind? {
        let details = try? JSONValue.object(parsing: Array(event.details.utf8))
        let kind = BrowserKind(userAgent: details?["user_agent"]?.string)
        return kind.browser == nil ? nil : kind
    }

    /// - Parameters:
    ///   - app: the name of the client through which it happened.
    ///   - payment: amount and payee.
    ///   - brand: whose operators may have done it; `nil` does not say so.
    /// - Returns: `nil` if the event does not concern the holder.
    static func entry(
        _ event: SecurityEvent, app: String?, payment: String? = nil, brand: String? = nil, in language: Language
    ) -> AccountActivity.Entry? {
        guard let kind = ActivityText.byKind[event.kind] else { return nil }
        let details = try? JSONValue.object(parsing: Array(event.details.utf8))
        var text = language.holderSentence(kind, details ?? JSONObject(), by: brand)
        if let payment, let words = kind.ofPayment {
            text = language.activityPaymentText[words, ["payment": payment]]
        }
        return AccountActivity.Entry(
            at: NumericDate(clamping: event.occurredAt.seconds), text: text, app: app,
            address: details?["address"]?.string)
    }
}

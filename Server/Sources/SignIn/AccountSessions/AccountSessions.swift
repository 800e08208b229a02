package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// An open session of an account, as shown to its holder.
package struct AccountSession: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// An app, by its client's name; and the enrolled device it was opened on, or whose key it has.
        case app(name: String, device: UniqueID?)
        case browser(BrowserKind, isThisOne: Bool)
    }

    /// Names it in the form.
    package var id: String
    package var place: Place
    /// When it was opened.
    package var since: Timestamp
    /// `nil` if it was not used since. Of an app, when a refresh last rotated its token, since the server records no other use.
    package var lastUsedAt: Timestamp?
    /// From where it was last used: of an app, where the day of its last use began; `nil` if that is not known, or not to be shown.
    package var network: String?

    var isOfThisBrowser: Bool {
        if case .browser(_, isThisOne: true) = place { true } else { false }
    }
}

extension AccountSession {
    /// As many as a person reads. "End all others" also ends those that are not listed.
    private static let limit = 50

    /// This browser's first, then the others of browsers and those of apps, the newest first.
    /// - Parameters:
    ///   - own: the hash of the calling browser's session.
    ///   - devices: the account's.
    ///   - vault: opens the networks; `nil` lists none.
    static func list(
        of account: UniqueID, own: [UInt8], devices: [DeviceRecord], networks vault: SessionVault?, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [AccountSession] {
        let networks = vault == nil ? [:] : try Sessions.networks(of: account, on: connection)
        let browsers = try BrowserSessions.living(of: account, now: now, limit: limit, on: connection)
            .compactMap { session in
                session.publicID.map {
                    AccountSession(
                        id: $0.uuid, place: .browser(session.kind, isThisOne: session.idHash == own),
                        since: session.createdAt,
                        lastUsedAt: session.lastUsedAt > session.createdAt ? session.lastUsedAt : nil,
                        network: vault?.network(of: session))
                }
            }
        var names: [String: String] = [:]
        let apps = try Sessions.living(of: account, now: now, limit: limit, on: connection).map { session in
            let client = session.facts.signedInTo
            let name = try names[client] ?? Clients.find(client, on: connection)?.name ?? client
            names[client] = name
            // A sign-in in the browser does not name the device whose app it is for.
            let ofKey = devices.first { $0.dpopThumbprint == session.facts.dpopThumbprint }?.id
            return AccountSession(
                id: session.id.uuid, place: .app(name: name, device: session.facts.deviceID ?? ofKey),
                since: session.facts.createdAt, lastUsedAt: session.generation > 0 ? session.rotatedAt : nil,
                network: vault?.network(of: session.id, in: networks))
        }
        return browsers.filter(\.isOfThisBrowser) + browsers.filter { !$0.isOfThisBrowser } + apps
    }
}

/// Lets the holder end sessions on the account's page.
///
/// Requires a sign-in on this page, minutes old and as strong as the account allows: someone with the password alone must not sign
/// the holder out of everything. An end is a revocation (decision 143), since the
/// holder may not know who opened the session.
struct AccountSessions: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let stepUp: StepUp

    /// Ends a session of an app or another browser. A form that arrives twice succeeds twice.
    func end(_ id: String, call: PageCaller) async throws -> Result<Void, FactorRefusal> {
        guard let session = UniqueID(uuid: id), session != call.sessionID else { return .failure(.notFound) }
        // The app hears of the end of its session, and not this page.
        let owner = try await database.read { try Sessions.find(session, on: $0)?.facts }
        let client = owner.flatMap { $0.accountID == call.account.id ? $0.signedInTo : nil }
        return try await once(
            ["session", session.uuid], call, .ended, details: .naming(session: session), telling: client
        ) { connection, now in
            guard try Self.end(session, of: call.account.id, now: now, on: connection) else {
                return .failure(.notFound)
            }
            return .success([])
        }
    }

    /// Ends every session but this browser's, those on devices included, and voids sign-ins in progress. The holder is notified, since a
    /// thief who can prove as much as they could sign them out of every phone.
    func endOthers(call: PageCaller) async throws -> Result<Void, FactorRefusal> {
        try await once(["sessions"], call, .othersEnded, AccountSessionMessage.othersEnded) { connection, now in
            // Read before the sessions end: each of these clients hears that its own did.
            let clients = try Sessions.clients(of: call.account.id, now: now, on: connection)
            guard try Accounts.raiseSecurityVersion(of: call.account.id, on: connection) != nil else {
                return .failure(.accountChanged)
            }
            try call.endOtherSessions(because: .endedByHolder, now: now, on: connection)
            return .success(clients)
        }
    }

    /// - Parameters:
    ///   - client: whose session it is, if it is one client's.
    ///   - change: returns the clients whose sessions it ended, if they may be several.
    private func once(
        _ trace: [String], _ call: PageCaller, _ event: AccountSessionEvent, _ message: AccountSessionMessage? = nil,
        details: JSONObject = JSONObject(), telling client: String? = nil,
        _ change: @Sendable @escaping (any SQLConnection, Timestamp) throws -> Result<[String], FactorRefusal>
    ) async throws -> Result<Void, FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        if let refusal = policy.refusalUnlessFresh(try await policy.facts()) { return .failure(refusal) }
        var entry =
            if let message { try auditLog.entry(event, message: message, call: call) } else {
                try auditLog.entry(
                    event, account: call.account.id, client: call.clientID, origin: call.origin, now: call.now,
                    details: details)
            }
        if let client { entry = entry.telling(client: client) }
        let refusal = try await database.write { [entry] connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) { return refusal }
            switch try change(connection, clock.writeTime(since: call.now)) {
            case .failure(let refusal): return refusal
            case .success(let clients):
                try call.remember(trace, by: stepUp.keyRing, on: connection)
                try entry.telling(owners: clients).write(on: connection)
                return nil
            }
        }
        guard let refusal else { return .success(()) }
        return try await call.hasMade(trace, by: stepUp.keyRing, in: database) ? .success(()) : .failure(refusal)
    }

    /// - Returns: whether the account had such a session.
    private static func end(
        _ id: UniqueID, of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        if let session = try Sessions.find(id, on: connection) {
            guard session.facts.accountID == account else { return false }
            return try Sessions.end(id, because: .endedByHolder, now: now, on: connection)
        }
        let browsers = try BrowserSessions.living(of: account, now: now, limit: Int(Int32.max), on: connection)
        guard let browser = browsers.first(where: { $0.publicID == id }) else { return false }
        try Accounts.distrustDevices(of: account, because: .endedByHolder, now: now, on: connection)
        return try BrowserSessions.end(browser.idHash, on: connection)
    }
}

/// The events of sessions that the holder or their app ends.
package enum AccountSessionEvent: String, SecurityEventKind, CaseIterable {
    case signedOut = "session.signed_out"
    case ended = "session.ended_by_holder"
    case othersEnded = "session.others_ended_by_holder"

    package var webhookKind: WebhookKind? { .sessions }
}

/// The message about sessions that the holder ends.
package enum AccountSessionMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case othersEnded = "sessions_ended"

    package var kind: AccountSessionMessage { self }
}

extension AccountSessionMessage {
    package var template: MessageTemplate { MessageTemplate(advice: .protect) }
}

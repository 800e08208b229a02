package import Core
internal import Kernel
internal import Outbound
package import Store
internal import WalletAuthWire

/// What a push tells of. Only its id and kind reach the push service.
package struct ApprovalSubject: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case transaction, operation
    }

    package var kind: Kind
    package var id: UniqueID
    /// The push is void from then on.
    package var expiresAt: Timestamp

    package init(kind: Kind, id: UniqueID, expiresAt: Timestamp) {
        self.kind = kind
        self.id = id
        self.expiresAt = expiresAt
    }
}

package enum ApprovalPushOutcome: Sendable, Hashable {
    case posted(devices: Int)
    /// No device of the account is reached by push.
    case noAddress
    /// The account has had too many pushes.
    case heldBack
}

/// Tells the holder's devices by push that something waits for approval.
///
/// A push is a hint: the app asks the server what waits, and nothing is lost if none arrives. This folder owns what is pushed, to which
/// devices, and how often.
package struct ApprovalPushes: Sendable {
    let auditLog: AuditLog
    let sealing: SealingKeys
    /// The services that are not configured.
    let undeliverable: Set<PushService>

    /// The places of an account for pushes. Each is taken for one ``period``; a push without one is held back.
    private struct Places {
        /// Of each client, so that one that takes all it can get leaves others theirs.
        let own: UInt8
        /// Of whichever client comes first.
        let shared: UInt8
        /// What all clients have together: people approve one of many to be left alone.
        let total: UInt8
    }

    /// For pushes that no session of the account asked for.
    private static let unasked = Places(own: 2, shared: 2, total: 8)
    /// For those that a session asked for. It may be that of a person who stole the password.
    private static let asked = Places(own: 3, shared: 3, total: 9)
    static let period = Duration.minutes(10)

    /// One message in each period.
    private static let place = AttemptPolicy(
        free: 1, afterwards: .delay(first: period, longest: period), forgottenAfter: period, since: .firstGuess)

    /// Where a request came from that the holder refused on a device, none gets a push for so long.
    private static let refusal = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(1), longest: .hours(1)), forgottenAfter: .hours(1),
        since: .firstGuess)

    /// Posts a push to each device of an account. Call this in the write that creates the subject.
    /// - Parameters:
    ///   - client: the one that the subject is of.
    ///   - asked: whether a session of the account asked for it just now. Such pushes have places of their own, so that they take none
    ///     from a backend's transactions.
    package func post(
        _ subject: ApprovalSubject, to account: UniqueID, brand: String, by client: String, asked: Bool,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> ApprovalPushOutcome {
        let devices = try reachable(of: account, brand: brand, now: now, on: connection)
        guard !devices.isEmpty, subject.expiresAt > now else { return .noAddress }
        if try !takePlace(of: account, by: client, asked: asked, now: now, on: connection) {
            try tell(account, of: subject, by: client, now: now, on: connection)
            return .heldBack
        }
        for device in devices {
            let message = ApprovalMessage.push(to: device.id, about: subject, lifetime: subject.expiresAt - now)
            try auditLog.entry(message, account: account, email: nil, now: now).write(on: connection)
        }
        return .posted(devices: devices.count)
    }

    /// The devices that a push reaches. If an app was linked twice on one phone, only the later of the two devices gets it.
    package func reachable(
        of account: UniqueID, brand: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> [DeviceRecord] {
        guard undeliverable.count < PushService.allCases.count else { return [] }
        var latest: [PushToken: (device: DeviceRecord, at: Timestamp)] = [:]
        for device in try Devices.list(of: account, on: connection) {
            guard try device.isReachedByPush(at: now, on: connection),
                let registered = RegisteredPushAddress(of: device, sealing),
                !undeliverable.contains(registered.address.service.delivering),
                let client = try Clients.find(device.clientID, on: connection),
                client.brandID == nil || client.brandID == brand
            else { continue }
            let token = registered.address.token
            if let other = latest[token], other.at > registered.at { continue }
            latest[token] = (device, registered.at)
        }
        return latest.values.map(\.device).sorted { $0.id < $1.id }
    }

    /// A push takes one of its client's places, or else a shared one, and one of all. If there is none left, there were as many pushes in
    /// the last ten minutes.
    private func takePlace(
        of account: UniqueID, by client: String, asked: Bool, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let (places, label) = asked ? (Self.asked, "approval-push-asked") : (Self.unasked, "approval-push")
        func take(_ number: UInt8, _ kind: String, _ client: String = "") throws -> [UInt8]? {
            for place in 0..<number {
                let subject = Digests.of(label + kind, account.bytes + [place] + Array(client.utf8))
                if try claim(subject, now: now, on: connection) { return subject }
            }
            return nil
        }
        guard let place = try take(places.own, "-own", client) ?? take(places.shared, "-shared") else { return false }
        guard try take(places.total, "-total") == nil else { return true }
        // Nothing was pushed.
        try Attempts.clear(place, on: connection)
        return false
    }

    private func claim(_ subject: [UInt8], now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        if case .compare = try Attempts.count(subject, under: Self.place, now: now, on: connection) {
            true
        } else {
            false
        }
    }

    /// Ends the pushes for an hour that an account's sessions on a device ask for. Call this in the write of the refusal.
    /// - Parameter device: the enrolled one; `nil` for all sessions without one together, as signing in again opens another of these.
    package func endAsking(
        of account: UniqueID, from device: UniqueID?, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let subject = Self.asking(account, device)
        // The hour is that of the last refusal.
        try Attempts.clear(subject, on: connection)
        _ = try Attempts.count(subject, under: Self.refusal, now: now, on: connection)
    }

    /// Whether an account's sessions on a device, or those without one, may have pushes sent.
    package func mayAsk(
        _ account: UniqueID, from device: UniqueID?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try Attempts.state(Self.asking(account, device), now: now, on: connection)?.heldUntil == nil
    }

    private static func asking(_ account: UniqueID, _ device: UniqueID?) -> [UInt8] {
        Digests.of("approval-push-refused", account.bytes + (device?.bytes ?? []))
    }

    /// Tells the holder and the audit log, once in a period.
    private func tell(
        _ account: UniqueID, of subject: ApprovalSubject, by client: String, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        let notice = Digests.of("approval-push-notice", account.bytes)
        guard try claim(notice, now: now, on: connection) else { return }
        var details = JSONObject()
        details.set("kind", subject.kind.rawValue)
        details.set("id", subject.id.uuid)
        try auditLog.entry(
            ApprovalEvent.heldBack, account: account, client: client, now: now, details: details,
            message: ApprovalMessage.heldBack
        ).write(on: connection)
    }
}

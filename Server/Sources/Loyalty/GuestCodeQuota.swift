internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Whether another code may be sent: by number and account, and by client, merchant and network together with all other guests.
struct GuestCodeQuota: Sendable {
    let auditLog: AuditLog
    let call: LoyaltyCaller
    let merchant: Int64
    /// The limits of one guest.
    private let own: [AttemptLimit]
    /// The limits that all guests of a client or merchant share.
    private let shared: [(limit: Limit, counter: AttemptLimit)]
    private let network: SharedCounters

    /// A limit that guests share.
    enum Limit: String, Sendable {
        case client, merchant, network
    }

    enum Outcome: Sendable, Hashable {
        case granted
        /// The guest has to wait.
        case tooSoon
        /// Guests have to wait for each other.
        case reached(Limit)
    }

    private static let window = Duration.hours(1)

    init(
        own: [AttemptLimit], merchant: Int64, call: LoyaltyCaller, limits: GuestCodeLimits, key: DataKey,
        auditLog: AuditLog
    ) throws {
        self.auditLog = auditLog
        self.call = call
        self.merchant = merchant
        self.own = own
        let client = Digests.keyed("guest-codes-client", [call.client.id.rawValue], key: key)
        let enrolled = Digests.keyed(
            "guest-codes-merchant", [try call.client.accountBrand.rawValue, String(merchant)], key: key)
        shared = [
            (.client, AttemptLimit(client, under: Self.policy(limits.client))),
            (.merchant, AttemptLimit(enrolled, under: Self.policy(limits.merchant))),
        ]
        network = SharedCounters(
            "guest-codes-network", of: call.origin, under: Self.policy(limits.network), key: key, now: call.now)
    }

    /// Beyond the limit one message after each delay, so that a flood does not end all sign-ins.
    private static func policy(_ most: Int64) -> AttemptPolicy {
        AttemptPolicy(
            free: most, afterwards: .delay(first: .seconds(30), longest: .minutes(5)), forgottenAfter: window,
            since: .firstGuess)
    }

    /// Charges a message to all of the limits, or to none.
    func take(on connection: any SQLConnection) throws -> Outcome {
        guard try Attempts.heldUntil(own, now: call.now, on: connection) == nil else { return .tooSoon }
        for (limit, counter) in shared
        where try Attempts.heldUntil([counter], now: call.now, on: connection) != nil {
            return .reached(limit)
        }
        guard try network.heldUntil(now: call.now, on: connection) == nil else { return .reached(.network) }
        _ = try Attempts.count(own + shared.map(\.counter), now: call.now, on: connection)
        _ = try network.count(now: call.now, on: connection)
        return .granted
    }

    /// Records that a limit was reached: once while it lasts, however many guests have to wait.
    func record(_ limit: Limit, on connection: any SQLConnection) throws {
        let whose =
            switch limit {
            case .client: call.client.id.rawValue
            case .merchant: String(merchant)
            case .network: call.origin.networks.map(\.name).joined(separator: " ")
            }
        let name = Digests.of("guest-codes-held", Array("\(limit.rawValue) \(whose)".utf8))
        guard try SeenJTIs.remember(name, until: call.now + Self.window, on: connection) else { return }
        var details = JSONObject()
        details.set("limit", limit.rawValue)
        details.set("merchant_id", merchant)
        details.set("address", call.origin.address)
        try auditLog.administration(
            LoyaltyEvent.codesHeld, client: call.client.id.rawValue, details: details, now: call.now
        ).write(on: connection)
    }
}

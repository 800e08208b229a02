package import Core
package import Kernel
package import Store
package import WalletAuthWire

// Sign-in on a device without a browser (RFC 8628): the codes that it shows, the page on which its holder decides on another device, and
// what becomes of it.
//
// This folder owns the `device_grants` table and the page. Sign-ins on the phone for a client that named the person (`Backchannel`) wait in
// the same table. It does not own the sign-in on the way to the decision (`Pages`), nor the tokens
// that the device then gets (`Tokens`).

/// The numbers of the device grant (docs/decisions/0202-sign-in-on-devices-without-a-browser.md).
package enum DeviceGrantLimits {
    /// How long the codes of a device work.
    package static let lifetime = Duration.minutes(10)
    /// How long the device hears what became of them.
    package static let memory = Duration.minutes(10)
    /// Seconds between two polls, at first.
    package static let interval: Int64 = 5
    /// Seconds that each poll before its time adds (RFC 8628 §3.5).
    package static let slowDown: Int64 = 5
    /// How much earlier than the interval a poll may arrive: networks are not even.
    package static let leeway = Duration.seconds(1)
    /// Devices of one network that ask for codes within ``lifetime``.
    package static let openOfNetwork: Int64 = 100
    /// The same of a confidential client, whose backend asks for all of its devices.
    package static let openOfBackend: Int64 = 1000

    package static let ofNetwork = asking(openOfNetwork)
    package static let ofBackend = asking(openOfBackend)

    /// Wrong codes that a browser may type before it waits.
    package static let guesses: Int64 = 5
    /// The same of a network, which many people may share.
    package static let guessesOfNetwork: Int64 = 20

    static let ofBrowserGuesses = guessing(guesses, since: .lastGuess)
    static let ofNetworkGuesses = guessing(guessesOfNetwork, since: .firstGuess)

    private static func asking(_ free: Int64) -> AttemptPolicy {
        AttemptPolicy(
            free: free, afterwards: .delay(first: lifetime, longest: lifetime), forgottenAfter: lifetime,
            since: .firstGuess)
    }

    private static func guessing(_ free: Int64, since beginning: AttemptPolicy.Beginning) -> AttemptPolicy {
        AttemptPolicy(
            free: free, afterwards: .delay(first: .minutes(1), longest: lifetime), forgottenAfter: lifetime,
            since: beginning)
    }
}

/// A device that waits for its holder.
///
/// ```
///   waiting ──confirm──► approved ──poll──► redeemed
///      └──────deny─────► denied
/// ```
///
/// Time ends it without a write: one that is not final at ``endsAt`` has expired.
package struct DeviceGrantRecord: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        case waiting, approved, denied, redeemed
    }

    package var id: UniqueID
    /// A digest.
    package var deviceCode: [UInt8]
    /// A keyed digest; `nil` for a client's request, for which no one types a code.
    package var userCode: [UInt8]?
    package var clientID: String
    /// ``DeviceGrantContent``.
    package var sealed: [UInt8]
    package var state: State
    /// Of the person who decided.
    package var accountID: UniqueID?
    /// The grant of the person's sign-in.
    package var grantSealed: [UInt8]?
    /// Seconds that the device waits between two polls.
    package var pollInterval: Int64
    package var polledAt: Timestamp?
    package var createdAt: Timestamp
    package var endsAt: Timestamp

    package init(
        id: UniqueID, deviceCode: [UInt8], userCode: [UInt8]?, clientID: String, sealed: [UInt8],
        state: State = .waiting, accountID: UniqueID? = nil, grantSealed: [UInt8]? = nil,
        pollInterval: Int64 = DeviceGrantLimits.interval, polledAt: Timestamp? = nil, createdAt: Timestamp,
        endsAt: Timestamp
    ) {
        self.id = id
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.clientID = clientID
        self.sealed = sealed
        self.state = state
        self.accountID = accountID
        self.grantSealed = grantSealed
        self.pollInterval = pollInterval
        self.polledAt = polledAt
        self.createdAt = createdAt
        self.endsAt = endsAt
    }

    /// When the row may be deleted.
    var expiresAt: Timestamp { endsAt + DeviceGrantLimits.memory }

    package func hasExpired(at now: Timestamp) -> Bool { now >= endsAt }

    /// Whether its holder can still decide.
    func isOpen(at now: Timestamp) -> Bool { state == .waiting && !hasExpired(at: now) }

    /// Device codes are long and random, so the digest needs no key.
    package static func digest(of code: DeviceCode) -> [UInt8] {
        Digests.of("device-code", Array(code.reveal().utf8))
    }
}

/// What a device asked for, and from where.
package struct DeviceGrantContent: Sendable, Hashable {
    package var scope: Scope
    package var resources: [String]
    /// The thumbprint of the key that the device proved, which the poll has to prove too; `nil` if it proved none.
    package var keyThumbprint: [UInt8]?
    /// The device's network, as ``NetworkAddress/region`` has it; `nil` if it is not known, or only its backend's is.
    package var network: String?
    /// What a client's request is notified with, as soon as the person has decided; `nil` for a client that polls.
    package var notification: BackchannelNotification?
    /// What a client's request asks for besides scopes.
    package var authorizationDetails: AuthorizationDetails?

    package init(scope: Scope, resources: [String], keyThumbprint: [UInt8]?, network: String?) {
        self.scope = scope
        self.resources = resources
        self.keyThumbprint = keyThumbprint
        self.network = network
    }
}

package enum DeviceGrantField: String, SealedField {
    case content = "device_grants|sealed"
    case grant = "device_grants|grant_sealed"

    package var purpose: KeyPurpose {
        switch self {
        case .content: .personal
        case .grant: .code
        }
    }
}

/// Seals the columns of waiting devices.
package typealias DeviceGrantVault = Vault<DeviceGrantField>

extension DeviceGrantVault {
    package func seal(_ content: DeviceGrantContent, of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("scope", content.scope)
        if !content.resources.isEmpty { object.set("resources", content.resources) }
        object.set("key", content.keyThumbprint.map { Base64URL.encode($0) })
        object.set("network", content.network)
        object.set("details", content.authorizationDetails)
        object.set("request", content.notification?.requestID.reveal())
        object.set("notify", content.notification?.token.reveal())
        return try seal(object.bytes, .content, of: id)
    }

    /// - Throws: ``DamagedRow`` if the row does not open.
    package func content(of record: DeviceGrantRecord) throws -> DeviceGrantContent {
        let object = try object(record.sealed, .content, of: record.id)
        guard let scope = try object.string("scope").map({ try Scope($0) }) else { throw DamagedRow() }
        var content = DeviceGrantContent(
            scope: scope, resources: try object.strings("resources") ?? [],
            keyThumbprint: try object.string("key").flatMap { Base64URL.decode($0) },
            network: try object.string("network"))
        content.authorizationDetails = try object.string("details").map { try AuthorizationDetails(recorded: $0) }
        if let id = try object.string("request"), let token = try object.string("notify") {
            content.notification = BackchannelNotification(
                requestID: try AuthenticationRequestID(id), token: try ClientNotificationToken(token))
        }
        return content
    }

    /// Seals what the device gets, until the next restore, whose copy may not know that it was redeemed. Nothing was proved on the device,
    /// and a stranger may hold it.
    func seal(_ admission: Admission, of id: UniqueID) throws -> [UInt8] {
        let admitted = AdmittedGrant(admission, approvedElsewhereBy: AuthenticationStrength.userCode)
        return try sealing.seal(
            admitted.grant.bytes, for: DeviceGrantField.grant.purpose,
            context: sealing.untilRestored(Self.label(.grant, of: id)))
    }

    /// What the person approved; `nil` before that.
    package func grant(of record: DeviceGrantRecord) -> AdmittedGrant? {
        record.grantSealed.flatMap { AdmittedGrant(sealed: $0, in: Self.label(.grant, of: record.id), by: sealing) }
    }
}

/// The events of the device grant in the audit log.
package enum DeviceGrantEvent: String, SecurityEventKind, CaseIterable {
    case approved = "device_grant.approved"
    case denied = "device_grant.denied"
    /// The device got its session.
    case redeemed = "device_grant.redeemed"

    package var webhookKind: WebhookKind? { nil }
}

package import Core
package import Kernel
package import Store
package import WalletAuthWire

// Sign-in on the phone for a client that named the person (OpenID CIBA Core 1.0): who is meant, how often, and what the signature is worth.
//
// This folder does not own the transaction that the person signs (`Transactions`), the table in which the request waits (`DeviceGrant`), or
// the tokens (`Tokens`).

/// The numbers of backchannel authentication (docs/decisions/0215-sign-in-on-the-phone-for-a-client.md).
package enum BackchannelLimits {
    /// The time in which requests are counted.
    package static let window = Duration.minutes(10)
    /// Requests of a client.
    package static let requestsOfClient: Int64 = 1000
    /// Its requests that meant no one.
    package static let unknownOfClient: Int64 = 100
    /// Its requests for one person.
    package static let requestsForPerson: Int64 = 5

    package static let ofClient = counting(requestsOfClient)
    package static let ofUnknown = counting(unknownOfClient)
    package static let ofPerson = counting(requestsForPerson)

    /// After a request that the person says they did not make, the client waits so long for the next one to them.
    package static let afterRefusal = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(1), longest: .hours(1)), forgottenAfter: .hours(1),
        since: .firstGuess)

    private static func counting(_ free: Int64) -> AttemptPolicy {
        AttemptPolicy(
            free: free, afterwards: .delay(first: window, longest: window), forgottenAfter: window, since: .firstGuess)
    }
}

/// What a client is notified with.
package struct BackchannelNotification: Sendable, Hashable {
    package var requestID: AuthenticationRequestID
    package var token: ClientNotificationToken

    package init(requestID: AuthenticationRequestID, token: ClientNotificationToken) {
        self.requestID = requestID
        self.token = token
    }
}

/// What a person's signature proved.
package struct BackchannelApproval: Sendable, Hashable {
    package var account: UniqueID
    /// The account's, as it was then.
    package var securityVersion: Int64
    /// RFC 8176.
    package var methods: [String]
    package var device: UniqueID
    package var at: Timestamp

    package init(account: UniqueID, securityVersion: Int64, methods: [String], device: UniqueID, at: Timestamp) {
        self.account = account
        self.securityVersion = securityVersion
        self.methods = methods
        self.device = device
        self.at = at
    }
}

extension BackchannelApproval {
    /// The transaction that the person signed for a sign-in; `nil` for one of another kind.
    package static func transaction(ofGrant grant: [UInt8], amr: [String]) -> UniqueID? {
        amr.contains(AuthenticationStrength.backchannel) ? UniqueID(bytes: grant) : nil
    }
}

extension DeviceGrantRecord {
    /// Such ids are long and random, so the digest needs no key.
    package static func digest(of id: AuthenticationRequestID) -> [UInt8] {
        Digests.of("auth-req-id", Array(id.reveal().utf8))
    }
}

extension DeviceGrantVault {
    /// Seals what the person approved, until the next restore, whose copy may not know that it was redeemed.
    package func seal(_ approval: BackchannelApproval, of id: UniqueID) throws -> [UInt8] {
        var object = JSONObject()
        object.set("account", approval.account.uuid)
        object.set("version", approval.securityVersion)
        object.set("methods", approval.methods)
        object.set("device", approval.device.uuid)
        object.set("at", approval.at.milliseconds)
        return try sealing.seal(
            object.bytes, for: DeviceGrantField.grant.purpose,
            context: sealing.untilRestored(Self.label(.grant, of: id)))
    }

    /// - Returns: `nil` before the approval, and for one of before a restore.
    package func approval(of record: DeviceGrantRecord) -> BackchannelApproval? {
        guard let sealed = record.grantSealed,
            let bytes = sealing.open(
                sealed, for: DeviceGrantField.grant.purpose,
                context: sealing.untilRestored(Self.label(.grant, of: record.id))),
            let object = try? JSONValue.object(parsing: bytes),
            let account = object["account"]?.string.flatMap(UniqueID.init(uuid:)),
            let device = object["device"]?.string.flatMap(UniqueID.init(uuid:)),
            let version = object["version"]?.integer, let methods = object["methods"]?.strings,
            let at = object["at"]?.integer
        else { return nil }
        return BackchannelApproval(
            account: account, securityVersion: version, methods: methods, device: device,
            at: Timestamp(milliseconds: at))
    }
}

/// The events of backchannel authentication in the audit log, besides those of the transaction.
package enum BackchannelEvent: String, SecurityEventKind, CaseIterable {
    /// The client got the session that the person approved.
    case redeemed = "backchannel_sign_in.redeemed"

    package var webhookKind: WebhookKind? { nil }
}

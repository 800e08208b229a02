package import Kernel
package import Store
package import Web

/// What the loyalty API adds to the server.
package enum LoyaltyFeature {
    package static let events: [any SecurityEventKind] = LoyaltyEvent.allCases

    package static func routes(_ edge: Edge, _ flows: LoyaltyFlows) -> [Route] {
        LoyaltyEndpoints(flows: flows, isSandbox: edge.environment == .sandbox).routes
    }
}

/// Enrollments end with the account, and the number by which a guest is found follows the account's phone.
package struct LoyaltyRows: DependentRows {
    package init() {}

    package func accountErased(_ account: UniqueID, on connection: any SQLConnection) throws {
        try LoyaltyAccounts.remove(account, on: connection)
    }

    package func effectOfMerge(
        of account: UniqueID, into other: UniqueID, on connection: any SQLConnection
    ) throws -> MergeEffect? {
        guard try LoyaltyAccounts.find(account, on: connection) != nil else { return nil }
        guard try LoyaltyAccounts.find(other, on: connection) == nil else {
            return .obstacle("Both have a loyalty number, and an account has one.")
        }
        return .moves("the loyalty number")
    }

    package func accountMerged(
        _ account: UniqueID, into other: UniqueID, on connection: any SQLConnection
    ) throws {
        try LoyaltyAccounts.move(account, to: other, on: connection)
    }

    package func phoneChanged(
        of account: UniqueID, to digest: [UInt8]?, found digests: [[UInt8]], on connection: any SQLConnection
    ) throws -> [UniqueID] {
        guard try LoyaltyAccounts.setPhone(digest, of: account, on: connection) else { return [] }
        return try digests.flatMap {
            try LoyaltyAccounts.releasePhone($0, of: nil, exceptFor: account, on: connection)
        }
    }

    package func usesEnteredPhone(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try LoyaltyAccounts.find(account, on: connection)?.phoneDigest != nil
    }
}

/// The events of loyalty accounts in the audit log.
enum LoyaltyEvent: String, SecurityEventKind, CaseIterable {
    case enrolled = "loyalty.enrolled"
    /// The guest proved by a code that a phone number is theirs, which one-time passwords are sent to from then on.
    case phoneProved = "loyalty.phone_proved"
    /// A limit of one-time passwords that guests share was reached.
    case codesHeld = "loyalty.codes_held"
}

import Foundation
import WalletAuthWire

/// The time after a recovery by the mailbox alone, in which the server lets nobody change what the account is signed in with:
/// whoever took over a mailbox must not be able to make it theirs before its holder has read of it.
struct CoolingPeriod {
    /// When it is over.
    let end: Date

    /// - Parameter factors: what the server tells of the account.
    /// - Returns: nil where there is none, or it is over.
    init?(_ factors: AccountFactorList, now: Date = Date()) {
        guard let until = factors.coolingUntil else { return nil }
        end = Date(timeIntervalSince1970: Double(until.secondsSince1970))
        guard now < end else { return nil }
    }

    /// What it means, without a full stop.
    var sentence: String {
        "your password was recovered lately: until \(end.formatted(.iso8601)) no device is enrolled, no PIN set and no second "
            + "factor changed"
    }
}

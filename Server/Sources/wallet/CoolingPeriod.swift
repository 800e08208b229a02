import Foundation
import WalletAuthWire

/// The time after a recovery that used only the mailbox. During it the server refuses changes to the account's factors.
/// The holder can then read of a recovery before someone who took over the mailbox can keep the account.
struct CoolingPeriod {
    let end: Date

    /// - Parameter factors: the server's list for the account.
    /// - Returns: nil if there is no cooling period, or if it is over.
    init?(_ factors: AccountFactorList, now: Date = Date()) {
        guard let until = factors.coolingUntil else { return nil }
        end = Date(timeIntervalSince1970: Double(until.secondsSince1970))
        guard now < end else { return nil }
    }

    /// The consequence, without a full stop.
    var sentence: String {
        "your password was recovered recently: until \(end.formatted(.iso8601)) you cannot enroll a device, set a PIN or "
            + "change a second factor"
    }
}

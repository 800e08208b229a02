internal import Core
internal import Foundation
internal import Kernel
internal import WalletAuthWire

/// The last day of something that an operator allows for a while, in UTC.
struct LastDay: Sendable, Hashable {
    /// The first moment after it.
    let end: Timestamp

    /// - Parameters:
    ///   - text: as in `2027-03-31`.
    ///   - option: for the error.
    /// - Throws: ``MalformedValue`` if it is no day, or has passed.
    init(_ text: String, option: String, now: Timestamp) throws(MalformedValue) {
        end = try Self.start(of: text, option: option) + .hours(24)
        guard now < end else { throw MalformedValue(field: option, reason: "is a day that has passed") }
    }

    /// The first moment of a day, in UTC.
    /// - Throws: ``MalformedValue`` if the text is no day.
    static func start(of text: String, option: String) throws(MalformedValue) -> Timestamp {
        let style = Date.ISO8601FormatStyle().year().month().day()
        // A lenient parser would take the 30th of February for a day of March, and some take years that no timestamp has.
        guard text.utf8.count == 10, let day = try? Date(text, strategy: style), day.formatted(style) == text else {
            throw MalformedValue(field: option, reason: "must be a day such as 2027-03-31")
        }
        return Timestamp(seconds: Int64(day.timeIntervalSince1970))
    }

    /// The day whose end this is.
    static func text(_ end: Timestamp) -> String { String((end - .seconds(1)).text.prefix(10)) }
}

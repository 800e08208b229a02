package import Core
internal import Foundation

extension Timestamp {
    /// ISO 8601 in UTC, to the second.
    package var text: String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}

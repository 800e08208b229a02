#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks the clock. Every token, code and proof depends on it.
enum ClockFindings {
    /// The year this program was started. A clock before it is wrong.
    private static let earliest = Date(timeIntervalSince1970: 1_735_689_600)

    static func of(_ configuration: ServerConfiguration, now: Date = Date()) -> [Finding] {
        if now < earliest {
            return [
                .fail(
                    "clock", "the clock shows \(now.day), which is before this program was built",
                    "Set the clock; run NTP")
            ]
        }
        // With PostgreSQL the clocks are compared.
        let file = configuration.database.isPostgreSQL ? nil : configuration.database.path
        let attributes = file.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
        if let changed = attributes?[.modificationDate] as? Date, changed > now.addingTimeInterval(120) {
            return [
                .fail(
                    "clock",
                    "the clock is behind the database, which was last changed at \(changed.formatted(.iso8601))",
                    "Set the clock; until then, tokens from the future are refused")
            ]
        }
        return [finding(of: keeping)]
    }

    /// How the system keeps its clock.
    enum Keeping: Sendable {
        /// From a synchronized source.
        case synchronized
        /// Without any source.
        case unsynchronized
        /// Not available on this system.
        case unknown
    }

    static func finding(of keeping: Keeping) -> Finding {
        switch keeping {
        case .synchronized: .ok("clock", "the system keeps the clock synchronized")
        case .unsynchronized:
            .warn(
                "clock", "the system does not keep the clock synchronized",
                "Run an NTP client; DPoP proofs and tokens of other servers depend on the clock")
        case .unknown: .ok("clock", "the clock is not behind the database")
        }
    }

    private static var keeping: Keeping {
        switch SystemClockSource.isSynchronized {
        case true: .synchronized
        case false: .unsynchronized
        case nil: .unknown
        }
    }
}

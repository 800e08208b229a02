#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if os(Linux)
    import CTimex
#endif

/// Whether the clock can be believed: every token, code and proof is judged by it.
enum ClockFindings {
    /// The year in which this program was begun; a clock before it is wrong.
    private static let earliest = Date(timeIntervalSince1970: 1_735_689_600)

    static func of(_ configuration: ServerConfiguration, now: Date = Date()) -> [Finding] {
        if now < earliest {
            return [
                .fail(
                    "clock", "the clock says \(now.day), which is before this program was made",
                    "Set the clock; run NTP")
            ]
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: configuration.database.path)
        if let changed = attributes?[.modificationDate] as? Date, changed > now.addingTimeInterval(120) {
            return [
                .fail(
                    "clock", "the clock is behind the database, which was changed at \(changed.formatted(.iso8601))",
                    "Set the clock; tokens of the future are refused until then")
            ]
        }
        return [synchronization]
    }

    private static var synchronization: Finding {
        #if os(Linux)
            var status = timex()
            let isSynchronized = adjtimex(&status) != TIME_ERROR && status.status & STA_UNSYNC == 0
            guard isSynchronized else {
                return .warn(
                    "clock", "the system does not keep the clock synchronized",
                    "Run an NTP client; DPoP proofs and tokens of other servers are judged by it")
            }
            return .ok("clock", "the system keeps the clock synchronized")
        #else
            return .ok("clock", "the clock is not behind the database")
        #endif
    }
}

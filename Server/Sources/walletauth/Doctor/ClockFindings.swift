import Core
import Kernel
import Operations
import Store
import WalletAuthWire

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

    /// Compares the clock with the time that servers have recorded in a database.
    static func recorded(
        in database: any Database, now: Timestamp = SystemClock().now()
    ) async throws -> [Finding] {
        let records = try await database.read { try ClockRecords.read(on: $0) }
        let reading = ClockReading(wall: now, uptime: .zero, isSynchronized: nil)
        var watch = ClockWatch(reading, lastRecorded: records.observed?.recorded)
        let verdict = watch.observe(reading)
        guard !verdict.allowsRemoval else { return [] }
        return [finding(verdict.allowsRequests ? .warn : .fail, verdict.explanation)]
    }

    /// What a running server says of its clocks; nothing if it is of an older version.
    static func of(_ answer: AdministrationAnswer) -> [Finding] {
        guard answer.status == .done, let report = try? answer.document(), report["removes"]?.bool == false else {
            return []
        }
        return [finding(report["serves"]?.bool == true ? .warn : .fail, report["comparison"]?.string ?? "")]
    }

    private static func finding(_ status: Finding.Status, _ detail: String) -> Finding {
        Finding(
            subject: "clock", status: status,
            detail: "\(detail): \(status == .fail ? "requests are refused" : "expired data is kept for now")",
            remedy: "If the clock is right, run `walletauth clock accept`; otherwise set it")
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

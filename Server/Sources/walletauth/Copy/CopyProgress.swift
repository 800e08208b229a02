import Core
import Operations
import Store

/// Reports on standard error what is being done, and the tables that take long.
final class CopyProgress: Sendable {
    private let lines = LockedValue(CopyLines(at: .now))

    /// Reports the next step, whose first table begins now.
    func begin(_ step: String) {
        lines.withLock { $0 = CopyLines(at: .now) }
        say(step)
    }

    func take(_ progress: DatabaseCopy.Progress) {
        if let line = lines.withLock({ $0.line(for: progress, at: .now) }) { say(line) }
    }

    func say(_ line: String) {
        Terminal.write(line + "\n", to: .standardError)
    }
}

/// Decides which progress of a copy is worth a line: of most databases, few tables have many rows.
struct CopyLines: Sendable {
    /// The rows after which a table gets a line, and then another one.
    static let rows: Int64 = 5_000
    /// The time after which a table of fewer rows gets one.
    static let time = Duration.seconds(5)

    /// When the present table was begun.
    private var beginning: ContinuousClock.Instant
    /// The last line of the present table.
    private var last: (rows: Int64, at: ContinuousClock.Instant)

    init(at now: ContinuousClock.Instant) {
        beginning = now
        last = (0, now)
    }

    /// - Returns: the line; `nil` for none.
    mutating func line(for progress: DatabaseCopy.Progress, at now: ContinuousClock.Instant) -> String? {
        switch progress {
        case .copied(let table, let rows, false):
            guard rows - last.rows >= Self.rows || last.at.duration(to: now) >= Self.time else { return nil }
            last = (rows, now)
            return "copying \(table): \(rows.counted("row", "rows")) so far"
        case .copied(let table, let rows, true):
            return endTable(rows, at: now) ? "copied \(table): \(rows.counted("row", "rows"))" : nil
        case .compared(let table, let rows):
            return endTable(rows, at: now) ? "compared \(table): \(rows.counted("row", "rows")), all the same" : nil
        }
    }

    /// - Returns: whether the table took long.
    private mutating func endTable(_ rows: Int64, at now: ContinuousClock.Instant) -> Bool {
        defer { self = CopyLines(at: now) }
        return rows >= Self.rows || beginning.duration(to: now) >= Self.time
    }
}

import AuthStore

/// Reports on standard error what has been copied and compared: a line for each table with rows, and more for large ones.
final class CopyProgress: Sendable {
    /// The rows of a table after which there is another line.
    private static let rowsBetweenLines: Int64 = 5_000

    /// The rows of the present table at its last line.
    private let reported = LockedValue<Int64>(0)

    func take(_ progress: DatabaseCopy.Progress) {
        switch progress {
        case .copied(let table, let rows, true):
            reported.withLock { $0 = 0 }
            if rows > 0 { say("copied \(table): \(Self.counted(rows))") }
        case .copied(let table, let rows, false):
            let isDue = reported.withLock { reported in
                guard rows - reported >= Self.rowsBetweenLines else { return false }
                reported = rows
                return true
            }
            if isDue { say("copying \(table): \(Self.counted(rows)) so far") }
        case .compared(let table, let rows):
            if rows > 0 { say("compared \(table): \(Self.counted(rows)), all the same") }
        }
    }

    func say(_ line: String) {
        Terminal.write(line + "\n", to: .standardError)
    }

    static func counted(_ rows: Int64) -> String { rows == 1 ? "1 row" : "\(rows) rows" }
}

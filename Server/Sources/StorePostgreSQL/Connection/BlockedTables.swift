import Store

/// The tables that sessions of this database were just seen to wait for. A call that needs one of them would only wait as well.
final class BlockedTables: Sendable {
    /// After that it has to be asked again.
    private static let validity = Duration.seconds(1)

    private struct Known {
        var names: Set<String> = []
        var until = ContinuousClock.now
    }

    private let known = LockedValue(Known())

    var isKnown: Bool { known.withLock { !$0.names.isEmpty && $0.until > .now } }

    /// Whether there were some, and may be none any more.
    var isOutdated: Bool { known.withLock { !$0.names.isEmpty && $0.until <= .now } }

    /// - Parameter names: none if no session waits.
    func note(_ names: Set<String>) {
        known.withLock { $0 = Known(names: names, until: .now + Self.validity) }
    }

    /// Whether a statement names one of them.
    func concern(_ sql: String) -> Bool {
        let names = known.withLock { $0.names }
        guard !names.isEmpty else { return false }
        let words = sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return words.contains { names.contains(String($0)) }
    }
}

extension Duration {
    /// Whole seconds, and the largest unit that divides them: `2592000 s (30 days)`.
    var inWords: String {
        let seconds = components.seconds
        let units: [(name: String, seconds: Int64)] = [("day", 86_400), ("hour", 3_600), ("minute", 60)]
        guard let unit = units.first(where: { seconds >= $0.seconds && seconds % $0.seconds == 0 }) else {
            return "\(seconds) s"
        }
        let count = seconds / unit.seconds
        return "\(seconds) s (\(count) \(unit.name)\(count == 1 ? "" : "s"))"
    }
}

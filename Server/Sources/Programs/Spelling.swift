package enum Spelling {
    /// The known name closest to a misspelled one.
    ///
    /// - Returns: nil if none is close: one edit away from a short name, two from a longer one.
    package static func correction(of name: some StringProtocol, among known: [String]) -> String? {
        let typed = Array(name.lowercased())
        let limit = typed.count < 8 ? 1 : 2
        let near = known.compactMap { name -> (name: String, edits: Int)? in
            let meant = Array(name.lowercased())
            guard abs(meant.count - typed.count) <= limit else { return nil }
            let edits = edits(from: typed, to: meant)
            return edits <= limit ? (name, edits) : nil
        }
        return near.min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
    }

    /// The number of letters to insert, remove, replace or swap with a neighbor (optimal string alignment).
    private static func edits(from typed: [Character], to meant: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...meant.count)
        for (row, letter) in typed.enumerated() {
            var current = [row + 1]
            for (column, other) in meant.enumerated() {
                var edits = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == meant[column - 1], typed[row - 1] == other {
                    edits = min(edits, beforeLast[column - 1] + 1)
                }
                current.append(edits)
            }
            (beforeLast, last) = (last, current)
        }
        return last[meant.count]
    }
}

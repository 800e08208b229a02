/// What a misspelled name was meant to be.
public enum Spelling {
    /// The known name closest to a misspelled one.
    ///
    /// - Parameters:
    ///   - name: as it was typed.
    ///   - known: the names that exist.
    /// - Returns: nil if none is close: one edit away from a short name, two from a longer one.
    public static func correction(of name: some StringProtocol, among known: [String]) -> String? {
        let length = name.count
        let limit = length < 8 ? 1 : 2
        let near = known.compactMap { known -> (name: String, edits: Int)? in
            // Each letter of the difference is an edit. Without this, a long name from outside would cost its length times theirs.
            guard abs(known.count - length) <= limit else { return nil }
            let edits = edits(from: name, to: known)
            return edits <= limit ? (known, edits) : nil
        }
        return near.min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
    }

    /// The number of letters to insert, remove, replace or swap with a neighbor (optimal string alignment), apart from case.
    ///
    /// - Parameters:
    ///   - typed: the text as it is.
    ///   - meant: the text as it would be after the edits.
    public static func edits(from typed: some StringProtocol, to meant: some StringProtocol) -> Int {
        let (typed, meant) = (Array(typed.lowercased()), Array(meant.lowercased()))
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

/// Text without long runs of combining marks (UAX #15, Stream-Safe Text Format).
///
/// Swift compares and hashes strings by canonical equivalence, and sorts each run of combining marks to do so. That takes
/// quadratic time: seconds for 64 KiB of marks. So text from outside is checked before anything compares it.
public enum StreamSafeText {
    /// The most combining marks in a row. No language comes close to it.
    public static let maxMarks = 30

    /// Whether no run of combining marks in a text is longer than ``maxMarks``. Takes linear time.
    /// - Parameter text: the text.
    public static func includes(_ text: String) -> Bool {
        // No character below U+0300 is a combining mark, so ASCII passes without a look at any character.
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return true }
        var marks = 0
        for scalar in text.unicodeScalars {
            guard isMark(scalar) else {
                marks = 0
                continue
            }
            marks += 1
            if marks > maxMarks { return false }
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x300: false
        // Of class 0, but they decompose to marks alone: Tibetan vowel signs, and halfwidth marks of Katakana.
        case 0xF73, 0xF75, 0xF81, 0xFF9E, 0xFF9F: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

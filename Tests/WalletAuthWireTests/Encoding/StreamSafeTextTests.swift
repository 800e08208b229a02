import Foundation
import Testing
import WalletAuthWire

@Suite(
    "Text without long runs of combining marks",
    .covers("long runs of combining marks are refused before anything compares them"))
struct StreamSafeTextTests {
    @Test(
        "attack: characters that only normalization makes combining marks count as such",
        .threat("Malformed tokens and JSON"),
        arguments: ["\u{F73}", "\u{F75}", "\u{F81}", "\u{FF9E}", "\u{FF9F}"])
    func hiddenMarks(mark: String) {
        func run(_ count: Int) -> String { String(repeating: mark, count: count) }
        #expect(StreamSafeText.includes("a" + run(30) + "a" + run(30)))
        #expect(!StreamSafeText.includes("a" + run(31)))
        #expect(!StreamSafeText.includes("a" + String(repeating: mark + "\u{301}", count: 16)))
    }

    @Test("Normalization makes at most two marks of each, and leaves at most three of the letter before")
    func normalization() {
        var wrong: [Unicode.Scalar] = []
        for value in UInt32(0xC0)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value), Self.mayDecompose(scalar) else { continue }
            let text = String(scalar)
            let scalars = Array(text.decomposedStringWithCompatibilityMapping.unicodeScalars)
            let isMark = scalars.map { $0.properties.canonicalCombiningClass != .notReordered }
            let runs = isMark.split(separator: false, omittingEmptySubsequences: false).map(\.count)
            if StreamSafeText.includes(String(repeating: text, count: 31)) {
                if runs[0] > 0 || runs.contains(where: { $0 > 3 }) { wrong.append(scalar) }
            } else if runs != [1] && runs != [2] {
                wrong.append(scalar)
            }
        }
        #expect(wrong.isEmpty)
    }

    private static func mayDecompose(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isUnifiedIdeograph && properties.generalCategory != .unassigned
            && properties.generalCategory != .privateUse
    }
}

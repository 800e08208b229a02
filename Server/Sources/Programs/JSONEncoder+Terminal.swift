#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension JSONEncoder {
    /// The form of what both programs print with `--json`: one document on one line, so that a stream of them can be read line by
    /// line, with its members in order.
    package static var forTerminal: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

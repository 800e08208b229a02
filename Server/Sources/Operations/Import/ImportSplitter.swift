/// Cuts a file into its accounts as it is read, with bounded memory and without understanding more of JSON than its strings and brackets.
package struct ImportSplitter: Sendable {
    /// One account, or what is in its place.
    package struct Unit: Sendable, Hashable {
        package enum Content: Sendable, Hashable {
            case json([UInt8])
            /// Longer than ``ImportSplitter/longest``.
            case tooLong
            /// In an array: no object.
            case noObject
        }

        /// Its place among the accounts, from 1. In an array, several may be on one line.
        package let number: Int
        /// The line where it begins, from 1.
        package let line: Int
        package let content: Content
    }

    /// How the file ended.
    package enum End: Sendable, Hashable {
        case whole
        /// In the middle of a document.
        case cut
        /// It has no array of accounts.
        case noAccounts
    }

    /// In bytes.
    package static let longest = 64 * 1024

    private let layout: ImportFormat.Layout
    private var line = 1
    private var count = 0
    private var unit: [UInt8] = []
    private var unitLine = 1
    private var isTooLong = false

    // Of an array's document.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var name: [UInt8] = []
    private var arrayDepth: Int?
    private var hadArray = false
    private var unitDepth: Int?
    private var isInScalar = false

    package init(_ layout: ImportFormat.Layout) { self.layout = layout }

    /// The accounts that end within these bytes of the file.
    package mutating func append(_ bytes: [UInt8]) -> [Unit] {
        var units: [Unit] = []
        for byte in bytes {
            let found = layout == .lines ? inLines(byte) : inDocument(byte)
            if let found { units.append(found) }
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
        return units
    }

    /// The last line, if it has no line break, and how the file ended.
    package mutating func finish() -> (Unit?, End) {
        guard layout == .lines else { return (nil, depth != 0 || isInString ? .cut : hadArray ? .whole : .noAccounts) }
        return (inLines(UInt8(ascii: "\n")), .whole)
    }

    private mutating func found(_ content: Unit.Content, at line: Int) -> Unit {
        count += 1
        return Unit(number: count, line: line, content: content)
    }

    private mutating func inLines(_ byte: UInt8) -> Unit? {
        guard byte == UInt8(ascii: "\n") else {
            if unit.isEmpty { unitLine = line }
            keep(byte)
            return nil
        }
        defer { clear() }
        // Empty lines mean nothing.
        guard isTooLong || unit.contains(where: { !ImportFormat.isSpace($0) }) else { return nil }
        return found(isTooLong ? .tooLong : .json(unit), at: line)
    }

    private mutating func inDocument(_ byte: UInt8) -> Unit? {
        if unitDepth != nil { keep(byte) }
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            } else if depth == 1, name.count < 64 {
                name.append(byte)
            }
            return nil
        }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            if depth == 1 { name = [] }
            return scalar()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            open(byte)
            return nil
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return close()
        case UInt8(ascii: ","):
            isInScalar = false
            return nil
        default: return ImportFormat.isSpace(byte) ? nil : scalar()
        }
    }

    /// A number, word or string: in the array, where accounts belong, it is a fault, and told once.
    private mutating func scalar() -> Unit? {
        guard let arrayDepth, depth == arrayDepth, unitDepth == nil, !isInScalar else { return nil }
        isInScalar = true
        return found(.noObject, at: line)
    }

    private mutating func open(_ byte: UInt8) {
        depth += 1
        if let arrayDepth {
            if depth == arrayDepth + 1, unitDepth == nil {
                unitDepth = depth
                unitLine = line
                keep(byte)
            }
        } else if !hadArray, byte == UInt8(ascii: "["), isAccounts {
            (arrayDepth, hadArray) = (depth, true)
        }
    }

    /// Whether the array that begins here is the one of the accounts.
    private var isAccounts: Bool {
        guard case .array(let member?) = layout else { return depth == 1 }
        return depth == 2 && name == Array(member.utf8)
    }

    private mutating func close() -> Unit? {
        isInScalar = false
        depth -= 1
        if let begin = unitDepth, depth == begin - 1 {
            defer { clear() }
            unitDepth = nil
            return found(isTooLong ? .tooLong : .json(unit), at: unitLine)
        }
        if let begin = arrayDepth, depth == begin - 1 { arrayDepth = nil }
        return nil
    }

    private mutating func keep(_ byte: UInt8) {
        guard unit.count < Self.longest else {
            isTooLong = true
            return
        }
        unit.append(byte)
    }

    private mutating func clear() {
        unit.removeAll(keepingCapacity: true)
        isTooLong = false
    }
}

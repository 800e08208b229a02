/// Validation of UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF, nothing truncated.
enum UTF8Text {
    static func isValid(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        var iterator = bytes.makeIterator()
        while let first = iterator.next() {
            if first < 0x80 { continue }
            // The second byte's range is narrower after these lead bytes. That alone rules out overlong forms,
            // surrogates and code points beyond Unicode.
            let second: ClosedRange<UInt8>
            let more: Int
            switch first {
            case 0xC2...0xDF: (second, more) = (0x80...0xBF, 0)
            case 0xE0: (second, more) = (0xA0...0xBF, 1)
            case 0xED: (second, more) = (0x80...0x9F, 1)
            case 0xE1...0xEF: (second, more) = (0x80...0xBF, 1)
            case 0xF0: (second, more) = (0x90...0xBF, 2)
            case 0xF1...0xF3: (second, more) = (0x80...0xBF, 2)
            case 0xF4: (second, more) = (0x80...0x8F, 2)
            default: return false
            }
            guard let next = iterator.next(), second.contains(next) else { return false }
            for _ in 0..<more {
                guard let next = iterator.next(), next & 0xC0 == 0x80 else { return false }
            }
        }
        return true
    }
}

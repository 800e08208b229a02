internal import CEmbeddedFiles

/// The most common passwords, in lower case: `Server/Resources/common-passwords.txt`, which `scripts/make_common_passwords.py` makes. Where
/// they are from, and their licence, is in NOTICE.
enum CommonPasswordList {
    /// A password in each line, sorted by their bytes.
    static var file: UnsafeBufferPointer<UInt8> {
        let file = embedded_common_passwords()
        return UnsafeBufferPointer(start: file.bytes, count: file.count)
    }

    /// Searches the list with some fourteen steps of a binary search over the program's own bytes, so that nothing is built at start or
    /// kept in memory. `password` is in lower case.
    static func contains(_ password: String) -> Bool {
        let wanted = Array(password.utf8)
        let bytes = file
        let newline = UInt8(ascii: "\n")
        // Both are at the beginning of an entry or the end of the list.
        var (low, high) = (bytes.startIndex, bytes.endIndex)
        while low < high {
            var start = low + (high - low) / 2
            while start > low, bytes[start - 1] != newline { start -= 1 }
            let end = bytes[start...].firstIndex(of: newline) ?? bytes.endIndex
            let entry = bytes[start..<end]
            if entry.elementsEqual(wanted) { return true }
            if entry.lexicographicallyPrecedes(wanted) { low = min(end + 1, high) } else { high = start }
        }
        return false
    }
}

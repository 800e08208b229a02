extension CommonPasswordList {
    /// Searches the list with some fourteen steps of a binary search over the program's own text, so that nothing is
    /// built at start or kept in memory. `password` is in lower case.
    static func contains(_ password: String) -> Bool {
        let wanted = Array(password.utf8)
        return entries.withUTF8Buffer { bytes in
            // Both are at the beginning of an entry or the end of the list.
            var (low, high) = (bytes.startIndex, bytes.endIndex)
            while low < high {
                var start = low + (high - low) / 2
                while start > low, bytes[start - 1] > UInt8(ascii: " ") { start -= 1 }
                let end = bytes[start...].firstIndex { $0 <= UInt8(ascii: " ") } ?? bytes.endIndex
                let entry = bytes[start..<end]
                if entry.elementsEqual(wanted) { return true }
                if entry.lexicographicallyPrecedes(wanted) { low = min(end + 1, high) } else { high = start }
            }
            return false
        }
    }
}

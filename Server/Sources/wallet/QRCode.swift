internal import CQRencode

/// A QR code drawn with half blocks, two rows of it to a line: it fits a terminal and is read by any phone.
struct QRCode {
    private let width: Int
    private let dark: [Bool]

    /// Light modules around the symbol, without which no reader finds it (ISO/IEC 18004 asks for four).
    private static let quietZone = 4

    /// - Parameter text: what is read from it.
    /// - Returns: nil where it is too long for a symbol.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let symbol = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(symbol) }
        guard let modules = symbol.pointee.data else { return nil }
        width = Int(symbol.pointee.width)
        // The lowest bit of a module says whether it is dark.
        dark = UnsafeBufferPointer(start: modules, count: width * width).map { $0 & 1 == 1 }
    }

    /// The lines, dark on light whatever the colors of the terminal are.
    var lines: [String] {
        let all = -Self.quietZone..<(width + Self.quietZone)
        return stride(from: all.lowerBound, to: all.upperBound, by: 2).map { row in
            let blocks = all.map { column in Self.block(isDark(row, column), isDark(row + 1, column)) }.joined()
            return "\u{1B}[30;107m\(blocks)\u{1B}[0m"
        }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
        return dark[row * width + column]
    }

    private static func block(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}

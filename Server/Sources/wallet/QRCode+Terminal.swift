internal import QRCodes

/// A QR code drawn with half blocks, two rows per line. It fits a terminal, and every phone can read it.
extension QRCode {
    /// The lines, dark on light whatever the terminal's colors.
    var lines: [String] {
        stride(from: extent.lowerBound, to: extent.upperBound, by: 2).map { row in
            let blocks = extent.map { column in Self.block(isDark(row, column), isDark(row + 1, column)) }.joined()
            return "\u{1B}[30;107m\(blocks)\u{1B}[0m"
        }
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

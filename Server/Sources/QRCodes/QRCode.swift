internal import CQRencode

/// A QR code (ISO/IEC 18004), as modules that are dark or light.
package struct QRCode: Sendable, Hashable {
    /// How many modules a side has, without the light ones around it.
    package let width: Int
    private let dark: [Bool]

    /// Light modules around the symbol, without which no reader finds it (ISO/IEC 18004 asks for four).
    package static let quietZone = 4

    /// The modules of a side with the quiet zone, as rows or columns.
    package var extent: Range<Int> { -Self.quietZone..<(width + Self.quietZone) }

    /// - Parameter text: what is read from it.
    /// - Returns: nil where it is too long for a symbol.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let symbol = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(symbol) }
        guard let modules = symbol.pointee.data else { return nil }
        width = Int(symbol.pointee.width)
        // The lowest bit of a module says whether it is dark.
        dark = UnsafeBufferPointer(start: modules, count: width * width).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark; none outside the symbol is.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
        return dark[row * width + column]
    }
}

internal import CQRencode

/// A QR code (ISO/IEC 18004), as dark and light modules.
package struct QRCode: Sendable, Hashable {
    /// The modules per side, without the quiet zone.
    package let width: Int
    private let dark: [Bool]

    /// The width of the light margin around the symbol, which readers need to find it (four modules by ISO/IEC 18004).
    package static let quietZone = 4

    /// The indices of rows or columns, including the quiet zone.
    package var extent: Range<Int> { -Self.quietZone..<(width + Self.quietZone) }

    /// - Parameter text: the content.
    /// - Returns: nil if it is too long for a symbol.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let symbol = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(symbol) }
        guard let modules = symbol.pointee.data else { return nil }
        width = Int(symbol.pointee.width)
        // The lowest bit of a module is set if it is dark.
        dark = UnsafeBufferPointer(start: modules, count: width * width).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark. Modules outside the symbol are light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
        return dark[row * width + column]
    }
}

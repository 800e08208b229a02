extension QRCode {
    /// The symbol with its quiet zone as a PNG image, one bit per pixel (ISO/IEC 15948).
    ///
    /// The data is stored uncompressed; an image has about ten kilobytes.
    /// - Parameter scale: pixels per side of a module, at least one.
    package func png(scale: Int = 8) -> [UInt8] {
        let scale = max(1, scale)
        let side = extent.count * scale
        var rows: [UInt8] = []
        for row in extent {
            // Each line begins with its filter type: none.
            var line: [UInt8] = [0] + [UInt8](repeating: 0xFF, count: (side + 7) / 8)
            for (index, column) in extent.enumerated() where isDark(row, column) {
                for pixel in (index * scale)..<((index + 1) * scale) { line[1 + pixel / 8] &= ~(0x80 >> (pixel % 8)) }
            }
            for _ in 0..<scale { rows += line }
        }
        var picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // One bit per pixel, grayscale, the only compression and filter methods of the standard, not interlaced.
        picture += Self.chunk("IHDR", Self.bigEndian(UInt32(side)) + Self.bigEndian(UInt32(side)) + [1, 0, 0, 0, 0])
        picture += Self.chunk("IDAT", Self.stored(rows))
        picture += Self.chunk("IEND", [])
        return picture
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + content + bigEndian(crc32(content))
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4).
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = data[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            for value in [length, ~length] { stream += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
            stream += block
        } while !rest.isEmpty
        return stream + bigEndian(adler32(data))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }

    /// ISO/IEC 15948, annex D.
    private static func crc32(_ data: [UInt8]) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in data {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        return ~remainder
    }

    /// RFC 1950 §8.2.
    private static func adler32(_ data: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return b << 16 | a
    }
}

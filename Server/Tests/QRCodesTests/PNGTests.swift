import QRCodes
import Testing

@Suite("A QR code as a PNG picture")
struct PNGTests {
    /// The chunks of a picture, by type.
    private func chunks(_ png: [UInt8]) throws -> [(type: String, data: [UInt8])] {
        var chunks: [(type: String, data: [UInt8])] = []
        var rest = png.dropFirst(8)
        while !rest.isEmpty {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            chunks.append((type, Array(rest.dropFirst(8).prefix(length))))
            rest = rest.dropFirst(12 + length)
        }
        return chunks
    }

    @Test("Its pixels are the symbol's modules with the quiet zone around them", arguments: [1, 3, 8])
    func pixels(scale: Int) throws {
        let code = try #require(QRCode("https://id.example.com/t/0190b3f2-0000-7000-8000-00000000002a#secret"))
        let chunks = try chunks(code.png(scale: scale))
        #expect(chunks.map(\.type) == ["IHDR", "IDAT", "IEND"])
        let side = code.extent.count * scale
        #expect(chunks[0].data.prefix(8).map { Int($0) } == [0, 0, side >> 8, side & 255, 0, 0, side >> 8, side & 255])
        // Stored blocks: five bytes of header before at most 65,535 of data.
        var data: [UInt8] = []
        var rest = chunks[1].data.dropFirst(2).dropLast(4)
        while !rest.isEmpty {
            let header = Array(rest.prefix(5))
            let length = Int(header[1]) | Int(header[2]) << 8
            data += rest.dropFirst(5).prefix(length)
            rest = rest.dropFirst(5 + length)
        }
        let line = 1 + (side + 7) / 8
        #expect(data.count == line * side)
        for (y, row) in code.extent.enumerated() {
            for (x, column) in code.extent.enumerated() {
                for (dy, dx) in [(0, 0), (scale - 1, scale - 1)] {
                    let pixel = x * scale + dx
                    let byte = data[(y * scale + dy) * line + 1 + pixel / 8]
                    #expect((byte & (0x80 >> (pixel % 8)) == 0) == code.isDark(row, column))
                }
            }
        }
    }

    @Test("The largest symbol is a picture as well, in several blocks")
    func largest() throws {
        let code = try #require(QRCode(String(repeating: "a", count: 2_000)))
        let data = try chunks(code.png())[1].data
        #expect(data.count > 65_535)
    }
}

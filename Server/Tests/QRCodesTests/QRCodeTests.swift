import CQRencode
import QRCodes
import Testing

@Suite("QR codes")
struct QRCodeTests {
    private static let text = "otpauth://totp/Wallet:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Wallet"

    /// The dark modules that the library itself gives.
    private func matrix(_ text: String) throws -> (width: Int, dark: Set<[Int]>) {
        let bytes = Array(text.utf8)
        let symbol = try #require(QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M))
        defer { QRcode_free(symbol) }
        let width = Int(symbol.pointee.width)
        let modules = try #require(symbol.pointee.data)
        var dark: Set<[Int]> = []
        for index in 0..<(width * width) where modules[index] & 1 == 1 { dark.insert([index / width, index % width]) }
        return (width, dark)
    }

    /// The modules that a path fills, as a browser would: each figure is one module high.
    private func drawn(_ path: String) throws -> Set<[Int]> {
        var dark: Set<[Int]> = []
        var read = ""
        for figure in path.matches(of: /M([0-9]+) ([0-9]+)h([0-9]+)v1h-([0-9]+)z/) {
            read += String(figure.output.0)
            let column = try #require(Int(figure.output.1))
            let row = try #require(Int(figure.output.2))
            let length = try #require(Int(figure.output.3))
            #expect(figure.output.3 == figure.output.4)
            for offset in 0..<length { dark.insert([row - QRCode.quietZone, column + offset - QRCode.quietZone]) }
        }
        #expect(read == path, "nothing else is in it")
        return dark
    }

    @Test("The drawing fills the very modules that the symbol has", arguments: [text, "1", "ISSUER/t/ж#ключ"])
    func drawing(text: String) throws {
        let code = try #require(QRCode(text))
        let expected = try matrix(text)
        #expect(code.width == expected.width)
        #expect(try drawn(code.svgPath) == expected.dark)
        #expect(code.extent.count == expected.width + 8)
    }

    @Test("Around the symbol everything is light, and its three corners are where readers look for them")
    func corners() throws {
        let code = try #require(QRCode(Self.text))
        for side in code.extent {
            #expect(!code.isDark(-1, side))
            #expect(!code.isDark(side, code.width))
        }
        for (row, column) in [(0, 0), (0, code.width - 7), (code.width - 7, 0)] {
            let edge = (0..<7).allSatisfy { code.isDark(row, column + $0) && code.isDark(row + 6, column + $0) }
            #expect(edge)
            #expect(code.isDark(row + 3, column + 3))
            #expect(!code.isDark(row + 1, column + 1))
        }
    }

    @Test("What is too long for a symbol has none")
    func tooLong() {
        #expect(QRCode(String(repeating: "x", count: 4000)) == nil)
        #expect(QRCode("") == nil)
    }
}

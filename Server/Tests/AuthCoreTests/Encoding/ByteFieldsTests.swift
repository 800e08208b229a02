import Testing

@testable import Core

@Suite("Fields of bytes")
struct ByteFieldsTests {
    @Test("A field of 65,535 bytes comes back, and a longer one is refused", arguments: [0, 255, 256, 65_535])
    func lengths(count: Int) throws {
        let field = [UInt8](repeating: 7, count: count)
        var writer = ByteWriter()
        try writer.field(field)
        try writer.text(String(repeating: "a", count: count))
        #expect(writer.bytes.count == 2 * (2 + count))
        var reader = ByteReader(writer.bytes)
        let read = (field: reader.field(), text: reader.text())
        #expect(read.field == field && read.text == String(repeating: "a", count: count))
        #expect(reader.isAtEnd)

        let longer = [UInt8](repeating: 7, count: count + 65_536)
        #expect(throws: WrongFieldLength.self) { try writer.field(longer) }
        #expect(throws: WrongFieldLength.self) { try writer.text(String(repeating: "é", count: count + 32_768)) }
    }

    @Test("A label is written like a text")
    func label() throws {
        var (label, text) = (ByteWriter(), ByteWriter())
        label.label("wallet-é")
        try text.text("wallet-é")
        #expect(label.bytes == text.bytes)
    }
}

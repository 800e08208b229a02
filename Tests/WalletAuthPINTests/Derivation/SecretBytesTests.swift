import Testing

@testable import WalletAuthPIN

@Suite("Secrets in memory")
struct SecretBytesTests {
    @Test("Overwriting leaves nothing but zeros, and touches no adjacent byte")
    func overwriting() {
        var memory = [UInt8](repeating: 7, count: 64)
        memory.withUnsafeMutableBytes { SecretBytes.overwrite(UnsafeMutableRawBufferPointer(rebasing: $0[8..<56])) }
        #expect(
            memory == [UInt8](repeating: 7, count: 8) + [UInt8](repeating: 0, count: 48) + [7, 7, 7, 7, 7, 7, 7, 7])
    }

    @Test("Bytes are lent and joined as they are, and none are none")
    func joining() {
        let joined = SecretBytes.joining(SecretBytes([1, 2]), SecretBytes([]), SecretBytes([3]))
        #expect(joined.withBytes { Array($0) } == [1, 2, 3])
        #expect(joined.withData { Array($0) } == [1, 2, 3])
        #expect(SecretBytes([]).withData { $0.isEmpty })
    }

    @Test("Neither a PIN nor what comes of it is ever printed")
    func redaction() throws {
        let pin = try PIN("493817")
        for text in ["\(pin)", String(reflecting: pin), "\([pin])", "\(Optional(pin) as Any)"] {
            #expect(text.contains("redacted"))
            #expect(!text.contains("4938"))
        }
        var dumped = ""
        dump(pin, to: &dumped)
        dump(SecretBytes("493817".utf8), to: &dumped)
        #expect(!dumped.contains("4938"))
        #expect(!dumped.contains("52"))
        #expect("\(SecretBytes("493817".utf8))" == "<redacted>")
    }
}

import Outbound
import Testing

@Suite("Digests of passwords for lists of stolen ones")
struct BreachDigestTests {
    @Test("A digest is SHA-1 in upper case, splits after five digits, and shows itself nowhere")
    func digest() {
        let digest = BreachDigest("password")
        #expect(digest.hexadecimal == "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8")
        #expect(digest.prefix == "5BAA6")
        #expect(digest.suffix == "1E4C9B93F3F0682250B6CF8331B7EE68FD8")
        #expect("\(digest) \(String(reflecting: digest))" == "<redacted> <redacted>")
        var dumped = ""
        dump(digest, to: &dumped)
        #expect(!dumped.contains("5BAA"))
    }
}

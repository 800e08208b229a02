import Core
import Testing

@testable import Kernel
@testable import SignIn

@Suite("The code that a device shows")
struct UserCodeTests {
    /// Random bytes that a test chooses.
    private struct Chosen: RandomBytes {
        let byte: UInt8
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { byte &+ UInt8(truncatingIfNeeded: $0) } }
    }

    @Test("It is eight letters that spell no word and look like no other, in two groups")
    func form() {
        for start in UInt8.min...UInt8.max {
            let code = UserCode(Chosen(byte: start))
            #expect(code.text.count == 9)
            #expect(code.letters.allSatisfy { !"AEIOUY0123456789".contains($0) })
            #expect(UserCode(typed: code.text) == code)
        }
        // Bytes from 240 on would make the first letters likelier, and are drawn again.
        #expect(UserCode(Chosen(byte: 250)).letters.first == UserCode(Chosen(byte: 0)).letters.first)
    }

    @Test(
        "It is read in small letters, with any dash or space, and in full width",
        arguments: ["BCDF-GHJK", "bcdfghjk", " bcdf – ghjk ", "BCDF\u{2011}GHJK", "ＢＣＤＦＧＨＪＫ", "b c d f g h j k"])
    func typed(text: String) {
        #expect(UserCode(typed: text)?.text == "BCDF-GHJK")
    }

    @Test(
        "Anything else is no code", arguments: ["", "BCDF", "BCDF-GHJA", "BCDF-GHJ1", "BCDF-GHJKL", "ВСDF-GHJK", "ß"])
    func malformed(text: String) {
        #expect(UserCode(typed: text) == nil)
    }
}

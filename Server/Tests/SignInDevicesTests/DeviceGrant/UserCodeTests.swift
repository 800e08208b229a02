import Core
import Synchronization
import Testing

@testable import Kernel
@testable import SignIn

@Suite("The code that a device shows", .covers("devices without a browser"))
struct UserCodeTests {
    /// Bytes that count up from one that a test chooses.
    private final class Counting: RandomBytes {
        private let next: Mutex<UInt8>

        init(from start: UInt8) { next = Mutex(start) }

        func bytes(_ count: Int) -> [UInt8] {
            next.withLock { next in
                (0..<count).map { _ in
                    defer { next &+= 1 }
                    return next
                }
            }
        }
    }

    @Test("It is eight letters that spell no word and look like no other, in two groups")
    func form() {
        for start in UInt8.min...UInt8.max {
            let code = UserCode(Counting(from: start))
            #expect(code.text.count == 9)
            #expect(code.letters.allSatisfy { !"AEIOUY0123456789".contains($0) })
            #expect(UserCode(typed: code.text) == code)
        }
        // Bytes from 240 on would make the first letters likelier, and are drawn again.
        #expect(UserCode(Counting(from: 250)).letters.first == UserCode(Counting(from: 0)).letters.first)
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

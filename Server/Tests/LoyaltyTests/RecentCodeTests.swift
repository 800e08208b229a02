import Core
import Testing

@testable import Loyalty

@Suite("Codes that were redeemed a moment ago")
struct RecentCodeTests {
    private let start = Timestamp(seconds: 1_800_000_000)
    private let first: [UInt8] = [1]
    private let second: [UInt8] = [2]
    private let third: [UInt8] = [3]

    @Test("A code is known for its time, and makes room for another one when that is over")
    func expiry() {
        var codes = RecentCodes(lifetime: .minutes(10), capacity: 2)
        codes.insert(first, now: start)
        codes.insert(second, now: start + .minutes(5))
        let (last, over) = (start + .minutes(10) - .milliseconds(1), start + .minutes(10))
        codes.insert(third, now: last)
        #expect(codes.contains(first, now: last))
        #expect(!codes.contains(third, now: last))
        #expect(!codes.contains(first, now: over))
        codes.insert(third, now: over)
        #expect(codes.contains(second, now: over))
        #expect(codes.contains(third, now: over))
        #expect(codes.count == 2)
    }

    @Test("However many codes come, no more are kept than fit, and expired ones are dropped")
    func bound() {
        var codes = RecentCodes(lifetime: .seconds(10), capacity: 8)
        for number in 0..<1000 {
            let now = start + .seconds(number)
            let code = Array("\(number)".utf8)
            codes.insert(code, now: now)
            #expect(codes.count <= 8)
            // Eight come in eight seconds, and the next two find no room.
            let isKnown = codes.contains(code, now: now)
            #expect(isKnown == (number % 10 < 8))
        }
        codes.insert(first, now: start + .seconds(2000))
        #expect(codes.count == 1)
    }
}

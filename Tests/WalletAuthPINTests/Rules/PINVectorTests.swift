import Foundation
import Testing

@testable import WalletAuthPIN

/// Tests/Vectors/wpin-1/pins.json: the rules for new PINs as data, for clients in other languages.
@Suite("The rules for new PINs as data")
struct PINVectorTests {
    private struct Vectors: Decodable {
        let rules: Rules
        let cases: [Case]
        let refused: [String: [String]]

        struct Rules: Decodable {
            let shortest: Int
            let longest: Int
            let newMinimum: Int
            let differentDigits: Int
            let years: [Int]
            let listed: [String]
        }

        struct Case: Decodable {
            let pin: String
            let minimum: Int?
            let fault: String?
        }
    }

    private func vectors() throws -> Vectors {
        let file = WPIN1Vectors.folder.appending(path: "pins.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }

    private func fault(_ text: String, minimum: Int) -> String? {
        do throws(PINFault) {
            try PINRules(minimumLength: minimum).check(try PIN(text))
            return nil
        } catch {
            return switch error {
            case .malformed: "malformed"
            case .tooShort: "tooShort"
            case .tooLong: "tooLong"
            case .tooCommon: "tooCommon"
            }
        }
    }

    @Test("Each example is taken or refused, for the reason that the data names")
    func cases() throws {
        let vectors = try vectors()
        for example in vectors.cases {
            let found = fault(example.pin, minimum: example.minimum ?? vectors.rules.newMinimum)
            #expect(found == example.fault, "\(example.pin)")
        }
        #expect(PIN.lengths == vectors.rules.shortest...vectors.rules.longest)
        #expect(PINRules().minimumLength == vectors.rules.newMinimum)
        #expect(vectors.rules.listed.allSatisfy { fault($0, minimum: 4) == "tooCommon" })
    }

    @Test("Of four digits the refused PINs are those of the list, and no other; of six each of the list is refused")
    func lists() throws {
        let vectors = try vectors()
        let four = try #require(vectors.refused["4"])
        let all = (0..<10_000).map { String(format: "%04d", $0) }
        #expect(all.filter { fault($0, minimum: 4) != nil } == four)
        let six = try #require(vectors.refused["6"])
        #expect(six.allSatisfy { fault($0, minimum: 6) == "tooCommon" })
        // All of a million would take a minute here: a stretch without gaps represents them.
        let stretch = (120_000..<130_000).map { String($0) }
        #expect(stretch.filter { fault($0, minimum: 6) != nil } == six.filter { $0 >= "120000" && $0 < "130000" })
    }
}

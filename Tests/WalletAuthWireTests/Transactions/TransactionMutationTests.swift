import Foundation
import Testing
import WalletAuthWire

@Suite("Mutated codes and payloads of transactions", .threat("Malformed tokens and JSON"))
struct TransactionMutationTests {
    /// A fuzz target, by the name of its corpus.
    enum Target: String, CaseIterable, Sendable {
        case link = "transaction-link"
        case payload = "transaction-payload"

        func reading(_ bytes: [UInt8]) -> TransactionProperties.Reading {
            switch self {
            case .link: TransactionProperties.reading(ofLink: bytes)
            case .payload: TransactionProperties.reading(ofPayload: bytes)
            }
        }

        /// The seeds in the order of their names, so that a run can be repeated.
        func seeds() throws -> [Seed] {
            let folder = Self.repository.appending(path: "Fuzzing/Corpus").appending(path: rawValue)
            let files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            return try files.map { Seed(name: $0.lastPathComponent, bytes: [UInt8](try Data(contentsOf: $0))) }
                .sorted { $0.name < $1.name }
        }

        /// This file is four levels below the root.
        private static let repository = (1...4).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
    }

    struct Seed: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    @Test("Each seed of a fuzz target is accepted, or refused if its name says so", arguments: Target.allCases)
    func seeds(target: Target) throws {
        let seeds = try target.seeds()
        #expect(seeds.count > 10)
        for seed in seeds {
            let expected: TransactionProperties.Reading = seed.name.hasPrefix("refused-") ? .refused : .accepted
            #expect(target.reading(seed.bytes) == expected, "\(seed.name)")
        }
    }

    @Test("A mutated link that is accepted is written as the same text, and read again as the same link")
    func links() throws { try mutate(.link, state: 1) }

    @Test("A mutated payload that is accepted is canonical, has no member twice and hides no character")
    func payloads() throws { try mutate(.payload, state: 2) }

    private func mutate(_ target: Target, state: UInt64) throws {
        let seeds = try target.seeds().map(\.bytes)
        let known = Set(seeds)
        var mutator = Mutator(seeds: seeds, generator: SplitMix64(state: state))
        var accepted = 0
        for _ in 0..<20_000 {
            let mutant = mutator.next()
            switch target.reading(mutant) {
            case .refused: continue
            case .accepted: accepted += known.contains(mutant) ? 0 : 1
            case .broken(let fault): Issue.record("\(fault): \(Base64URL.encode(mutant))")
            }
        }
        // A mutator that spoils every input would prove nothing about those that are accepted.
        #expect(accepted > 0)
    }
}

/// Changes seeds at random, one to four times each.
private struct Mutator {
    let seeds: [[UInt8]]
    var generator: SplitMix64

    /// What readers tend to stumble over.
    private static let tokens: [[UInt8]] = [
        "\"", "\\", "\\u0061", "\\ud83d", ",", ":", "{", "}", "[", "]", "null", "\"ver\":1,", "\"lines\":[],", "1e0",
        "\u{202E}", "\u{200D}", "\u{0}", "/t/", "/", "//", "#", "?", "@", "%2f", "..",
    ].map { Array($0.utf8) }

    mutating func next() -> [UInt8] {
        var bytes = seeds[random(below: seeds.count)]
        for _ in 0...random(below: 4) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = random(below: bytes.count + 1)
        let end = place + random(below: min(16, bytes.count - place) + 1)
        let kind = random(below: 7)
        switch kind {
        case 0 where place < bytes.count:
            bytes[place] ^= UInt8(1) << UInt8(random(below: 8))
        case 1 where place < bytes.count:
            bytes[place] = UInt8(random(below: 256))
        case 2:
            bytes.insert(UInt8(random(below: 256)), at: place)
        case 3:
            bytes.removeSubrange(place..<end)
        case 4:
            let copy = Array(bytes[place..<end])
            bytes.insert(contentsOf: copy, at: random(below: bytes.count + 1))
        case 5:
            let other = seeds[random(below: seeds.count)]
            bytes.replaceSubrange(place..<bytes.count, with: other[random(below: other.count + 1)..<other.count])
        default:
            bytes.insert(contentsOf: Self.tokens[random(below: Self.tokens.count)], at: place)
        }
    }

    private mutating func random(below count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
}

import Core
import Dispatch
import Synchronization
import Testing

@testable import Outbound

@Suite("Looking host names up")
struct NameLookupTests {
    private let address = NetworkAddress("192.0.2.7")

    @Test(
        "A name that does not resolve holds one lookup, however many ask; others are found, and their number is bounded",
        .threat("A forged or misused provider identity"),
        .timeLimit(.minutes(5)))
    func bounded() async throws {
        let found = [try #require(address)]
        let asked = Mutex<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let lookups = NameLookups(most: 2) { host in
            asked.withLock { $0.append(host) }
            if host.hasPrefix("slow") {
                begin.yield()
                gate.wait()
            }
            return found
        }
        var arrivals = begun.makeAsyncIterator()
        var waiting = [Task { try await lookups.addresses(of: "slow.example.com") }]
        await arrivals.next()
        for _ in 0..<30 { waiting.append(Task { try await lookups.addresses(of: "slow.example.com") }) }
        for _ in 0..<3 { #expect(try await lookups.addresses(of: "quick.example.com") == found) }
        waiting.append(Task { try await lookups.addresses(of: "slow-too.example.com") })
        await arrivals.next()
        await #expect(throws: OutboundFault.tooManyLookups) {
            _ = try await lookups.addresses(of: "quick.example.com")
        }
        for _ in 0..<40 { gate.signal() }
        for task in waiting { #expect(try await task.value == found) }
        #expect(try await lookups.addresses(of: "quick.example.com") == found)
        let names = asked.withLock { $0 }
        #expect(names.count { $0 == "slow-too.example.com" } == 1)
    }

    @Test("All that wait for a lookup get its failure, and the next one asks again")
    func failure() async throws {
        let found = [try #require(address)]
        let count = Mutex(0)
        let lookups = NameLookups { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { throw OutboundFault.unresolved }
            return found
        }
        await #expect(throws: OutboundFault.unresolved) { _ = try await lookups.addresses(of: "example.com") }
        #expect(try await lookups.addresses(of: "example.com") == found)
    }
}

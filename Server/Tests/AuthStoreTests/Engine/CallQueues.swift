import Foundation
import Store
import Testing

@Suite("The queue of an engine's calls")
struct CallQueues {
    private final class Call: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    private func queue(of count: Int) -> CallQueue<Call> {
        let queue = CallQueue<Call>(capacity: count)
        for number in 0..<count { _ = queue.put(Call(number)) }
        return queue
    }

    @Test("A queue keeps no call that was taken")
    func release() {
        let queue = queue(of: 3)
        weak var taken: Call?
        do {
            let calls = queue.take(upTo: 1)
            taken = calls.first
            #expect(calls.count == 1)
        }
        let isKept = taken != nil
        #expect(!isKept)
        #expect(queue.count == 2)
    }

    @Test("A thread gets the first call that it accepts, and those before it stay in their order")
    func accepting() {
        let queue = queue(of: 5)
        let odd = queue.take(upTo: 1) { !$0.number.isMultiple(of: 2) }
        #expect(odd.map { $0.number } == [1])
        #expect(queue.count == 4)
        let rest = queue.take(upTo: 9)
        #expect(rest.map { $0.number } == [0, 2, 3, 4])
        queue.close()
        let none = queue.take(upTo: 1) { _ in true }
        #expect(none.isEmpty)
    }

    @Test("A sleeping thread is woken by a call that it accepts, and not by others")
    func sleeping() async {
        let queue = CallQueue<Call>(capacity: 100)
        async let even = Self.takenOnThread(queue) { $0.number.isMultiple(of: 2) }
        async let odd = Self.takenOnThread(queue) { !$0.number.isMultiple(of: 2) }
        for number in [7, 4] { _ = queue.put(Call(number)) }
        let (takenEven, takenOdd) = await (even, odd)
        #expect(takenEven == 4)
        #expect(takenOdd == 7)
    }

    /// Not on the cooperative pool, whose threads must not sleep.
    private static func takenOnThread(
        _ queue: CallQueue<Call>, _ accepts: @escaping @Sendable (Call) -> Bool
    ) async -> Int? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: queue.take(upTo: 1, accepting: accepts).first?.number)
            }
        }
    }

    @Test("A thread that finds no call in its time gets none, and what comes later waits for others")
    func patience() {
        let queue = CallQueue<Call>(capacity: 10)
        let none = queue.take(upTo: 1, within: .milliseconds(1)) { _ in true }
        #expect(none.isEmpty && !queue.isEnding)
        _ = queue.put(Call(1))
        let later = queue.take(upTo: 1, within: .milliseconds(1)) { _ in true }
        #expect(later.map { $0.number } == [1])
        queue.close()
        #expect(queue.isEnding)
    }

    @Test("Calls that no thread takes for long keep their place while many others pass them")
    func passing() {
        let queue = CallQueue<Call>(capacity: 10)
        _ = queue.put(Call(-1))
        for number in 0..<5_000 {
            _ = queue.put(Call(number))
            let taken = queue.take(upTo: 1) { $0.number >= 0 }
            #expect(taken.first?.number == number)
        }
        _ = queue.put(Call(5_000))
        let rest = queue.takeAll()
        #expect(rest.map { $0.number } == [-1, 5_000])
    }

    @Test("Calls are taken in order, and one that was put back comes first")
    func order() throws {
        let queue = queue(of: 4)
        let first = queue.take(upTo: 2)
        #expect(first.map { $0.number } == [0, 1])
        queue.putBack(try #require(first.last))
        #expect(queue.count == 3)
        let parts = queue.take(where: { $0.number == 2 })
        #expect(parts.taken.map { $0.number } == [2])
        #expect(parts.left.map { $0.number } == [1, 3])
        let rest = queue.takeAll()
        #expect(rest.map { $0.number } == [1, 3])
    }
}

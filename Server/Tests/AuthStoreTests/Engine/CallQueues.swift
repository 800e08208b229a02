import AuthStore
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

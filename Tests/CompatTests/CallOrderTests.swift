import CompatCalls
import Testing

@MainActor
@Suite(.covers("completions and delegates"))
struct CallOrderTests {
    @Test("Results arrive in the order of the calls, even if the first takes longest")
    func order() async {
        let calls = CallOrder()
        let gate = AsyncStream.makeStream(of: Void.self)
        var results: [Int] = []
        calls.add(
            {
                for await _ in gate.stream { break }; return 1
            }, completion: { results.append($0) })
        calls.add({ 2 }, completion: { results.append($0) })
        #expect(results.isEmpty)
        gate.continuation.yield()
        await calls.waitForAll()
        #expect(results == [1, 2])
    }

    @Test("A result arrives on the main actor, after the call has returned")
    func afterReturn() async {
        let calls = CallOrder()
        var steps: [String] = []
        let call = calls.add(
            { 1 },
            completion: { _ in
                MainActor.assertIsolated()
                steps.append("completed")
            })
        steps.append("returned")
        await call.value
        #expect(steps == ["returned", "completed"])
    }

    @Test("A result arrives even if the caller is gone")
    func withoutCaller() async {
        var calls: CallOrder? = CallOrder()
        var result: Int?
        let call = calls?.add({ 1 }, completion: { result = $0 })
        calls = nil
        await call?.value
        #expect(result == 1)
    }
}

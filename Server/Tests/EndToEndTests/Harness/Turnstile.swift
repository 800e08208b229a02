import Foundation

/// Lets a few through at a time: Swift Testing starts all tests at once, and thirty servers on two cores would test the
/// scheduler's patience instead of ours.
actor Turnstile {
    private var free: Int
    private var waiting: [(places: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(places: Int) { free = places }

    /// Takes places once they are free, in the order of the calls.
    func enter(taking places: Int = 1) async {
        guard !waiting.isEmpty || free < places else {
            free -= places
            return
        }
        await withCheckedContinuation { waiting.append((places: places, continuation: $0)) }
    }

    func leave(giving places: Int = 1) {
        free += places
        while let next = waiting.first, next.places <= free {
            free -= next.places
            waiting.removeFirst().continuation.resume()
        }
    }

    /// Tests with servers, of the whole run. Two for each processor, since a test waits for a disk, a time limit or another
    /// program half of its time, and one more.
    static let servers = Turnstile(places: 2 * ProcessInfo.processInfo.activeProcessorCount + 1)
}

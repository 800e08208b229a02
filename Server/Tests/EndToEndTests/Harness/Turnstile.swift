/// Lets a few through at a time: Swift Testing starts all tests at once, and thirty servers on two cores would test the
/// scheduler's patience instead of ours.
actor Turnstile {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) { free = width }

    func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard waiting.isEmpty else {
            waiting.removeFirst().resume()
            return
        }
        free += 1
    }

    /// Servers of the whole run.
    static let servers = Turnstile(width: 3)
}

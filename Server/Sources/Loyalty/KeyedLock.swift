/// Runs one body at a time per key: of equal concurrent requests, the first does the work and the others find its result.
actor KeyedLock {
    /// More than any client sends at once for one guest.
    private static let mostWaiting = 128

    private var waiting: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs a body while no other one runs for the key.
    /// - Returns: `nil` if too many are already waiting.
    nonisolated func alone<Value: Sendable>(
        with key: [UInt8], _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value? {
        guard await take(key) else { return nil }
        let outcome: Value
        do { outcome = try await body() } catch {
            await give(key)
            throw error
        }
        await give(key)
        return outcome
    }

    private func take(_ key: [UInt8]) async -> Bool {
        guard let queue = waiting[key] else {
            waiting[key] = []
            return true
        }
        guard queue.count < Self.mostWaiting else { return false }
        await withCheckedContinuation { waiting[key]?.append($0) }
        return true
    }

    private func give(_ key: [UInt8]) {
        guard waiting[key]?.isEmpty == false else {
            waiting[key] = nil
            return
        }
        waiting[key]?.removeFirst().resume()
    }
}

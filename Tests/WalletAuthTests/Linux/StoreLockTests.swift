#if os(Linux)
    import Foundation
    import Testing
    import WalletAuthTransport

    @testable import WalletAuth

    @Suite("The locks of the encrypted file store")
    struct StoreLockTests {
        let folder: TemporaryFolder
        let lock = SecureStoreLock("refresh")
        /// Longer than a busy machine takes for all who hold the lock before.
        private let patience = Duration.seconds(600)

        init() throws { folder = try TemporaryFolder() }

        private func store() -> EncryptedFileStore {
            EncryptedFileStore(directory: folder.store, lockLimit: patience)
        }

        @Test("let one task in at a time, also through several instances")
        func exclusion() async throws {
            let stores = (0..<2).map { _ in store() }
            let inside = LockedValue(0)
            let most = LockedValue(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await stores[number % 2].withExclusiveLock(lock) {
                            let now = inside.withLock { inside -> Int in
                                inside += 1
                                return inside
                            }
                            most.withLock { $0 = max($0, now) }
                            await Task.yield()
                            inside.withLock { $0 -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(most.withLock { $0 } == 1)
        }

        @Test("do not exclude each other under different names")
        func independence() async throws {
            let store = store()
            let isInside = try await store.withExclusiveLock(lock) {
                try await store.withExclusiveLock(SecureStoreLock("other")) { true }
            }
            #expect(isInside)
        }

        @Test("are free again after a body that throws")
        func throwingBody() async throws {
            let store = store()
            struct Boom: Error {}
            await #expect(throws: Boom.self) { try await store.withExclusiveLock(lock) { throw Boom() } }
            #expect(try await store.withExclusiveLock(lock) { true })
        }

        @Test("stop waiting when the task is cancelled, and leave the holder alone", arguments: [0, 1])
        func cancellation(waiterInstance: Int) async throws {
            let stores = (0..<2).map { _ in store() }
            try await stores[0].withExclusiveLock(lock) {
                // Sooner and later: before it waits, on its way to the lock, and long after.
                for moment in 0...12 {
                    let waiter = Task { try await stores[waiterInstance].withExclusiveLock(lock) {} }
                    for _ in 0..<(1 << moment) { await Task.yield() }
                    waiter.cancel()
                    await #expect(throws: CancellationError.self) { try await waiter.value }
                }
            }
            #expect(try await stores[waiterInstance].withExclusiveLock(lock) { true })
        }

        @Test("say that they are busy after the limit", arguments: [0, 1])
        func limit(waiterInstance: Int) async throws {
            let stores = (0..<2).map { _ in
                EncryptedFileStore(directory: folder.store, lockLimit: .milliseconds(100), reached: { _ in })
            }
            try await stores[0].withExclusiveLock(lock) {
                await expectFailure(.busy) { try await stores[waiterInstance].withExclusiveLock(lock) {} }
            }
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import WalletAuth

    /// Real processes, really killed: each body of `processExitsWith` runs in a process of its own.
    @Suite("The encrypted file store under crashes")
    struct StoreCrashTests {
        static let key = SecureStoreKey("session")
        /// Longer than a busy machine takes for all who hold the lock before.
        static let patience = Duration.seconds(600)

        @Test(
            "loses nothing when its process is killed at any step of a write: the old value or the new one is there, whole",
            arguments: PrivateFolder.Step.allCases.indices)
        func killedAtStep(step: Int) async throws {
            let folder = try TemporaryFolder()
            let store = EncryptedFileStore(directory: folder.store)
            try await store.put(Self.value(1), for: Self.key)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.store.path as String, step = step as Int] in
                let dying = EncryptedFileStore(
                    directory: URL(fileURLWithPath: path), lockLimit: Self.patience,
                    reached: { if $0 == PrivateFolder.Step.allCases[step] { kill(getpid(), SIGKILL) } })
                try await dying.put(Self.value(2), for: Self.key)
            }
            let isRenamed = PrivateFolder.Step.allCases[step] == .renamed
            #expect(try await store.get(Self.key) == Self.value(isRenamed ? 2 : 1))
            // What the dead process left neither blocks the next write nor stays.
            try await store.put(Self.value(3), for: Self.key)
            #expect(try await store.get(Self.key) == Self.value(3))
            #expect(try folder.names() == ["key", "session.item", "writing"])
        }

        @Test("loses nothing when its process is killed at a random moment of many writes", arguments: 0..<5)
        func killedAtRandom(round: Int) async throws {
            let folder = try TemporaryFolder()
            let store = EncryptedFileStore(directory: folder.store)
            try await store.put(Self.value(0), for: Self.key)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.store.path as String] in
                let (steps, step) = AsyncStream.makeStream(of: Void.self)
                let writing = Task {
                    let dying = EncryptedFileStore(
                        directory: URL(fileURLWithPath: path), lockLimit: Self.patience, reached: { _ in step.yield() })
                    for number in 1...100_000 { try await dying.put(Self.value(number % 200), for: Self.key) }
                }
                // The writer goes on meanwhile, and dies wherever it is by then.
                var left = Int.random(in: 1...300)
                for await _ in steps {
                    left -= 1
                    if left == 0 { kill(getpid(), SIGKILL) }
                }
                try await writing.value
            }
            let found = try #require(try await store.get(Self.key))
            #expect((0..<200).contains { Self.value($0) == found })
            try await store.put(Self.value(7), for: Self.key)
            #expect(try await store.get(Self.key) == Self.value(7))
        }

        @Test("says that there is no room, and keeps the former value, when a write does not fit")
        func noRoom() async throws {
            let folder = try TemporaryFolder()
            try await EncryptedFileStore(directory: folder.store).put(Self.value(1), for: Self.key)
            await #expect(processExitsWith: .success) { [path = folder.store.path as String] in
                // What a full disk is to one process: the kernel refuses to let a file grow.
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 2048, rlim_max: 2048)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let store = EncryptedFileStore(directory: URL(fileURLWithPath: path))
                do {
                    try await store.put(Self.value(200), for: Self.key)
                    exit(1)
                } catch let failure as SecureStoreFailure {
                    guard failure.kind == .full, try await store.get(Self.key) == Self.value(1) else { exit(2) }
                }
                exit(0)
            }
            #expect(try folder.names() == ["key", "session.item", "writing"])
        }

        @Test("frees the lock of a process that was killed while it held it")
        func lockOfTheDead() async throws {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.store.path as String] in
                let store = EncryptedFileStore(directory: URL(fileURLWithPath: path))
                try await store.withExclusiveLock(SecureStoreLock("refresh")) { _ = kill(getpid(), SIGKILL) }
            }
            let store = EncryptedFileStore(directory: folder.store, lockLimit: Self.patience)
            #expect(try await store.withExclusiveLock(SecureStoreLock("refresh")) { true })
        }

        @Test("keeps two processes apart that count under one lock")
        func twoProcesses() async throws {
            let folder = try TemporaryFolder()
            let store = EncryptedFileStore(directory: folder.store, lockLimit: Self.patience)
            async let other: ExitTest.Result? = #expect(processExitsWith: .success) {
                [path = folder.store.path as String] in
                let store = EncryptedFileStore(directory: URL(fileURLWithPath: path), lockLimit: Self.patience)
                try await Self.count(in: store, times: 50)
            }
            try await Self.count(in: store, times: 50)
            _ = await other
            #expect(try await store.get(Self.key) == Data("100".utf8))
        }

        static func count(in store: EncryptedFileStore, times: Int) async throws {
            for _ in 0..<times {
                try await store.withExclusiveLock(SecureStoreLock("count")) {
                    let text = try await store.get(key).map { String(decoding: $0, as: UTF8.self) } ?? "0"
                    try await store.put(Data("\((Int(text) ?? 0) + 1)".utf8), for: key)
                }
            }
        }

        /// A value that is whole or plainly is not: all its bytes are alike, and their number tells which they are.
        static func value(_ number: Int) -> Data {
            Data(repeating: UInt8(number % 251), count: 500 + number * 37)
        }
    }
#endif

#if os(Linux)
    import Foundation
    import Testing

    @testable import WalletAuth

    @Suite("The encrypted file store")
    struct EncryptedFileStoreTests {
        let folder: TemporaryFolder
        let store: EncryptedFileStore
        let key = SecureStoreKey("session")

        init() throws {
            folder = try TemporaryFolder()
            store = EncryptedFileStore(directory: folder.store)
        }

        @Test("keeps what was put, for another instance as well, and forgets what was removed")
        func roundTrip() async throws {
            #expect(try await store.get(key) == nil)
            try await store.put(Data("first".utf8), for: key)
            try await store.put(Data("second".utf8), for: key)
            #expect(try await EncryptedFileStore(directory: folder.store).get(key) == Data("second".utf8))
            try await store.remove(key)
            try await store.remove(key)
            #expect(try await store.get(key) == nil)
        }

        @Test("makes nothing on the disk by reading, removing or being made")
        func readingMakesNothing() async throws {
            #expect(try await store.get(key) == nil)
            try await store.remove(key)
            #expect(!FileManager.default.fileExists(atPath: folder.store.path))
        }

        @Test("gives its folder mode 0700 and its files mode 0600")
        func modes() async throws {
            try await store.put(Data("secret".utf8), for: key)
            #expect(try folder.mode("") == 0o700)
            #expect(try folder.mode("../") == 0o700)
            #expect(try folder.names() == ["key", "session.item", "writing"])
            for name in try folder.names() { #expect(try folder.mode(name) == 0o600) }
        }

        @Test("writes no readable byte of a value to the disk")
        func encryption() async throws {
            try await store.put(Data("a very secret refresh token".utf8), for: key)
            let file = try Data(contentsOf: folder.store.appendingPathComponent("session.item"))
            #expect(file.range(of: Data("secret".utf8)) == nil)
            try await store.put(Data("a very secret refresh token".utf8), for: key)
            #expect(try Data(contentsOf: folder.store.appendingPathComponent("session.item")) != file)
        }

        @Test("refuses an item whose file was put in another item's place (AAD)")
        func swappedItems() async throws {
            try await store.put(Data("alice".utf8), for: key)
            let other = SecureStoreKey("other")
            try await store.put(Data("mallory".utf8), for: other)
            try FileManager.default.removeItem(at: folder.store.appendingPathComponent("session.item"))
            try FileManager.default.moveItem(
                at: folder.store.appendingPathComponent("other.item"),
                to: folder.store.appendingPathComponent("session.item"))
            await expectFailure(.damaged) { try await store.get(key) }
        }

        @Test("finds every changed, cut or foreign byte of an item", arguments: [0, 4, 15, 20, -1, -17])
        func damage(offset: Int) async throws {
            try await store.put(Data("value".utf8), for: key)
            let file = folder.store.appendingPathComponent("session.item")
            var bytes = try [UInt8](Data(contentsOf: file))
            bytes[offset < 0 ? bytes.count + offset : offset] ^= 1
            try rewrite(file, bytes)
            await expectFailure(.damaged) { try await store.get(key) }
            try rewrite(file, Array(bytes.dropLast(9)))
            await expectFailure(.damaged) { try await store.get(key) }
            try rewrite(file, [])
            await expectFailure(.damaged) { try await store.get(key) }
            try await store.put(Data("again".utf8), for: key)
            #expect(try await store.get(key) == Data("again".utf8))
        }

        @Test("never answers nil for an item whose key is gone, and never replaces a damaged key")
        func lostKey() async throws {
            try await store.put(Data("value".utf8), for: key)
            let file = folder.store.appendingPathComponent("key")
            let secret = try [UInt8](Data(contentsOf: file))
            try rewrite(file, Array(secret.dropLast()))
            await expectFailure(.damaged) { try await store.get(key) }
            await expectFailure(.damaged) { try await store.put(Data(), for: key) }
            try rewrite(file, secret)
            #expect(try await store.get(key) == Data("value".utf8))
            try FileManager.default.removeItem(at: file)
            await expectFailure(.damaged) { try await store.get(key) }
        }

        @Test("refuses a key or an item that other users could read", arguments: ["key", "session.item"])
        func openToOthers(name: String) async throws {
            try await store.put(Data("value".utf8), for: key)
            try setMode(0o640, name)
            await expectFailure(.denied) { try await store.get(key) }
        }

        @Test("refuses a folder that other users could write to")
        func sharedFolder() async throws {
            try await store.put(Data("value".utf8), for: key)
            try setMode(0o770, "")
            await expectFailure(.denied) { try await store.get(key) }
            await expectFailure(.denied) { try await store.put(Data(), for: key) }
        }

        @Test("follows no symbolic link in an item's place")
        func symbolicLink() async throws {
            try await store.put(Data("value".utf8), for: key)
            let file = folder.store.appendingPathComponent("session.item")
            try FileManager.default.moveItem(at: file, to: folder.url.appendingPathComponent("elsewhere"))
            try FileManager.default.createSymbolicLink(
                at: file, withDestinationURL: folder.url.appendingPathComponent("elsewhere"))
            await expectFailure(.denied) { try await store.get(key) }
        }

        @Test("keeps each of two hundred values written at once by four instances, and makes one key for all")
        func manyWriters() async throws {
            // They keep the folder's lock busy all the time, on a disk that may be slow.
            let patience = Duration.seconds(600)
            let stores = (0..<4).map { _ in
                EncryptedFileStore(
                    directory: folder.store, lockLimit: patience, writeLimit: patience, reached: { _ in })
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await stores[number % 4].put(Data("\(number)".utf8), for: SecureStoreKey("item-\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<200 {
                #expect(try await store.get(SecureStoreKey("item-\(number)")) == Data("\(number)".utf8))
            }
        }

        private func rewrite(_ file: URL, _ bytes: [UInt8]) throws {
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }

        private func setMode(_ mode: Int, _ name: String) throws {
            try FileManager.default.setAttributes(
                [.posixPermissions: NSNumber(value: mode)], ofItemAtPath: folder.store.appendingPathComponent(name).path
            )
        }
    }

    /// Expects a failure of the store of one kind.
    func expectFailure(
        _ kind: SecureStoreFailure.Kind, _ body: () async throws -> Void, location: SourceLocation = #_sourceLocation
    ) async {
        do {
            try await body()
            Issue.record("nothing was thrown", sourceLocation: location)
        } catch let failure as SecureStoreFailure {
            #expect(failure.kind == kind, "\(failure.reason)", sourceLocation: location)
        } catch {
            Issue.record("\(error)", sourceLocation: location)
        }
    }

    func expectFailure(
        _ kind: SecureStoreFailure.Kind, _ body: () async throws -> Data?, location: SourceLocation = #_sourceLocation
    ) async {
        await expectFailure(kind, { () async throws -> Void in _ = try await body() }, location: location)
    }
#endif

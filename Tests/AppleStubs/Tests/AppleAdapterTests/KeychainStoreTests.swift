import Foundation
import Security
import Testing
import WalletAuthTransport

@testable import AppleAdapters

@Suite("The keychain store", .serialized)
struct KeychainStoreTests {
    let store = KeychainStore(
        service: UUID().uuidString, accessGroup: "TEAM.wallet", lockDirectory: FileManager.default.temporaryDirectory)
    let key = SecureStoreKey(UUID().uuidString)

    @Test("keeps, replaces and forgets")
    func roundTrip() async throws {
        #expect(try await store.get(key) == nil)
        try await store.put(Data("a".utf8), for: key)
        try await store.put(Data("b".utf8), for: key)
        #expect(try await store.get(key) == Data("b".utf8))
        try await store.remove(key)
        try await store.remove(key)
        #expect(try await store.get(key) == nil)
    }

    @Test("keeps items on this device, readable after the first unlock, in the shared access group")
    func attributes() async throws {
        try await store.put(Data("a".utf8), for: key)
        let item = try #require(KeychainScript.current.attributes(key.name))
        #expect(
            "\(try #require(item["pdmn"]))" == (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String))
        #expect(item["sync"] as? Bool == false)
        #expect(item["agrp"] as? String == "TEAM.wallet")
        #expect(item["nleg"] as? Bool == true)
    }

    @Test("names no access group for an app alone, whose items go to its default one")
    func alone() async throws {
        try await KeychainStore(service: UUID().uuidString).put(Data("a".utf8), for: key)
        #expect(try #require(KeychainScript.current.attributes(key.name))["agrp"] == nil)
    }

    @Test("replaces the item that another process added first")
    func race() async throws {
        KeychainScript.current.addByAnother(key.name)
        try await store.put(Data("mine".utf8), for: key)
        #expect(try await store.get(key) == Data("mine".utf8))
    }

    @Test(
        "never takes a keychain that does not answer for an empty one",
        arguments: [
            (errSecInteractionNotAllowed, SecureStoreFailure.Kind.locked), (errSecNotAvailable, .locked),
            (errSecDiskFull, .full), (errSecMissingEntitlement, .denied), (errSecDecode, .damaged), (-50, .failed),
        ])
    func failures(status: OSStatus, kind: SecureStoreFailure.Kind) async throws {
        for operation in 0..<3 {
            KeychainScript.current.answerNext(status)
            await #expect {
                switch operation {
                case 0: _ = try await store.get(key)
                case 1: try await store.put(Data(), for: key)
                default: try await store.remove(key)
                }
            } throws: {
                ($0 as? SecureStoreFailure)?.kind == kind
            }
        }
    }

    @Test("lets the app and its extension in one at a time, through a folder that they share")
    func locks() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stores = (0..<2).map { _ in KeychainStore(service: "s", accessGroup: "TEAM.wallet", lockDirectory: folder) }
        let inside = LockedValue((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await stores[number % 2].withExclusiveLock(SecureStoreLock("refresh")) {
                        inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        await Task.yield()
                        inside.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.withLock { $0.most } == 1)
    }
}

#if os(Linux)
    import Crypto
    import Foundation
    import Testing

    @testable import WalletAuth

    @Suite("Device keys in software")
    struct SoftwareDeviceKeysTests {
        let folder: TemporaryFolder
        let store: EncryptedFileStore
        let keys: SoftwareDeviceKeys
        let id = DeviceKeyID("dpop")

        init() throws {
            folder = try TemporaryFolder()
            store = EncryptedFileStore(directory: folder.store)
            keys = SoftwareDeviceKeys(store: store)
        }

        @Test("sign ES256 with r and s side by side, under a public key in SEC 1 form")
        func signing() async throws {
            let key = try await keys.createKey(id)
            let message = Data("message".utf8)
            let signature = try await key.sign(message)
            #expect(signature.count == 64 && key.publicKey.count == 65 && key.publicKey.first == 4)
            let verifier = try P256.Signing.PublicKey(x963Representation: key.publicKey)
            #expect(verifier.isValidSignature(try .init(rawRepresentation: signature), for: message))
        }

        @Test("are found again, replaced by creating them again, and gone once removed")
        func lifecycle() async throws {
            #expect(try await keys.key(id) == nil)
            let first = try await keys.createKey(id)
            #expect(try await SoftwareDeviceKeys(store: store).key(id)?.publicKey == first.publicKey)
            let second = try await keys.createKey(id)
            #expect(second.publicKey != first.publicKey)
            try await keys.removeKey(id)
            #expect(try await keys.key(id) == nil)
        }

        @Test("say that they are invalidated, not absent, when the store cannot open them any more")
        func lostStoreKey() async throws {
            _ = try await keys.createKey(id)
            try FileManager.default.removeItem(at: folder.store.appendingPathComponent("key"))
            await #expect { try await keys.key(id) } throws: { ($0 as? DeviceKeyFailure)?.kind == .invalidated }
        }

        @Test("come with a user presence that offers nothing and confirms nothing: they are never biometric")
        func noPresence() async {
            let presence = NoUserPresence()
            #expect(await presence.capability() == .none)
            await #expect(throws: UserPresenceFailure.unavailable) { try await presence.confirm(reason: "pay") }
        }
    }
#endif

internal import AuthCore
package import AuthFoundation
package import AuthStore
internal import Logging
package import WalletAuthWire

/// Seals the personal data in a passkey's row: the name that its holder gave it.
package struct PasskeyVault: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package func seal(_ name: DeviceName, of passkey: UniqueID) throws -> [UInt8] {
        try context.seal(Array(name.rawValue.utf8), for: .personal, context: Self.context(passkey))
    }

    /// The name; `nil` if it does not open, which is logged.
    package func name(of passkey: PasskeyRecord) -> DeviceName? {
        guard let bytes = context.open(passkey.name, for: .personal, context: Self.context(passkey.id)) else {
            context.logger.error("a sealed column does not open", metadata: ["column": "passkeys.name"])
            return nil
        }
        return try? DeviceName(String(decoding: bytes, as: UTF8.self))
    }

    private static func context(_ passkey: UniqueID) -> String { "passkeys|name|\(passkey.uuid)" }
}

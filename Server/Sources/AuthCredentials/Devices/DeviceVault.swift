internal import AuthCore
package import AuthFoundation
package import AuthStore
internal import Logging
package import WalletAuthWire

/// Seals and opens personal data in the devices' rows.
package struct DeviceVault: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package enum Column: String {
        case name
        case pushAddress = "push_address"
    }

    package func seal(_ text: String, _ column: Column, of device: UniqueID) throws -> [UInt8] {
        try context.seal(Array(text.utf8), for: .personal, context: Self.context(column, device))
    }

    /// The value; `nil` if there is none, or if it does not open, which is logged.
    package func open(_ sealed: [UInt8]?, _ column: Column, of device: UniqueID) -> String? {
        guard let sealed, !sealed.isEmpty else { return nil }
        guard let bytes = context.open(sealed, for: .personal, context: Self.context(column, device)) else {
            context.logger.error("a sealed column does not open", metadata: ["column": "devices.\(column.rawValue)"])
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The holder's name for a device; its platform if the name is lost.
    /// - Throws: `MalformedValue` if a damaged row has no platform.
    package func shownName(of device: DeviceRecord) throws -> DeviceName {
        try DeviceName(open(device.name, .name, of: device.id) ?? device.platform)
    }

    private static func context(_ column: Column, _ device: UniqueID) -> String {
        "devices|\(column.rawValue)|\(device.uuid)"
    }
}

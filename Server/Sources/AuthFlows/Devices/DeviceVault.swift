internal import AuthCore
internal import AuthStore
internal import Logging
internal import WalletAuthWire

/// Opens and seals what the devices' rows hold of a person.
struct DeviceVault: Sendable {
    let context: ServerContext

    /// The sealed columns.
    enum Column: String {
        case name
        case pushAddress = "push_address"
    }

    func seal(_ text: String, _ column: Column, of device: UniqueID) throws -> [UInt8] {
        try context.seal(Array(text.utf8), for: .personal, context: Self.context(column, device))
    }

    /// The value; `nil` where there is none, or where it does not open, which is logged.
    func open(_ sealed: [UInt8]?, _ column: Column, of device: UniqueID) -> String? {
        guard let sealed, !sealed.isEmpty else { return nil }
        guard let bytes = context.open(sealed, for: .personal, context: Self.context(column, device)) else {
            context.logger.error("a sealed column does not open", metadata: ["column": "devices.\(column.rawValue)"])
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the holder calls a device; its platform where that is not known any more.
    /// - Throws: `MalformedValue` where a damaged row names no platform.
    func shownName(of device: DeviceRecord) throws -> DeviceName {
        try DeviceName(open(device.name, .name, of: device.id) ?? device.platform)
    }

    private static func context(_ column: Column, _ device: UniqueID) -> String {
        "devices|\(column.rawValue)|\(device.uuid)"
    }
}

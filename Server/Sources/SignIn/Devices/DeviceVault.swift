package import Core
package import Kernel
package import WalletAuthWire

/// Seals and opens personal data in the devices' rows.
package typealias DeviceVault = Vault<DeviceField>

package enum DeviceField: String, SealedField {
    case name = "devices|name"
    case pushAddress = "devices|push_address"

    package var purpose: KeyPurpose { .personal }
    package var mayBeEmpty: Bool { true }
}

extension DeviceVault {
    /// The holder's name for a device; its platform if the name is lost.
    /// - Throws: `MalformedValue` if a damaged row has no platform.
    package func shownName(of device: DeviceRecord) throws -> DeviceName {
        try DeviceName(open(device.name, .name, of: device.id) ?? device.platform)
    }
}

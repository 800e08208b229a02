import WalletAuthWire

/// The input of the VOPRF: x = LP("wpin1") ‖ LP(enrollment id) ‖ LP(ds) ‖ LP(pin).
enum PINInput {
    static func bytes(_ pin: PIN, secret: DeviceSecret) -> SecretBytes {
        SecretBytes.joining(
            field(SecretBytes("wpin1".utf8)), field(SecretBytes(secret.enrollment.rawValue.utf8)),
            field(secret.bytes), field(pin.digits))
    }

    /// LP of a field. No type here exceeds 64 bytes.
    private static func field(_ field: SecretBytes) -> SecretBytes {
        SecretBytes.joining(SecretBytes([UInt8(field.count >> 8), UInt8(field.count & 0xFF)]), field)
    }
}

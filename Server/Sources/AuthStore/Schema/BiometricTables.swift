extension Migration {
    /// What is known of a device's biometric key beside the key itself: where its private half lies, and whether somebody
    /// trustworthy says that it signs only after the device saw its holder.
    package static let biometricKeys = Migration(
        version: 7, name: "biometric keys",
        statements: [
            """
            ALTER TABLE devices ADD COLUMN biometric_key_storage TEXT
                CHECK (biometric_key_storage IN ('software', 'hardware'))
            """,
            "ALTER TABLE devices ADD COLUMN biometric_presence_attested BIGINT CHECK (biometric_presence_attested IN (0, 1))",
        ])
}

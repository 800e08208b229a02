extension Migration {
    /// Facts about a device's biometric key: where its private half is stored, and whether an attestation says that it
    /// signs only after the device recognized its holder.
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

internal import Store
package import WalletAuthWire

/// The attestation in a device's row.
package struct DeviceAttestation: Sendable, Hashable {
    package var app: AppAttestation
    /// App Attest's key, whose assertions count up; `nil` for other platforms.
    package var counted: CountedKey?

    package struct CountedKey: Sendable, Hashable {
        /// The two coordinates of P-256, 64 bytes.
        package var publicKey: [UInt8]
        package var counter: Int64
    }

    /// Reads three columns of the device's row. Returns `nil` if no app was attested.
    init?(_ row: RecordRow<DeviceRecord.Column>) throws {
        guard let text = try row.optionalText(.attestation) else { return nil }
        app = try AppAttestation(JSONValue.object(parsing: Array(text.utf8)))
        if let key = try row.optionalBlob(.attestedKey), let counter = try row.optionalInteger(.attestationCounter) {
            counted = CountedKey(publicKey: key, counter: counter)
        }
    }

    init(app: AppAttestation, counted: CountedKey?) {
        self.app = app
        self.counted = counted
    }

    /// The three columns.
    static func values(_ attestation: DeviceAttestation?) -> [SQLValue] {
        [
            .optional(attestation.map { String(decoding: $0.app.json.bytes, as: UTF8.self) }),
            .optional(attestation?.counted?.publicKey),
            .optional(attestation?.counted?.counter),
        ]
    }
}

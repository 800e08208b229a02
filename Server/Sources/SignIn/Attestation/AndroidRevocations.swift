package import WalletAuthWire

/// Google's list of attestation keys that are revoked or suspended, as it publishes it: `{"entries": {"SERIAL": {"status": …}}}`.
package enum AndroidRevocations {
    /// The longest list that is read.
    package static let maximumBytes = 16_777_216

    /// The serial numbers, in lower-case hexadecimal without leading zeros.
    /// - Throws: `MalformedValue` if it is not such a list.
    package static func serials(_ list: [UInt8]) throws(MalformedValue) -> Set<String> {
        let json = try JSONValue.object(parsing: list, limits: JSONLimits(bytes: maximumBytes))
        let entries = try json.required("entries", json["entries"]?.object)
        var serials: Set<String> = []
        for entry in entries.members {
            // Both of its states, REVOKED and SUSPENDED, mean that the key does not count.
            let serial = entry.name.lowercased().drop { $0 == "0" }
            guard !serial.isEmpty, serial.allSatisfy(\.isHexDigit) else {
                throw MalformedValue(field: "entries", reason: "has \(entry.name), which is no serial number")
            }
            serials.insert(String(serial))
        }
        return serials
    }
}

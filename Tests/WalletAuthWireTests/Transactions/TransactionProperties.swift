import WalletAuthWire

/// What holds for any input to the readers of a transaction's code and of its payload.
///
/// The fuzz targets in `Fuzzing` compile this very file, by symbolic links.
enum TransactionProperties {
    /// What became of an input.
    enum Reading: Equatable {
        case refused
        case accepted
        /// A property that does not hold.
        case broken(String)
    }

    /// Reads an input as the text of a QR code.
    static func reading(ofLink bytes: [UInt8]) -> Reading {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let link = try? TransactionLink(text) else { return .refused }
        let written = link.reveal()
        guard written.utf8.elementsEqual(text.utf8) else {
            return .broken("an accepted link is written as another text")
        }
        guard let again = try? TransactionLink(written), again == link else {
            return .broken("an accepted link is another one when it is read again")
        }
        return .accepted
    }

    /// Reads an input as the payload of a backend's transaction and as that of an app's own.
    static func reading(ofPayload bytes: [UInt8]) -> Reading {
        let server = try? TransactionPayload(parsing: bytes)
        let client = try? ClientTransactionPayload(parsing: bytes)
        let written: [UInt8]
        switch (server, client) {
        case (nil, nil): return .refused
        case (let server?, nil): written = server.bytes
        case (nil, let client?): written = client.bytes
        case (.some, .some): return .broken("a payload of a backend is one of an app as well")
        }
        guard written == bytes else { return .broken("an accepted payload is written as other bytes") }
        guard !hasDoubledMember(bytes) else { return .broken("an accepted payload has a member twice") }
        guard !String(decoding: bytes, as: UTF8.self).unicodeScalars.contains(where: isHidden) else {
            return .broken("an accepted payload has a character that is not seen, or moves others")
        }
        return .accepted
    }

    /// An object or array that is open.
    private struct Level {
        let isObject: Bool
        var names: Set<[UInt8]> = []
    }

    /// Whether an object in a JSON text has a name twice. It reads by itself: the parser under test may have a fault.
    private static func hasDoubledMember(_ json: [UInt8]) -> Bool {
        var levels: [Level] = []
        var isName = false
        var index = 0
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "{"):
                levels.append(Level(isObject: true))
                isName = true
            case UInt8(ascii: "["):
                levels.append(Level(isObject: false))
                isName = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = levels.popLast()
                isName = false
            case UInt8(ascii: ","):
                isName = levels.last?.isObject ?? false
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                while index < json.count, json[index] != UInt8(ascii: "\"") {
                    index += json[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                if isName {
                    let name = Array(json[start..<min(index, json.count)])
                    guard levels[levels.count - 1].names.insert(name).inserted else { return true }
                }
                isName = false
            default: break
            }
            index += 1
        }
        return false
    }

    /// Controls, breaks of line, and what changes the direction of the text next to it.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}

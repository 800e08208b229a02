extension WalletTransactions.QRCodeFormat {
    /// Whether the bytes are a QR code exactly as the server draws it, with nothing that a page would run or load.
    func isDrawing(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .svg: Self.isSVG(bytes)
        case .png: Self.isPNG(bytes)
        }
    }

    /// Rectangles and paths in one `svg`. Only the element names, attribute names and value characters of the server's
    /// drawing are accepted, not even others known to be harmless.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return false }
        let drawing =
            #/
            <svg (?: \ xmlns="http://www\.w3\.org/2000/svg" | \ viewBox="[0-9\ ]+" | \ shape-rendering="crispEdges" )* >
            (?: <rect (?: \ (?:width|height)="[0-9]+%?" | \ fill="\#[0-9a-f]+" )* />
            | <path (?: \ fill="\#[0-9a-f]+" | \ d="[Mhvz0-9\ \-]+" )* /> )*
            </svg>
            /#
        return String(decoding: bytes, as: UTF8.self).wholeMatch(of: drawing) != nil
    }

    /// A square of at most 4096 pixels a side (ISO/IEC 15948): a header, data and the end. Text, profiles and trailing
    /// bytes are refused.
    private static func isPNG(_ bytes: [UInt8]) -> Bool {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard bytes.starts(with: signature) else { return false }
        var rest = bytes.dropFirst(signature.count)
        var types: [String] = []
        while !rest.isEmpty {
            // Length, type, data and checksum.
            guard rest.count >= 12 else { return false }
            let length = number(rest.prefix(4))
            guard (0...(rest.count - 12)).contains(length) else { return false }
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            let data = rest.dropFirst(8).prefix(length)
            switch type {
            case "IHDR":
                let side = number(data.prefix(4))
                guard length == 13, (1...4_096).contains(side), number(data.dropFirst(4).prefix(4)) == side else {
                    return false
                }
            case "IDAT": break
            case "IEND": guard length == 0 else { return false }
            default: return false
            }
            types.append(type)
            rest = rest.dropFirst(12 + length)
        }
        return types.count >= 3 && types.first == "IHDR" && types.last == "IEND"
            && types.dropFirst().dropLast().allSatisfy { $0 == "IDAT" }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

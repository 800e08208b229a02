internal import WalletAuthWire

extension String {
    /// A JSON text that says the same, with an escape (RFC 8259 section 7) in the place of each character that a terminal obeys
    /// or that nobody sees. Encoders escape those of C0, and leave the others as they are.
    package var jsonEscapedForTerminal: String {
        // Outside of strings, JSON has no such character.
        ShownText.replacingDeceptive(in: self) { scalar in
            guard scalar.value >= 0x7f else { return nil }
            return String(scalar).utf16.reduce(into: "") { text, unit in
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}

internal import WalletAuthWire

extension String {
    /// Equivalent JSON, with an escape (RFC 8259 §7) for each invisible character and each one that controls a
    /// terminal. Encoders escape only those of C0.
    package var jsonEscapedForTerminal: String {
        // JSON has no such characters outside of strings.
        ShownText.replacingDeceptive(in: self) { scalar in
            guard scalar.value >= 0x7f else { return nil }
            return String(scalar).utf16.reduce(into: "") { text, unit in
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}

internal import WalletAuthWire

extension StringProtocol {
    /// The text on one line, without control characters. Text from outside must not forge a log line, control the
    /// terminal, or look like different text.
    ///
    /// A space replaces each control character, and each character that is invisible, changes the direction of the text
    /// around it, or is drawn over the lines above and below.
    package var escapedForOneLine: String {
        ShownText.replacingDeceptive(in: self) { $0.isASCII && !$0.isControl ? nil : " " }
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 || value == 0x7f }
}

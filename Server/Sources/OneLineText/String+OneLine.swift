internal import WalletAuthWire

extension StringProtocol {
    /// The text on one line, without what steers: what comes from outside must neither forge a log line, nor steer the
    /// terminal, nor look like other text than it is.
    ///
    /// A space stands in the place of each control character, and of each character that is there without being seen, that
    /// changes the direction of what stands beside it, or that is drawn over the lines above and below.
    package var escapedForOneLine: String {
        ShownText.replacingDeceptive(in: self) { $0.isASCII && !$0.isControl ? nil : " " }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character of ASCII.
    fileprivate var isControl: Bool { value < 0x20 || value == 0x7f }
}

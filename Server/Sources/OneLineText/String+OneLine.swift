internal import WalletAuthWire

extension StringProtocol {
    /// The text on one line, without what steers: what comes from outside must neither forge a log line, nor steer the
    /// terminal, nor look like other text than it is.
    ///
    /// A space stands in the place of each control character, and of each character that is there without being seen or that
    /// changes the direction of what stands beside it.
    public var escapedForOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.steers ? " " : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character, of C0 or C1, or one that deceives.
    fileprivate var steers: Bool { isASCII ? value < 0x20 || value == 0x7f : ShownText.isDeceptive(self) }
}

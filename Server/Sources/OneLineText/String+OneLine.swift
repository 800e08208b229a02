extension StringProtocol {
    /// The text on one line, without control characters: what comes from outside must neither forge a log line nor steer the
    /// terminal.
    public var escapedForOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? " " : $0 }))
    }
}

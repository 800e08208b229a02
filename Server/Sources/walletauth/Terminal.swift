#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program's standard streams.
enum Terminal {
    enum Stream: Int32, Sendable {
        case standardOutput = 1
        case standardError = 2
    }

    /// Writes a text whole, unbuffered: a line that says "ready" must have arrived when it is true.
    ///
    /// A stream that nobody reads any more is no reason to fail.
    static func write(_ text: String, to stream: Stream) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { systemWrite(stream.rawValue, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return }
            } else {
                rest = rest.dropFirst(written)
            }
        }
    }

    /// Prints one line on standard output.
    static func say(_ line: String) {
        write(line + "\n", to: .standardOutput)
    }

    /// Prints one line on standard error, with the program's name before it.
    static func complain(_ line: String) {
        write("walletauth: \(line)\n", to: .standardError)
    }

    /// Reads a secret from standard input: its first line, or everything where there is no line break.
    ///
    /// On a terminal it is asked for, and typed without an echo.
    ///
    /// - Throws: `Refusal` where standard input ended before anything came, or the line is longer than 4 KiB.
    static func readSecret(prompt: String) throws(Refusal) -> String {
        guard isatty(STDIN_FILENO) == 1 else { return try firstLine() }
        write(prompt, to: .standardError)
        var settings = termios()
        tcgetattr(STDIN_FILENO, &settings)
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            write("\n", to: .standardError)
        }
        return try firstLine()
    }

    private static func firstLine() throws(Refusal) -> String {
        guard let line = readLine(strippingNewline: true) else {
            throw Refusal("standard input ended before a password came")
        }
        guard line.utf8.count <= 4096 else {
            throw Refusal("the password on standard input is longer than 4096 bytes")
        }
        return line
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

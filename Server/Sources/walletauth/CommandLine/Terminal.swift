import Operations
import Programs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum Terminal {
    enum Stream: Int32, Sendable {
        case standardOutput = 1
        case standardError = 2
    }

    /// Writes a text whole and unbuffered, so that a line such as "ready" arrives when it is true.
    ///
    /// - Returns: the system's error if the text could not be written; nil if it was, or if the reader has closed the
    ///   stream.
    @discardableResult
    static func write(_ text: String, to stream: Stream) -> String? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { systemWrite(stream.rawValue, $0.baseAddress, $0.count) }
            guard written < 0 else {
                rest = rest.dropFirst(written)
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: return nil
            default: return String(cString: strerror(errno))
            }
        }
        return nil
    }

    /// Prints one line on standard output.
    ///
    /// - Throws: `Refusal` if it cannot be written, for example to a full disk. A script must not take a partial answer
    ///   for a complete one.
    static func say(_ line: String) throws(Refusal) {
        if let reason = write(line + "\n", to: .standardOutput) {
            throw Refusal("standard output cannot be written: \(reason)")
        }
    }

    /// Prints one JSON document, with its members in order.
    static func say(json document: some Encodable) throws {
        let data = try JSONEncoder.forTerminal.encode(document)
        try say(String(decoding: data, as: UTF8.self).jsonEscapedForTerminal)
    }

    /// Prints one line on standard error, prefixed with the program's name.
    static func complain(_ line: String) {
        write("walletauth: \(line)\n", to: .standardError)
    }

    /// Whether a person may type on standard input.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads a secret from standard input: its first line, or everything if there is no line break.
    ///
    /// On a terminal it prompts for the secret and hides the input.
    ///
    /// - Parameters:
    ///   - name: for example `new password`.
    ///   - isChosen: whether the person makes it up, so that only a second entry reveals a typo.
    /// - Throws: `Refusal` if standard input is empty, the line is longer than 4 KiB, or the two entries differ.
    static func read(_ name: String, isChosen: Bool) throws(Refusal) -> String {
        guard isThere, HiddenTyping.begin(on: STDIN_FILENO) else { return try firstLine(name) }
        defer { HiddenTyping.end() }
        // The prompt comes after echo is off. Input typed earlier would be visible, or be discarded with the input
        // before it.
        let question = name.prefix(1).uppercased() + name.dropFirst()
        let typed = try ask(question + ": ", for: name)
        guard isChosen else { return typed }
        guard try ask(question + " again: ", for: name) == typed else {
            throw Refusal("the two entries do not match. Nothing was changed; run the command again")
        }
        return typed
    }

    /// Has the operator type a word before a command that nothing undoes.
    ///
    /// - Throws: `Refusal` if they type another one, or if there is no terminal to ask in.
    static func confirm(_ confirmation: Confirmation) throws(Refusal) {
        guard isThere else {
            throw Refusal(
                "nothing was changed, because this cannot be undone and there is no terminal to ask in",
                hint: "Add --yes", code: "confirmation_needed")
        }
        let prompt = "\(confirmation.warning) To go on, type \(confirmation.word): "
        write(prompt.escapedForOneLine, to: .standardError)
        guard readLine(strippingNewline: true) == confirmation.word else {
            throw Refusal("that is not \(confirmation.word); nothing was changed", code: "not_confirmed")
        }
    }

    private static func ask(_ prompt: String, for name: String) throws(Refusal) -> String {
        write(prompt, to: .standardError)
        defer { write("\n", to: .standardError) }
        return try firstLine(name)
    }

    private static func firstLine(_ name: String) throws(Refusal) -> String {
        guard let line = readLine(strippingNewline: true) else {
            throw Refusal("standard input contains no \(name): put it on the first line")
        }
        guard line.utf8.count <= 4096 else {
            throw Refusal("the \(name) on standard input is longer than 4096 bytes")
        }
        return line
    }
}

import Foundation
import Programs

/// The source of answers to questions.
enum Answers: Sendable {
    /// A person at the terminal. Without a terminal, the error names the option `instead`.
    case person(instead: String)
    /// The lines of standard input.
    case standardInput
    /// The content of a file.
    case given(String)

    /// - Parameter option: the option that has a script's answers read from standard input.
    init(fromStandardInput: Bool, _ option: String) {
        self = fromStandardInput ? .standardInput : .person(instead: option)
    }

    /// Whether a person answers, who may make typos.
    var isPerson: Bool {
        if case .person = self { true } else { false }
    }

    /// How often a wrong answer may be corrected. A script gets one try.
    var tries: Int { isPerson ? Self.attempts : 1 }

    /// Whether the terminal shows an answer while it is typed.
    enum Echo: Sendable {
        case visible
        /// Hidden, for passwords.
        case hidden
    }

    /// - Throws: ``Failure`` if there is no one to ask.
    func next(asking question: String, shown: Echo) throws -> String {
        switch self {
        case .standardInput:
            let line = readLine()
            guard let line, !line.isEmpty else {
                let what = "standard input has \(line == nil ? "no line" : "an empty line")"
                throw Failure(
                    code: "no_answer", message: "\(what) for \"\(question.trimmed)\"",
                    advice:
                        "provide one line per question; for a code that is sent to you, keep the pipe open and"
                        + " write the code when it arrives")
            }
            return line
        case .given(let answer):
            guard !answer.isEmpty else {
                throw Failure(
                    code: "no_answer", message: "the file has no line for \"\(question.trimmed)\"",
                    advice: "write the answer on the first line of the file")
            }
            return answer
        case .person(let instead):
            return try ask(question, shown, instead)
        }
    }

    /// Whether there is a terminal on which a person can be asked.
    static var hasTerminal: Bool {
        guard let terminal = fopen("/dev/tty", "r+") else { return false }
        fclose(terminal)
        return true
    }

    /// Asks for this device's PIN.
    /// - Returns: nil if the person pressed Enter to cancel.
    func pin() throws -> String? {
        let typed = try next(asking: isPerson ? "PIN (press Enter to cancel): " : "PIN: ", shown: .hidden)
        return typed.isEmpty ? nil : typed
    }

    /// How often a person may give a wrong answer, or enter two different secrets.
    static let attempts = 3

    /// Has a person choose one of the lines by its number. Any other input is asked for again.
    /// - Parameter enter: the effect of Enter, as in "Enter: the first"; nil if it has none.
    /// - Returns: the index of the line; nil for Enter.
    func choice(among lines: [String], _ terminal: Terminal, enter: String? = nil) throws -> Int? {
        for (number, line) in lines.enumerated() { terminal.say("  \(number + 1)  \(line)") }
        while true {
            let typed = try next(asking: "Number\(enter.map { " (Enter\($0))" } ?? ""): ", shown: .visible)
            if typed.isEmpty, enter != nil { return nil }
            if let number = Int(typed), lines.indices.contains(number - 1) { return number - 1 }
            terminal.say("Type a number from 1 to \(lines.count).")
        }
    }

    /// Asks until the answer is yes or no.
    func isYes(_ question: String, _ terminal: Terminal) throws -> Bool {
        while true {
            switch try next(asking: question, shown: .visible).lowercased() {
            case "yes", "y": return true
            case "no", "n": return false
            default: terminal.say("Type yes or no.")
            }
        }
    }

    /// A new secret. A person types it twice because it is hidden. After a typo they may try again: otherwise
    /// everything proved so far would be lost.
    /// - Parameters:
    ///   - what: its name, to begin the prompt: `New password`.
    ///   - terminal: shows the fault before the person tries again.
    ///   - fault: a sentence with the fault of the secret itself, if any.
    /// - Throws: ``Failure`` if there is no one to ask, or the two entries differed ``attempts`` times.
    func chosen(_ what: String, _ terminal: Terminal, fault: (String) -> String?) throws -> String {
        for attempt in 1...Self.attempts {
            var secret = try next(asking: "\(what): ", shown: .hidden)
            guard isPerson else { return secret }
            while let fault = fault(secret) {
                terminal.say(fault)
                secret = try next(asking: "\(what): ", shown: .hidden)
            }
            if try next(asking: "\(what) again: ", shown: .hidden) == secret { return secret }
            if attempt < Self.attempts { terminal.say("The two entries do not match. Try again.") }
        }
        throw Failure(
            code: "not_the_same", message: "the two entries did not match; nothing was changed", advice: "start again")
    }

    /// Asks on the terminal itself, so that the program's output may be redirected.
    private func ask(_ question: String, _ shown: Echo, _ instead: String) throws -> String {
        guard let terminal = fopen("/dev/tty", "r+") else {
            throw Failure(
                code: "no_terminal", message: "there is no terminal on which to ask \"\(question.trimmed)\"",
                advice: "use \(instead); see --help for other ways")
        }
        defer { fclose(terminal) }
        // Without it, reading after writing on one stream is undefined, and the question may remain in a buffer.
        setvbuf(terminal, nil, _IONBF, 0)
        let isHidden = shown == .hidden && HiddenTyping.begin(on: fileno(terminal))
        defer {
            if isHidden {
                HiddenTyping.end()
                fputs("\n", terminal)
            }
        }
        // The prompt comes after echo is off. Input typed earlier would be visible, or be discarded with the input
        // before it. Parts of the question may come from the other side (a code's destination, a secret question), so
        // it is escaped.
        fputs(question.escapedForOneLine, terminal)
        var line = [CChar](repeating: 0, count: 4096)
        guard fgets(&line, Int32(line.count), terminal) != nil else {
            throw Failure(code: "no_answer", message: "no answer was entered", advice: "start again")
        }
        let bytes = line.prefix { $0 != 0 && $0 != 10 && $0 != 13 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces.union(.init(charactersIn: ":"))) }
}

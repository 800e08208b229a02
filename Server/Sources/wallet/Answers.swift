import Foundation
import OneLineText
import Programs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where answers to questions come from.
enum Answers: Sendable {
    /// A person at the terminal; where there is none, `instead` names the option that gives the answers.
    case person(instead: String)
    /// The lines of standard input.
    case standardInput
    /// One that a file held.
    case given(String)

    /// Whether a person is asked, who may mistype.
    var isPerson: Bool {
        if case .person = self { true } else { false }
    }

    /// How often an answer may be given: a script's once.
    var tries: Int { isPerson ? Self.attempts : 1 }

    /// Whether an answer shows while it is typed.
    enum Echo: Sendable {
        /// It shows.
        case visible
        /// It does not: a password.
        case hidden
    }

    /// The next answer.
    /// - Throws: ``Failure`` when there is nobody to ask.
    func next(asking question: String, shown: Echo) throws -> String {
        switch self {
        case .standardInput:
            guard let line = readLine(), !line.isEmpty else {
                throw Failure(
                    code: "no_answer", message: "standard input has no line for \"\(question.trimmed)\"",
                    advice:
                        "give one line for each thing that is asked for; for a code that is sent, keep the pipe open and"
                        + " write it when it has come")
            }
            return line
        case .given(let answer):
            guard !answer.isEmpty else {
                throw Failure(
                    code: "no_answer", message: "the file has no line for \"\(question.trimmed)\"",
                    advice: "put it into the file's first line")
            }
            return answer
        case .person(let instead):
            return try ask(question, shown, instead)
        }
    }

    /// How often a person may give a wrong answer, or type two secrets that are not the same.
    static let attempts = 3

    /// A secret that is chosen now, which a person types twice, since nobody sees it; whoever mistypes it is asked anew, for what was
    /// proved up to here would be lost otherwise.
    /// - Parameters:
    ///   - what: what it is, to begin a question with: `New password`.
    ///   - terminal: where a person is told what is wrong with it, before they type it again.
    ///   - fault: what is wrong with it by itself, in a sentence.
    /// - Throws: ``Failure`` when there is nobody to ask, or the two differed ``attempts`` times.
    func chosen(_ what: String, _ terminal: Terminal, fault: (String) -> String?) throws -> String {
        for attempt in 1...Self.attempts {
            var secret = try next(asking: "\(what): ", shown: .hidden)
            guard isPerson else { return secret }
            while let fault = fault(secret) {
                terminal.say(fault)
                secret = try next(asking: "\(what): ", shown: .hidden)
            }
            if try next(asking: "\(what) again: ", shown: .hidden) == secret { return secret }
            if attempt < Self.attempts { terminal.say("The two are not the same. Type it twice again.") }
        }
        throw Failure(
            code: "not_the_same", message: "the two were not the same, and nothing was changed", advice: "start again")
    }

    /// Asks on the terminal itself, so that the answer of the program may be redirected.
    private func ask(_ question: String, _ shown: Echo, _ instead: String) throws -> String {
        guard let terminal = fopen("/dev/tty", "r+") else {
            throw Failure(
                code: "no_terminal", message: "there is no terminal to ask \"\(question.trimmed)\" on",
                advice: "give it by \(instead); --help tells of other ways")
        }
        defer { fclose(terminal) }
        // Otherwise reading after writing through one stream is undefined, and the question may wait in a buffer.
        setvbuf(terminal, nil, _IONBF, 0)
        let isHidden = shown == .hidden && HiddenTyping.begin(on: fileno(terminal))
        defer {
            if isHidden {
                HiddenTyping.end()
                fputs("\n", terminal)
            }
        }
        // Only now: what is typed at once would show, or be thrown away with what was typed before.
        // Parts of a question may be what another side said: where a code went, what was asked when it was set.
        fputs(question.escapedForOneLine, terminal)
        var line = [CChar](repeating: 0, count: 4096)
        guard fgets(&line, Int32(line.count), terminal) != nil else {
            throw Failure(code: "no_answer", message: "nothing was answered", advice: "start again")
        }
        let bytes = line.prefix { $0 != 0 && $0 != 10 && $0 != 13 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces.union(.init(charactersIn: ":"))) }
}

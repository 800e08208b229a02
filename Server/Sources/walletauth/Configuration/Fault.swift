import Core
import Operations

/// One fault in the configuration, and the operator's remedy.
struct Fault: Hashable, Sendable {
    /// The fault, with the name of the setting but never the value of a secret.
    let problem: String
    /// The remedy, as one sentence.
    let remedy: String

    init(_ problem: String, _ remedy: String) {
        self.problem = problem
        self.remedy = remedy
    }
}

extension [Fault] {
    mutating func add(_ problem: String, _ remedy: String) { append(Fault(problem, remedy)) }
}

extension Fault {
    var line: String { "\(problem). \(remedy)" }
}

/// All faults of a configuration, so that an operator can fix them at once.
struct FaultyConfiguration: Error {
    let faults: [Fault]
}

extension FaultyConfiguration: CustomStringConvertible {
    var description: String {
        let lines = faults.map { "\n  - \($0.line)" }
        let count = faults.count.counted("fault", "faults")
        return "the configuration has \(count):" + lines.joined()
    }
}

/// A failure to show a person in one line: what happened, and what to do.
struct Refusal: Error, CustomStringConvertible {
    let message: String
    /// What to do, in whole sentences; nil if the message says it.
    let hint: String?
    /// A stable name, for scripts.
    let code: String
    /// What the program exits with.
    let status: Int32

    init(_ message: String, hint: String? = nil, code: String = "refused", status: Int32 = 1) {
        self.message = message
        self.hint = hint
        self.code = code
        self.status = status
    }

    init(_ fault: Fault, status: Int32 = 1) {
        self.init(fault.problem, hint: fault.remedy, status: status)
    }

    /// An answer that is no success.
    init(_ answer: AdministrationAnswer) {
        if let refusal = answer.refusal {
            self.init(refusal.message, hint: refusal.hint, code: refusal.code)
        } else {
            self.init(answer.lines.joined(separator: " "))
        }
    }

    var description: String {
        guard let hint else { return message }
        return message + (message.hasSuffix(".") ? " " : ". ") + hint
    }
}

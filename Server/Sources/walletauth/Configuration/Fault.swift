/// One thing wrong with the configuration, and what the operator does about it.
struct Fault: Hashable, Sendable {
    /// What is wrong, naming the setting; never a secret's value.
    let problem: String
    /// What to do, as one sentence.
    let remedy: String
}

extension Fault {
    /// Both in one line.
    var line: String { "\(problem). \(remedy)" }
}

/// Every fault of a configuration at once, so that an operator mends them in one go.
struct FaultyConfiguration: Error {
    let faults: [Fault]
}

extension FaultyConfiguration: CustomStringConvertible {
    var description: String {
        let lines = faults.map { "\n  - \($0.line)" }
        let count = faults.count == 1 ? "1 fault" : "\(faults.count) faults"
        return "the configuration has \(count):" + lines.joined()
    }
}

/// A failure told to a person in one line: what happened and what to do about it.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ fault: Fault) {
        description = fault.line
    }
}

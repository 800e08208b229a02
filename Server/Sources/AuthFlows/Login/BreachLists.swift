package import AuthOutbound

/// The lists of stolen passwords that an operator has configured.
package struct BreachLists: Sendable {
    /// Each is asked; found in one is found.
    package var sources: [any BreachSource]
    /// How often a password has to have been seen in breaches to count as found.
    package var minimumCount: Int
    /// How long an answer is waited for. A person waits for it too, and signs in without it.
    package var deadline: Duration

    /// Each parameter is the property of its name.
    package init(
        sources: [any BreachSource] = [], minimumCount: Int = 1, deadline: Duration = .seconds(2)
    ) {
        self.sources = sources
        self.minimumCount = minimumCount
        self.deadline = deadline
    }
}

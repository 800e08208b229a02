package import Outbound

/// The lists of breached passwords that the operator configured.
package struct BreachLists: Sendable {
    /// All are asked; a match in one is enough.
    package var sources: [any BreachSource]
    /// How often a password must appear in breaches to count as found.
    package var minimumCount: Int
    /// How long to wait for a list. A person waits too, and signs in without the result.
    package var deadline: Duration

    package init(
        sources: [any BreachSource] = [], minimumCount: Int = 1, deadline: Duration = .seconds(2)
    ) {
        self.sources = sources
        self.minimumCount = minimumCount
        self.deadline = deadline
    }
}

package import Kernel

/// What the features of a target add to the server, said once. `Features` lists the targets.
package protocol Feature {
    /// The kinds of their entries in the audit log.
    static var events: [any SecurityEventKind] { get }
    /// The messages to people. One that is missing here cannot be rendered.
    static var messages: [any SecurityMessageKind] { get }
    static var pages: [any PageValues.Type] { get }
    /// What the templates of its pages include.
    static var pieces: [PageTemplate] { get }
}

extension Feature {
    package static var events: [any SecurityEventKind] { [] }
    package static var messages: [any SecurityMessageKind] { [] }
    package static var pages: [any PageValues.Type] { [] }
    package static var pieces: [PageTemplate] { [] }
}

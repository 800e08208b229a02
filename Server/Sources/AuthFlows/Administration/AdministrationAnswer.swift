/// What became of an administrative command.
public struct AdministrationAnswer: Codable, Sendable, Hashable {
    /// Whether it was done.
    public enum Status: String, Codable, Sendable {
        /// Done: exit code 0.
        case done
        /// Refused, for the reason that ``AdministrationAnswer/lines`` gives in one line: exit code 1.
        case refused
    }

    /// Whether it was done.
    public var status: Status
    /// For a person: standard output when done, standard error when refused.
    public var lines: [String]
    /// The same as one JSON document, for `--json`.
    public var json: String
}

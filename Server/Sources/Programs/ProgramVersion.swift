/// The version of both programs, which are released together.
package enum ProgramVersion {
    /// The output of `--version`.
    package static let current = "0.1.0"
}

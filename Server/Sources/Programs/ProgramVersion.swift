/// The version that both programs are released in.
package enum ProgramVersion {
    /// As `--version` tells it.
    package static let current = "0.1.0"
}

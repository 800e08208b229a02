/// Whether a command of an operator is being carried out, so that entries about an account say who did it.
///
/// It is set once, around the command: no flow has to pass it on.
package enum OperatorAction {
    @TaskLocal package static var isRunning = false

    /// The detail of such an entry.
    package static let detail = "by_operator"
}

/// What an operator does, by the socket beside the database or, while no server runs, by the command line itself.
public struct Administration: Sendable {
    let context: ServerContext

    /// Executes one command. Never throws: trouble with the store is told in a line as well.
    /// - Parameter command: the command, unchecked.
    public func execute(_ command: AdministrationCommand) async -> AdministrationAnswer {
        AdministrationAnswer(status: .refused, lines: ["not served yet"], json: "{}")
    }
}

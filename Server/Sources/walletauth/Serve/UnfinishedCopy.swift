import Operations
import Store

extension Database {
    /// Refuses the destination of a copy that was interrupted. It has a part of the accounts, and would be served as if the
    /// others had never existed.
    ///
    /// - Throws: `Refusal` with the remedy.
    func refuseUnfinishedCopy() async throws {
        if try await read({ try DatabaseCopy.isUnfinished(on: $0) }) {
            throw Refusal(.unfinishedCopy, status: ExitStatus.outOfService)
        }
    }
}

extension Fault {
    static let unfinishedCopy = Fault(
        "this database is an unfinished copy of another one",
        "Run the same `walletauth database copy` again: it resumes where it stopped. To abandon the copy, drop "
            + "this database, or remove its file")
}

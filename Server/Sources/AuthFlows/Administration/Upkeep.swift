/// What the server does by itself while it runs.
public struct Upkeep: Sendable {
    let context: ServerContext

    /// Does what is due: removes a bounded number of expired rows and reads the keys anew. To be called every minute or
    /// so; a run that finds much goes on at the next.
    /// - Returns: how many rows were removed.
    /// - Throws: infrastructure trouble.
    @discardableResult
    public func run() async throws -> Int {
        throw NotServed()
    }
}

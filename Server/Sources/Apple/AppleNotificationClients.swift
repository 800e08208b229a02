internal import Core
internal import Kernel
internal import Store

/// The clients that notifications may be for, kept in memory. Anyone can send a notification, and forged ones must not each read and
/// decode all providers.
///
/// It only decides which notifications are verified. The providers of a genuine one are read again.
actor AppleNotificationClients {
    private let database: any Database
    /// The client ids by issuer.
    private var clients: [String: Set<String>] = [:]
    private var readAt: Timestamp?
    /// The read that callers wait for.
    private var reading: Task<Void, any Error>?

    private static let lifetime = Duration.seconds(60)
    /// An unknown client may be new. Made-up ones cause no more reads than one in this time.
    private static let leastInterval = Duration.seconds(1)

    init(database: any Database) { self.database = database }

    /// The registered clients of an issuer; `nil` if the audience contains none of them.
    func find(of issuer: String, in audience: [String], now: Timestamp) async throws -> Set<String>? {
        let found = known(of: issuer, in: audience)
        let limit = found == nil ? Self.leastInterval : Self.lifetime
        if let readAt, !now.isApart(from: readAt, by: limit) { return found }
        try await read(now: now)
        return known(of: issuer, in: audience)
    }

    private func known(of issuer: String, in audience: [String]) -> Set<String>? {
        clients[issuer].flatMap { $0.isDisjoint(with: audience) ? nil : $0 }
    }

    private func read(now: Timestamp) async throws {
        if let reading { return try await reading.value }
        let task = Task {
            defer { reading = nil }
            let providers = try await AppleNotificationFlow.providers(in: database)
            clients = providers.reduce(into: [:]) { clients, provider in
                clients[provider.settings.base, default: []].formUnion(provider.settings.clientIDs)
            }
            readAt = now
        }
        reading = task
        try await task.value
    }
}

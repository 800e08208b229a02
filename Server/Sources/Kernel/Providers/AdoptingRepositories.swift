package import Core
internal import Foundation
package import Store

extension IdentityProviders {
    /// The repository of a brand that is asked for the passwords of imported accounts now; `nil` if there is none.
    package static func adopting(
        in brand: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> IdentityProviderRecord? {
        try list(brand: brand, limit: 1000, on: connection).first { record in
            guard record.kind == IdentityProvider.Kind.repositoryName else { return false }
            let settings = try JSONDecoder().decode(RepositorySettings.self, from: Data(record.settings.utf8))
            return settings.adoptsUntil.map { now < $0 } ?? false
        }
    }
}

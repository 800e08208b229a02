package import Core
package import Kernel
internal import WalletAuthWire

extension AppleProvider {
    /// Fetches Apple's keys and, if the private key is available, checks that Apple knows team, key and clients: only with a valid
    /// client secret does Apple report a made-up code as invalid.
    package func problems(
        http: ProviderHTTP, environment: ServerSettings.Environment, now: Timestamp
    ) async throws -> [String] {
        var problems: [String] = []
        let keys = try await ProviderDocuments(http: http).keys(
            from: .url(settings.url(.keys)), reach: settings.reach(in: environment), now: now)
        if !keys.keys.contains(where: { $0.algorithm == .rs256 }) {
            problems.append("publishes no RSA key that can verify an identity token")
        }
        // Without the database's keys the private key stays sealed.
        guard key != nil else { return problems }
        let service = try service(http: http, environment: environment)
        var unknown: [String] = []
        for clientID in settings.clientIDs {
            switch try await service.refusalOfImpossibleCode(clientID: clientID, now: now) {
            case .invalidGrant: break
            case .invalidClient: unknown.append(clientID)
            case .unauthorizedClient:
                problems.append(
                    "knows the client id \(clientID), but not for Sign in with Apple: turn the capability on for it in Apple's console"
                )
            case let other:
                problems.append(
                    "returned \(other.rawValue) for the client id \(clientID), where invalid_grant is expected")
            }
        }
        if unknown.count == settings.clientIDs.count {
            problems.append(
                """
                refused the client secret for every client id (invalid_client): the team id \(settings.teamID), the key id \
                \(settings.keyID) and the .p8 file do not belong together, the key was revoked, none of the client ids is the \
                team's, or this machine's clock is wrong
                """)
        } else if !unknown.isEmpty {
            problems.append(
                """
                knows the key, but not for the client id \(unknown.joined(separator: ", ")) (invalid_client): it is misspelled, \
                another team's, or not grouped under the primary App ID that the key was made for
                """)
        }
        return problems
    }
}

import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

/// The account's identities at providers.
struct Identity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists and unlinks your identities at identity providers.",
        discussion: """
            To link an identity, sign in with it and with your account in one step: wallet sign-in --provider PROVIDER … \
            --link-to USERNAME. Linking and unlinking need a sign-in within the last few minutes, with two factors or with all \
            the factors that your account has.
            """,
        subcommands: [List.self, Remove.self])

    struct List: SignedInCommand {
        static let configuration = CommandConfiguration(abstract: "Lists your identities at identity providers.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let identities = try await wallet.identities.list()
            terminal.print(IdentityListReport(identities: identities.map(IdentityReport.init)))
        }
    }

    struct Remove: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Unlinks an identity: you can no longer sign in with it.")

        @Argument(help: ArgumentHelp("The identity's id, as wallet identity list shows it.", valueName: "id"))
        var id: String

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        private struct Removed: Report {
            let removed: String
            var lines: [String] { ["Unlinked. You can no longer sign in with it."] }
        }

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let identities = wallet.identities
            guard let identity = try? JoinedIdentityID(id) else { throw try await unknown(among: identities) }
            do { try await identities.remove(identity) } catch let error as WalletError
                where error.code == .identityNotFound
            { throw try await unknown(among: identities) }
            terminal.print(Removed(removed: id))
        }

        /// A failure that lists the valid choices.
        private func unknown(among identities: Wallet.Identities) async throws -> Failure {
            let known = try await identities.list().map(IdentityReport.init)
            let advice =
                known.isEmpty
                ? "no identity is linked to your account"
                : "yours: " + known.map { "\($0.identityID) (\($0.provider))" }.joined(separator: ", ")
            return Failure(
                code: WalletError.Code.identityNotFound.rawValue,
                message: "you have no identity \"\(id)\"",
                advice: advice)
        }
    }
}

struct IdentityReport: Report {
    let identityID: String
    let provider: String
    let joinedAt: Date

    init(_ identity: JoinedIdentity) {
        identityID = identity.id.rawValue
        provider = identity.provider.rawValue
        joinedAt = identity.joinedAt.date
    }

    var lines: [String] {
        ["\(identityID)  \(provider), linked \(joinedAt.formatted(.iso8601.year().month().day()))"]
    }
}

struct IdentityListReport: Report {
    let identities: [IdentityReport]
    var lines: [String] { identities.isEmpty ? ["No identities."] : identities.flatMap(\.lines) }
}

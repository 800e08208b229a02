import ArgumentParser
import AuthFlows

/// Which account is meant: by user name, or by id.
struct AccountOptions: ParsableArguments {
    @Option(help: "The user name.")
    var username: String?

    @Option(help: "The brand of the user name; `default` where it is left out.")
    var brand: String?

    @Option(name: .customLong("account"), help: "The account id, instead of a user name.")
    var id: String?

    func validate() throws {
        guard (username == nil) != (id == nil) else {
            throw ValidationError("give either --username or --account")
        }
        guard brand == nil || username != nil else {
            throw ValidationError("--brand belongs to --username")
        }
    }

    /// The account that the options name.
    var reference: AccountReference {
        get throws {
            if let id { return .id(id) }
            guard let username else { throw ValidationError("give either --username or --account") }
            return .username(username, brand: brand)
        }
    }
}

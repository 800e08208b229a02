internal import ArgumentParser

/// An account, by user name or by id.
struct AccountOptions: ParsableArguments {
    @Argument(
        help: """
            The user name; commands that only read also take a confirmed e-mail address or phone number. After --, if it begins \
            with a dash.
            """)
    private var username: String?

    @Option(help: "The brand of the user name or address; `default` if omitted.")
    var brand: String?

    @Option(
        name: .customLong("account"), help: ArgumentHelp("The account id, instead of a user name.", valueName: "id"))
    var id: String?

    func validate() throws {
        guard (username == nil) != (id == nil) else {
            throw ValidationError("use either a user name or --account")
        }
        guard brand == nil || id == nil else {
            throw ValidationError("--brand needs a user name")
        }
    }

    var reference: AccountReference {
        get throws {
            if let id { return .id(id) }
            guard let username else { throw ValidationError("use either a user name or --account") }
            return .username(username, brand: brand)
        }
    }
}

internal import ArgumentParser

/// An account, by user name or by id.
struct AccountOptions: ParsableArguments {
    @OptionGroup private var person: UsernameOptions

    @Option(help: "The brand of the user name; `default` if omitted.")
    var brand: String?

    @Option(name: .customLong("account"), help: "The account id, instead of a user name.")
    var id: String?

    func validate() throws {
        guard (person.given == nil) != (id == nil) else {
            throw ValidationError("use either a user name or --account")
        }
        guard brand == nil || id == nil else {
            throw ValidationError("--brand needs a user name")
        }
    }

    var reference: AccountReference {
        get throws {
            if let id { return .id(id) }
            return .username(try person.name, brand: brand)
        }
    }
}

/// A user name, as an argument or an option. The option is for scripts, and for names that begin with a dash.
struct UsernameOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The user name.", valueName: "username"))
    private var argument: String?

    @Option(help: "The user name, as an option.")
    private var username: String?

    var given: String? { argument ?? username }

    func validate() throws {
        guard argument == nil || username == nil else { throw ValidationError("the user name is specified twice") }
    }

    var name: String {
        get throws {
            guard let given else { throw ValidationError("specify a user name") }
            return given
        }
    }
}

internal import ArgumentParser

/// An id, as an argument or an option. The option is for scripts, and for ids that begin with a dash.
struct IDOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The id.", valueName: "id"))
    private var argument: String?

    @Option(help: "The id, as an option.")
    private var id: String?

    init() {}

    func validate() throws {
        guard argument == nil || id == nil else { throw ValidationError("the id is specified twice") }
        _ = try value
    }

    var value: String {
        get throws {
            guard let value = argument ?? id else { throw ValidationError("specify an id, as shown by `list`") }
            return value
        }
    }
}

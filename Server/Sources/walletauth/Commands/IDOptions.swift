import ArgumentParser

/// An id, as an argument or an option. The option is for scripts, and for ids that begin with a dash.
struct IDOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The id.", valueName: "id"))
    private var argument: String?

    @Option(help: "The id, as an option.")
    private var id: String?

    func validate() throws {
        guard argument == nil || id == nil else { throw ValidationError("the id is given twice") }
        _ = try value
    }

    var value: String {
        get throws {
            guard let value = argument ?? id else { throw ValidationError("give an id") }
            return value
        }
    }
}

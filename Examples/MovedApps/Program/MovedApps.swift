import ArgumentParser

/// Runs the code of other vendors' pages, with the import alone replaced, against a server.
@main
struct MovedApps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "moved-apps", abstract: "Runs the code of other vendors' pages against a server.",
        discussion: """
            Each subcommand is an app that moved: its code is that of a vendor's page, and only its import was replaced. It prints what \
            the code is given. A line that begins with a question mark asks for something that a person does: it takes a line of \
            standard input. `make demo-migrate` answers them.
            """,
        subcommands: [PaysafeApp.self, CloverApp.self, NextAuthApp.self, PaydiantApp.self])
}

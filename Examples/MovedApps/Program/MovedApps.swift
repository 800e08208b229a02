import ArgumentParser

/// Runs the code of the vendors' pages against a server.
@main
struct MovedApps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "moved-apps", subcommands: [])
}

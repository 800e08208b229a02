import ArgumentParser

/// Serves until a signal stops it.
struct ServeCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve until SIGTERM; without configuration, as a sandbox.",
        discussion: """
            Prints a line with its URL on standard output when it is ready, and logs on standard error. On SIGTERM or \
            SIGINT it stops accepting connections, finishes requests in flight, and exits with 0.


            """ + ConfigurationDocument.help(for: Settings.all))

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .serving, flags: invocation.flags, environment: invocation.environment)
        try await ServerProcess(configuration: configuration).run()
    }
}

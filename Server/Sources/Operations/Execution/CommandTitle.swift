import Kernel

extension Administration {
    /// A command's words, as on the command line, for the log; none of its values.
    package func title(of command: AdministrationCommand) -> String {
        if case .words(let request) = command { return (try? self.command(for: request))?.loggedTitle ?? "unknown" }
        guard case .flow(let name, let content) = command else { return command.title }
        return flows.first { $0.name == name }?.title(of: content) ?? name
    }
}

extension AdministrationCommand {
    /// The words of a command of this target; for a flow's own command, the flow's name.
    package var title: String {
        switch self {
        case .client(let command): "client \(Self.words(of: command))"
        case .provider(.addOpenID): "provider add oidc"
        case .provider(.addRepository): "provider add repository"
        case .provider(let command): "provider \(Self.words(of: command))"
        case .database(let command): "database \(Self.words(of: command))"
        case .audit(.follow): "audit tail --follow"
        case .audit(let command): "audit \(Self.words(of: command))"
        case .flow(let name, _): name
        case .words(let request): request.words.joined(separator: " ")
        }
    }

    /// The case's name without its values: `setPassword` becomes `set-password`.
    private static func words(of command: some Any) -> String {
        let name = Mirror(reflecting: command).children.first?.label ?? "\(command)"
        var words = ""
        var followsCapital = true
        for letter in name {
            if letter.isUppercase, !followsCapital { words.append("-") }
            words += letter.lowercased()
            followsCapital = letter.isUppercase
        }
        return words
    }
}

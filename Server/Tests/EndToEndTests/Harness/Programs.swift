import Foundation

/// Where the programs under test lie: next to the test bundle, since one build makes both.
enum Programs {
    static let walletauth = built("walletauth")
    static let wallet = built("wallet")
    /// The example of a backend.
    static let walletBackend = built("wallet-backend")

    /// The Python of the environment that `make test` prepares, with Authlib in it.
    static let python = repository.appending(path: ".build-python/bin/python")

    /// The folder of the scripts that drive Authlib.
    static let peers = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Peers")

    private static func built(_ name: String) -> URL {
        let bundle = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        return bundle.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
    }

    /// The repository's root: Server/Tests/EndToEndTests/Harness/Programs.swift lies five levels below the root.
    static let repository = (1...5).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }
}

import ArgumentParser
import AuthAdministration

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct DatabaseBackup: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a consistent copy while the server runs; the master key is not in it.")

    @Option(help: "The path of the copy; an existing file is refused.", completion: .file())
    var to: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.backup(path: try BackupPath.absolute(to)))
    }
}

/// An absolute path, because the server may have a different working directory.
private enum BackupPath {
    static func absolute(_ path: String) throws(Refusal) -> String {
        guard !path.isEmpty, !path.contains("\0") else { throw Refusal("the path of the copy is empty") }
        return URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}

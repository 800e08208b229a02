import ArgumentParser
import Foundation

/// The source of a PIN: hidden input at the terminal, unless a script names another.
struct PINSource: ParsableArguments {
    @Option(
        name: .customLong("pin-file"),
        help: ArgumentHelp("Read the PIN from the first line of a file that only you can read.", valueName: "file"))
    var file: String?

    @Flag(name: .customLong("pin-stdin"), help: "Read each PIN from a line of standard input.")
    var fromStandardInput = false

    func validate() throws {
        if file != nil, fromStandardInput { throw ValidationError("--pin-file and --pin-stdin cannot be combined") }
    }

    /// Whether a source is named.
    var isNamed: Bool { file != nil || fromStandardInput }

    /// - Throws: ``Failure`` if the file is unusable.
    func answers() throws -> Answers {
        guard let file else { return Answers(fromStandardInput: fromStandardInput, "--pin-stdin") }
        let lines = String(decoding: try Self.content(of: file), as: UTF8.self).split(whereSeparator: \.isNewline)
        return .given(lines.first.map(String.init) ?? "")
    }

    /// In bytes. A PIN has twelve digits at most.
    private static let longestFile = 4096

    private static func content(of file: String) throws -> Data {
        let unreadable = Failure(
            code: "unreadable_file", message: "\(file) cannot be read", advice: "use another file with --pin-file")
        // The mode of a link says nothing about the file. A pipe would block, and a device might never end.
        let target = URL(filePath: file).resolvingSymlinksInPath().path(percentEncoded: false)
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        let kind = attributes?[.type] as? FileAttributeType
        guard let attributes, kind == .typeRegular else { throw unreadable }
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
        guard mode & 0o077 == 0 else {
            throw Failure(
                code: "unsafe_file", message: "\(file) can be read by others",
                advice: "make it readable only by you: chmod 600 \(file)")
        }
        guard let handle = FileHandle(forReadingAtPath: target) else { throw unreadable }
        let content: Data
        do { content = try handle.read(upToCount: longestFile + 1) ?? Data() } catch { throw unreadable }
        guard content.count <= longestFile else { throw unreadable }
        return content
    }
}

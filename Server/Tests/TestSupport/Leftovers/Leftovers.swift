import Foundation

/// Removes what a process leaves behind, however it ends. After Ctrl-C or a crash no `defer` and no `deinit` runs, and the programs that it
/// started go on, since Foundation makes each a process group of its own.
///
/// A shell keeps the list. It acts when the list is closed, at the latest by the end of this process.
package final class Leftovers: Sendable {
    /// Those of this process.
    package static let ofThisProcess = Result { try Leftovers() }

    private let list = Pipe()
    /// The shell's output, which ends with the shell.
    private let output = Pipe()

    package init() throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", Self.script]
        shell.standardInput = list
        shell.standardOutput = output
        shell.standardError = FileHandle.nullDevice
        // A program that another thread starts now would otherwise inherit them, and they would not end before it does.
        for handle in [
            list.fileHandleForReading, list.fileHandleForWriting, output.fileHandleForReading,
            output.fileHandleForWriting,
        ] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        try shell.run()
    }

    /// Has a folder removed with everything in it.
    package func add(folder: String) { write("folder \(folder)") }

    /// Has a process killed with its group.
    package func add(process: Int32) { write("process \(process)") }

    /// Takes a process that has ended from the list, before its number is another one's.
    package func remove(process: Int32) { write("ended \(process)") }

    /// Kills and removes everything in the list. It returns when that is done.
    package func clear() throws {
        try list.fileHandleForWriting.close()
        _ = output.fileHandleForReading.readDataToEndOfFile()
    }

    /// A line is short enough for one write, so threads do not mix theirs.
    private func write(_ line: String) {
        try? list.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    private static let script = """
        trap '' INT HUP
        processes=' '
        while read -r kind name; do
            case $kind in
            folder) set -- "$@" "$name" ;;
            process) processes="$processes$name " ;;
            ended) processes="${processes%% $name *} ${processes#* $name }" ;;
            esac
        done
        for process in $processes; do kill -KILL "-$process"; done
        exec rm -rf "$@"
        """
}

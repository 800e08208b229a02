#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

ProcessMemory.keepLittle()
exit(
    await Program.run(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))

import Kernel
import Outbound

/// The configured lists of breached passwords.
struct BreachConfiguration: Sendable {
    /// The range service.
    var url: String?
    /// The path of the operator's own list.
    var file: String?
    var minimumCount: Int
    /// The addresses that HTTP requests may reach.
    var policy: AddressPolicy

    /// Short, because a person waits for the answer.
    private static let deadline = Duration.seconds(2)
    /// A range of the public list has about 40 KiB with its padding.
    private static let largestAnswer = 1024 * 1024
}

extension BreachConfiguration {
    static func configured(
        in text: ConfiguredText, policy: AddressPolicy, faults: inout [Fault]
    ) -> BreachConfiguration {
        var configuration = BreachConfiguration(
            url: text.value(of: Settings.breachesURL, faults: &faults),
            file: text.value(of: Settings.breachesFile, faults: &faults),
            minimumCount: text.value(of: Settings.breachesMinimumCount, faults: &faults), policy: policy)
        if let file = configuration.file, FileStatus(path: file)?.kind != .file {
            configuration.file = nil
            faults.add(
                "the file of stolen passwords \(file) does not exist, or is not a file",
                "Set the path of a list ordered by hash, or leave \(Settings.breachesFile.name) out")
        }
        if text.isGiven(Settings.breachesMinimumCount), !text.isGiven(Settings.breachesURL),
            !text.isGiven(Settings.breachesFile)
        {
            faults.add(
                "\(text.origin(of: Settings.breachesMinimumCount)) is set without a list that it applies to",
                "Use \(Settings.breachesURL.spellings) or \(Settings.breachesFile.spellings) as well, or leave it out")
        }
        return configuration
    }

    var lists: BreachLists {
        BreachLists(
            sources: [fileSource, urlSource].compactMap { $0 }, minimumCount: minimumCount, deadline: Self.deadline)
    }

    var fileSource: (any BreachSource)? { file.map { BreachFile(path: $0) } }

    var urlSource: (any BreachSource)? {
        url.map { url in
            BreachRange(
                base: url,
                http: GuardedHTTP(policy: policy, maximumBody: Self.largestAnswer, timeout: Self.deadline))
        }
    }
}

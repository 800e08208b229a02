import AuthFlows
import AuthOutbound

/// Where stolen passwords are looked for, as configured.
struct BreachConfiguration: Sendable {
    /// The service that is asked for ranges.
    var url: String?
    /// The path of the operator's own list.
    var file: String?
    var minimumCount: Int
    /// Where requests over HTTP may go.
    var policy: AddressPolicy

    /// A person waits for the answer.
    private static let deadline = Duration.seconds(2)
    /// A range of the public list has some 40 KiB with its padding.
    private static let largestAnswer = 1024 * 1024
}

extension BreachConfiguration {
    static func configured(
        in text: ConfiguredText, policy: AddressPolicy, faults: inout [Fault]
    ) -> BreachConfiguration {
        var configuration = BreachConfiguration(
            url: text.value(of: Settings.breachesURL, faults: &faults),
            file: text.value(of: Settings.breachesFile, faults: &faults),
            minimumCount: text.value(of: Settings.breachesMinimumCount, faults: &faults) ?? 1, policy: policy)
        if let file = configuration.file, FileStatus(path: file)?.kind != .file {
            configuration.file = nil
            faults.append(
                Fault(
                    problem: "the file of stolen passwords \(file) does not exist, or is not a file",
                    remedy: "Give the path of a list ordered by hash, or leave \(Settings.breachesFile.name) out"))
        }
        if text.isGiven(Settings.breachesMinimumCount), !text.isGiven(Settings.breachesURL),
            !text.isGiven(Settings.breachesFile)
        {
            faults.append(
                Fault(
                    problem:
                        "\(text.origin(of: Settings.breachesMinimumCount)) is given without a list that it applies to",
                    remedy:
                        "Give \(Settings.breachesURL.flag) or \(Settings.breachesFile.flag) as well, or leave it out"))
        }
        return configuration
    }

    /// The lists to ask.
    var lists: BreachLists {
        BreachLists(
            sources: [fileSource, urlSource].compactMap { $0 }, minimumCount: minimumCount, deadline: Self.deadline)
    }

    /// The operator's own list.
    var fileSource: (any BreachSource)? { file.map { BreachFile(path: $0) } }

    /// The service.
    var urlSource: (any BreachSource)? {
        url.map { url in
            BreachRange(
                base: url,
                http: GuardedHTTP(policy: policy, maximumBody: Self.largestAnswer, timeout: Self.deadline))
        }
    }
}

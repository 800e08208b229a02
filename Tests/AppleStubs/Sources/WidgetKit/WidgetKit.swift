// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: WidgetKit, and SwiftUI's protocols of widgets. Bodies never run.
public import AppIntents
public import Foundation
public import SwiftUI

public protocol WidgetConfigurationIntent: AppIntent {}

public protocol TimelineEntry {
    var date: Date { get }
}

public struct TimelineReloadPolicy: Equatable, Sendable {
    public static func after(_ date: Date) -> TimelineReloadPolicy { TimelineReloadPolicy() }
}

public struct Timeline<EntryType: TimelineEntry> {
    public init(entries: [EntryType], policy: TimelineReloadPolicy) {}
}
extension Timeline: Sendable where EntryType: Sendable {}

public struct TimelineProviderContext: Sendable {}

public protocol AppIntentTimelineProvider {
    associatedtype Entry: TimelineEntry
    associatedtype Intent: WidgetConfigurationIntent
    typealias Context = TimelineProviderContext
    func placeholder(in context: Context) -> Entry
    func snapshot(for configuration: Intent, in context: Context) async -> Entry
    func timeline(for configuration: Intent, in context: Context) async -> Timeline<Entry>
}

@MainActor @preconcurrency public protocol WidgetConfiguration {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
}
extension Never: WidgetConfiguration {}

@MainActor @preconcurrency public protocol Widget {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension Widget {
    @MainActor @preconcurrency public static func main() {}
}

public struct AppIntentConfiguration<Intent: WidgetConfigurationIntent, Content: View>: WidgetConfiguration {
    public init<Provider: AppIntentTimelineProvider>(
        kind: String, intent: Intent.Type = Intent.self, provider: Provider,
        @ViewBuilder content: @escaping (Provider.Entry) -> Content
    ) where Intent == Provider.Intent {}
    public var body: Never { fatalError("a stub") }
}

public struct ModifiedConfiguration: WidgetConfiguration {
    public var body: Never { fatalError("a stub") }
}
extension WidgetConfiguration {
    public func configurationDisplayName<Name: StringProtocol>(_ name: Name) -> some WidgetConfiguration {
        ModifiedConfiguration()
    }
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: AppIntents, and the one type of Foundation that it needs and Linux lacks. Bodies never run.
public struct LocalizedStringResource: Sendable, ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {}
}

public protocol AppIntent: Sendable {
    static var title: LocalizedStringResource { get }
    init()
}

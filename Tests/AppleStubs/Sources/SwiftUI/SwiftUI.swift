// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: SwiftUI. Bodies never run.
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

/// The primitive views of the stub.
public protocol PrimitiveView: View where Body == Never {}
extension PrimitiveView {
    public var body: Never { fatalError("a stub") }
}
extension Never: View {
    public var body: Never { fatalError("a stub") }
}
extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a stub") }
}

public struct TupleView<Content>: PrimitiveView {}
public struct ConditionalContent<First: View, Second: View>: PrimitiveView {}
public struct ModifiedView<Content: View>: PrimitiveView {}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init() {}
    public var wrappedValue: Value {
        get { fatalError("a stub") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>()
    }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>()
    }
}

// MARK: Views

public struct EmptyView: PrimitiveView {
    public nonisolated init() {}
}

public struct Text: PrimitiveView {
    public nonisolated init<Content: StringProtocol>(_ content: Content) {}
    public nonisolated init(verbatim content: String) {}
    public nonisolated func font(_ font: Font?) -> Text { self }
    public nonisolated func bold() -> Text { self }
}

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum Alignment: Sendable { case leading, center, trailing }

public struct VStack<Content: View>: PrimitiveView {
    public init(alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content) {
    }
}

public struct ScrollView<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID {}
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {}
}

public struct ButtonRole: Sendable {
    public static let cancel = ButtonRole()
    public static let destructive = ButtonRole()
}

public struct Button<Label: View>: PrimitiveView {
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}
extension Button where Label == Text {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
    public init<Title: StringProtocol>(_ title: Title, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}

public struct Menu<Label: View, Content: View>: PrimitiveView {
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) where Label == Text {}
}

public struct ProgressView: PrimitiveView {
    public init() {}
}

public struct TextField: PrimitiveView {
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
}

public struct SecureField: PrimitiveView {
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
}

// MARK: Modifiers

public struct Font: Sendable {
    public static let largeTitle = Font()
    public static let title2 = Font()
    public static let headline = Font()
    public static let footnote = Font()
}

public protocol ShapeStyle: Sendable {}
public struct Color: ShapeStyle {}
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == Color {
    public static var red: Color { Color() }
}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

public protocol PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}

extension View {
    public nonisolated func font(_ font: Font?) -> some View { ModifiedView<Self>() }
    public nonisolated func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { ModifiedView<Self>() }
    public nonisolated func frame(
        maxWidth: Double? = nil, alignment: Alignment = .center
    ) -> some View { ModifiedView<Self>() }
    public nonisolated func padding() -> some View { ModifiedView<Self>() }
    public nonisolated func accessibilityLabel<Label: StringProtocol>(_ label: Label) -> some View {
        ModifiedView<Self>()
    }
    public nonisolated func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { ModifiedView<Self>() }
    public nonisolated func disabled(_ isDisabled: Bool) -> some View { ModifiedView<Self>() }
    public nonisolated func buttonStyle<Style: PrimitiveButtonStyle>(_ style: Style) -> some View {
        ModifiedView<Self>()
    }
    public nonisolated func onSubmit(_ action: @escaping () -> Void) -> some View { ModifiedView<Self>() }
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: SwiftUI, as much more as Examples/WalletApp uses. Bodies never run.
public import Foundation

// MARK: Apps

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension App {
    @MainActor @preconcurrency public static func main() {}
}

public struct WindowGroup<Content: View>: Scene {
    public nonisolated init(@ViewBuilder content: @escaping () -> Content) {}
    public var body: Never { fatalError("a stub") }
}

// MARK: State

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError("a stub") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding<Value>() }
}

// MARK: Views

public struct Group<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct Form<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct Section<Content: View>: PrimitiveView {
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {}
}

public struct LabeledContent: PrimitiveView {
    public init<Title: StringProtocol, Value: StringProtocol>(_ title: Title, value: Value) {}
}

public protocol Transferable {}
extension String: Transferable {}

@MainActor @preconcurrency public struct PasteButton: PrimitiveView {
    public nonisolated init<Payload: Transferable>(
        payloadType: Payload.Type, onPaste: @escaping ([Payload]) -> Void
    ) {}
}

// MARK: Modifiers

extension View {
    public nonisolated func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View {
        ModifiedView<Self>()
    }
    public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { ModifiedView<Self>() }
    public nonisolated func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View { ModifiedView<Self>() }
    public nonisolated func containerBackground<Style: ShapeStyle>(
        _ style: Style, for container: ContainerBackgroundPlacement
    ) -> some View { ModifiedView<Self>() }
}

public struct ContainerBackgroundPlacement: Sendable {
    public static let widget = ContainerBackgroundPlacement()
}

public struct BackgroundStyle: ShapeStyle {}
extension ShapeStyle where Self == BackgroundStyle {
    public static var background: BackgroundStyle { BackgroundStyle() }
}

// MARK: What Foundation has on Apple's platforms alone

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

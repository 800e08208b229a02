/// A secret on its way through the app, which no description or dump shows.
struct Redacted: Sendable, CustomStringConvertible, CustomReflectable {
    let value: String

    init(_ value: String) { self.value = value }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

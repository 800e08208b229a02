internal import WalletAuthWire

/// A name shown to people: on the sign-in page, in messages.
package enum DisplayName {
    /// - Throws: ``MalformedValue`` for an empty or overlong name, or one with characters that change how the text around it
    ///   reads.
    package static func check(_ name: String, field: String = "--name") throws -> String {
        guard (1...100).contains(name.unicodeScalars.count) else {
            throw MalformedValue(field: field, reason: "must be 1 to 100 characters long")
        }
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
        }
        guard isPlain else {
            throw MalformedValue(field: field, reason: "has control or direction-changing characters")
        }
        if let reason = ShownText.fault(in: name) { throw MalformedValue(field: field, reason: reason) }
        return name
    }
}

extension Payee {
    /// Whether a person would take a name for this payee's: the same letters, large or small, however Unicode spells them, with gaps of
    /// any width and whatever joiners between them. Letters of another script that look alike are other letters.
    /// - Parameter name: the name that a person typed, or another payee has.
    public func isCalled(_ name: String) -> Bool {
        TextRule.appearance(of: self.name).lowercased() == TextRule.appearance(of: name).lowercased()
    }
}

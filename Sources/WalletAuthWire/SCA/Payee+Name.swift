extension Payee {
    /// Whether a person would consider a name this payee's: the same letters, ignoring case, Unicode spelling, the
    /// width of gaps and joiners. Similar letters of another script are different letters.
    /// - Parameter name: the name that a person typed, or of another payee.
    public func isCalled(_ name: String) -> Bool {
        TextRule.appearance(of: self.name).lowercased() == TextRule.appearance(of: name).lowercased()
    }
}

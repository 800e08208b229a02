extension [String] {
    /// Adds a method unless it is already present.
    package func adding(_ method: String) -> [String] { contains(method) ? self : self + [method] }
}

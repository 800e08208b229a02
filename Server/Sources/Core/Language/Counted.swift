extension BinaryInteger {
    /// The number with its English noun, for operators: "1 row", "2 rows".
    package func counted(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}

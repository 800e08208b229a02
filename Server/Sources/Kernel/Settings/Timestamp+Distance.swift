package import Core

extension Timestamp {
    /// Whether two times are at least this far apart, in either order.
    ///
    /// A request reads the clock when it arrives, and may be served after a later one. Its time is then a moment too
    /// early, which must not pass for a clock that was set back.
    package func isApart(from other: Timestamp, by distance: Duration) -> Bool {
        self - other >= distance || other - self >= distance
    }
}

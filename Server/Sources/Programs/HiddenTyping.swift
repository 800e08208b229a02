import CTerminal

/// A secret that is typed at a terminal, which shows nothing of it. Whatever ends or stops the program meanwhile, Ctrl-C among it,
/// leaves the terminal as it was.
package enum HiddenTyping {
    /// Has a terminal show nothing of what is typed, until ``end()``. One terminal at a time.
    /// - Parameter descriptor: the terminal's.
    /// - Returns: whether it is a terminal; nothing was changed otherwise, and there is nothing to end.
    package static func begin(on descriptor: Int32) -> Bool { terminal_hide(descriptor) == 0 }

    /// Has it show again what is typed.
    package static func end() { terminal_show() }
}

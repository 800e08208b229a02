import CTerminal

/// Hidden input of a secret at a terminal. The terminal's state is restored however the program ends or stops,
/// including by Ctrl-C.
package enum HiddenTyping {
    /// Turns echo off until ``end()``. Only one terminal at a time.
    /// - Parameter descriptor: the terminal's descriptor.
    /// - Returns: false if it is not a terminal. Nothing has changed then, and ``end()`` need not be called.
    package static func begin(on descriptor: Int32) -> Bool { terminal_hide(descriptor) == 0 }

    package static func end() { terminal_show() }
}

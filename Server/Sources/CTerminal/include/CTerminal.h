#pragma once

/// Turns echo off until `terminal_show`. A signal that ends or stops the program in between turns it on first; when the
/// program continues after a stop, it is off again. Only one terminal at a time.
///
/// - Returns: 0, or -1 if the descriptor is not a terminal, in which case nothing has changed.
int terminal_hide(int descriptor);

/// Undoes `terminal_hide`.
void terminal_show(void);

/// Has the program write a line to standard error when Ctrl-C ends it. If that signal is ignored, it remains so.
///
/// - Parameter line: with its line feed; copied. The former one, if any, is no longer written.
void terminal_say_at_interrupt(const char *line);

/// Has the next Ctrl-C, and no later one, write a zero byte to a descriptor instead of ending the program. Works after the first
/// `terminal_say_at_interrupt`.
///
/// - Parameter descriptor: -1 for none.
void terminal_tell_at_interrupt(int descriptor);

#pragma once

/// Has a terminal show nothing of what is typed, until `terminal_show`. A signal that ends or stops the program in between has it
/// show everything first; after a stop it shows nothing again. One terminal at a time.
///
/// - Returns: 0, or -1 where the descriptor is no terminal, and nothing was changed.
int terminal_hide(int descriptor);

/// Undoes `terminal_hide`.
void terminal_show(void);

#pragma once

#include <stddef.h>
#include <stdint.h>

/// A file of Server/Resources, as it was when the program was built.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} EmbeddedFile;

/// The catalog of texts in a language, by its tag; empty for a tag without a catalog.
EmbeddedFile embedded_texts(const char *tag);

/// The list of common passwords.
EmbeddedFile embedded_common_passwords(void);

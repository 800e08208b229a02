#pragma once

#include <stddef.h>
#include <stdint.h>

/// A file of Server/Resources, as it was when the program was built.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} EmbeddedFile;

// The catalog of texts in each language.
EmbeddedFile embedded_texts_bg(void);
EmbeddedFile embedded_texts_de(void);
EmbeddedFile embedded_texts_en(void);
EmbeddedFile embedded_texts_es(void);
EmbeddedFile embedded_texts_fr(void);

/// The list of common passwords.
EmbeddedFile embedded_common_passwords(void);

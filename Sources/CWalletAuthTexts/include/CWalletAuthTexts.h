#pragma once

#include <stddef.h>
#include <stdint.h>

/// A file of Resources/Texts, as it was at the build.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} WalletAuthTexts;

/// The SDK's texts in a language, by its tag; empty for a tag without texts.
WalletAuthTexts walletauth_texts(const char *tag);

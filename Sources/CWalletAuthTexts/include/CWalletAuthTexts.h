#pragma once

#include <stddef.h>
#include <stdint.h>

/// A file of Resources/Texts, as it was at the build.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} WalletAuthTexts;

// The SDK's texts in each language.
WalletAuthTexts walletauth_texts_bg(void);
WalletAuthTexts walletauth_texts_de(void);
WalletAuthTexts walletauth_texts_en(void);
WalletAuthTexts walletauth_texts_es(void);
WalletAuthTexts walletauth_texts_fr(void);

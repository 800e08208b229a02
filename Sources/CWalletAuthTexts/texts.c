#include "CWalletAuthTexts.h"

// #embed is of C23, which SwiftPM has no name for yet.
#pragma clang diagnostic ignored "-Wc23-extensions"

WalletAuthTexts walletauth_texts_bg(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/bg.json"
    };
    return (WalletAuthTexts){bytes, sizeof bytes};
}

WalletAuthTexts walletauth_texts_de(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/de.json"
    };
    return (WalletAuthTexts){bytes, sizeof bytes};
}

WalletAuthTexts walletauth_texts_en(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/en.json"
    };
    return (WalletAuthTexts){bytes, sizeof bytes};
}

WalletAuthTexts walletauth_texts_es(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/es.json"
    };
    return (WalletAuthTexts){bytes, sizeof bytes};
}

WalletAuthTexts walletauth_texts_fr(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/fr.json"
    };
    return (WalletAuthTexts){bytes, sizeof bytes};
}

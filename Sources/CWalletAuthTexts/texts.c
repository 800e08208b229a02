#include "CWalletAuthTexts.h"

#include <string.h>

// #embed is of C23, which SwiftPM has no name for yet.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t en[] = {
#embed "../../Resources/Texts/en.json"
};
static const uint8_t de[] = {
#embed "../../Resources/Texts/de.json"
};
static const uint8_t fr[] = {
#embed "../../Resources/Texts/fr.json"
};
static const uint8_t es[] = {
#embed "../../Resources/Texts/es.json"
};
static const uint8_t bg[] = {
#embed "../../Resources/Texts/bg.json"
};

static const struct {
    const char *tag;
    WalletAuthTexts texts;
} languages[] = {
    {"en", {en, sizeof en}}, {"de", {de, sizeof de}}, {"fr", {fr, sizeof fr}},
    {"es", {es, sizeof es}}, {"bg", {bg, sizeof bg}},
};

WalletAuthTexts walletauth_texts(const char *tag) {
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (strcmp(languages[i].tag, tag) == 0) return languages[i].texts;
    }
    return (WalletAuthTexts){NULL, 0};
}

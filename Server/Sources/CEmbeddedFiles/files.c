#include "CEmbeddedFiles.h"

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
    EmbeddedFile file;
} texts[] = {
    {"en", {en, sizeof en}}, {"de", {de, sizeof de}}, {"fr", {fr, sizeof fr}},
    {"es", {es, sizeof es}}, {"bg", {bg, sizeof bg}},
};

EmbeddedFile embedded_texts(const char *tag) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i].tag, tag) == 0) return texts[i].file;
    }
    return (EmbeddedFile){NULL, 0};
}

static const uint8_t common_passwords[] = {
#embed "../../Resources/common-passwords.txt"
};

EmbeddedFile embedded_common_passwords(void) {
    return (EmbeddedFile){common_passwords, sizeof common_passwords};
}

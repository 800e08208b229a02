#include "CEmbeddedFiles.h"

// #embed is of C23, which SwiftPM has no name for yet.
#pragma clang diagnostic ignored "-Wc23-extensions"

EmbeddedFile embedded_texts_bg(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/bg.json"
    };
    return (EmbeddedFile){bytes, sizeof bytes};
}

EmbeddedFile embedded_texts_de(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/de.json"
    };
    return (EmbeddedFile){bytes, sizeof bytes};
}

EmbeddedFile embedded_texts_en(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/en.json"
    };
    return (EmbeddedFile){bytes, sizeof bytes};
}

EmbeddedFile embedded_texts_es(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/es.json"
    };
    return (EmbeddedFile){bytes, sizeof bytes};
}

EmbeddedFile embedded_texts_fr(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/Texts/fr.json"
    };
    return (EmbeddedFile){bytes, sizeof bytes};
}

EmbeddedFile embedded_common_passwords(void) {
    static const uint8_t bytes[] = {
#embed "../../Resources/common-passwords.txt"
    };
    return (EmbeddedFile){bytes, sizeof bytes};
}

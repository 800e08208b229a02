extension ProviderText {
    static let bulgarian = ProviderText(
        divider: "или",
        signInLabel: "Вход с {provider}",
        continueLabel: "Продължаване с {provider}",
        newAccountHeading: "Все още нямате профил",
        newAccountLead: """
            Влязохте в {provider}, но {brand} още няма профил за този вход. Изберете потребителско име, за да го \
            създадете.
            """,
        emailLine: "{provider} ни съобщи имейл адреса ви – {email}. Той ще стане част от профила.",
        termsLine: "Като създавате профила, приемате условията на {brand}.",
        termsLabel: "Прочетете условията",
        createLabel: "Създаване на профил",
        leaving: "Пренасочваме ви към {provider}.",
        declined: "Не влязохте в {provider}. Опитайте отново или влезте по друг начин.",
        failed: "Входът в {provider} не успя. Опитайте отново или влезте по друг начин.",
        unavailable: "В момента няма връзка с {provider}. Опитайте отново след малко или влезте по друг начин.",
        gone: "Този начин за вход вече не се предлага. Изберете друг.",
        answerUsed: "Тази стъпка вече е използвана или отне твърде много време. Влезте отново.",
        nameTaken: "Това потребителско име е заето. Изберете друго.")
}

package import AuthCore
package import AuthFoundation
package import WalletAuthWire

/// The messages about long-lived sessions.
package enum DeviceTokenMessage: SecurityMessage {
    case issued(DeviceName)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case issued = "device_token_issued"
    }

    package var kind: Kind {
        switch self {
        case .issued: .issued
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .issued(let name): ["device": name.rawValue]
        }
    }
}

extension DeviceTokenMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .issued:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A device can stay signed in",
                    "A device linked to your {brand} account can now sign in for months without your password."),
                german: MessageText(
                    "Ein Gerät bleibt angemeldet",
                    "Ein Gerät Ihres Kontos bei {brand} kann sich jetzt monatelang ohne Passwort anmelden."),
                french: MessageText(
                    "Un appareil reste connecté",
                    """
                    Un appareil lié à votre compte {brand} peut désormais se connecter sans mot de passe pendant des mois.
                    """),
                spanish: MessageText(
                    "Un dispositivo mantiene la sesión iniciada",
                    "Un dispositivo de su cuenta de {brand} ya puede entrar durante meses sin contraseña."),
                bulgarian: MessageText(
                    "Устройство може да влиза без парола",
                    "Устройство, свързано с профила ви в {brand}, вече може да влиза месеци наред без парола."))
        }
    }
}

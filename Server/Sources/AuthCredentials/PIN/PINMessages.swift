package import AuthCore
package import AuthFoundation
package import WalletAuthWire

/// The messages about the PIN of a device.
package enum PINMessage: SecurityMessage {
    /// Set or changed.
    case set(DeviceName)
    case locked(DeviceName)
    case forgotten(DeviceName)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case set = "pin_set"
        case locked = "pin_locked"
        case forgotten = "pin_forgotten"
    }

    package var kind: Kind {
        switch self {
        case .set: .set
        case .locked: .locked
        case .forgotten: .forgotten
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .set(let name), .locked(let name), .forgotten(let name): ["device": name.rawValue]
        }
    }
}

extension PINMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .set:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A PIN was set", "A PIN was set or changed on a device linked to your {brand} account."),
                german: MessageText(
                    "Eine PIN wurde festgelegt",
                    "Auf einem Gerät Ihres Kontos bei {brand} wurde eine PIN festgelegt oder geändert."),
                french: MessageText(
                    "Un code PIN a été défini",
                    "Un code PIN a été défini ou changé sur un appareil lié à votre compte {brand}."),
                spanish: MessageText(
                    "Se ha establecido un PIN",
                    "Se ha establecido o cambiado un PIN en un dispositivo de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "Беше зададен ПИН", "На устройство на профила ви в {brand} беше зададен или сменен ПИН."))
        case .locked:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "Your PIN is locked",
                    "The PIN on a device linked to your {brand} account was locked after too many wrong attempts."),
                german: MessageText(
                    "Ihre PIN ist gesperrt",
                    "Die PIN eines Geräts Ihres Kontos bei {brand} wurde nach zu vielen Fehlversuchen gesperrt."),
                french: MessageText(
                    "Votre code PIN est bloqué",
                    "Le code PIN d’un appareil lié à votre compte {brand} a été bloqué après trop d’essais infructueux."
                ),
                spanish: MessageText(
                    "Su PIN está bloqueado",
                    "Se ha bloqueado el PIN de un dispositivo de su cuenta de {brand} tras demasiados intentos fallidos."
                ),
                bulgarian: MessageText(
                    "Вашият ПИН е заключен",
                    "ПИН кодът на устройство на профила ви в {brand} беше заключен след твърде много грешни опити."))
        case .forgotten:
            MessageTemplate(
                advice: .protect,
                english: MessageText(
                    "A PIN was removed",
                    "The PIN on a device linked to your {brand} account was removed using another device."),
                german: MessageText(
                    "Eine PIN wurde entfernt",
                    "Die PIN eines Geräts Ihres Kontos bei {brand} wurde von einem anderen Gerät aus entfernt."),
                french: MessageText(
                    "Un code PIN a été retiré",
                    "Le code PIN d’un appareil lié à votre compte {brand} a été retiré depuis un autre appareil."),
                spanish: MessageText(
                    "Se ha quitado un PIN",
                    "Se ha quitado desde otro dispositivo el PIN de un dispositivo de su cuenta de {brand}."),
                bulgarian: MessageText(
                    "ПИН код беше премахнат",
                    "ПИН кодът на устройство на профила ви в {brand} беше премахнат чрез друго устройство."))
        }
    }
}

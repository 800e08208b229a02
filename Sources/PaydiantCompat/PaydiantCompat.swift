import WalletAuth

import Foundation
import HTTP

/// Two self-signed certificates for `localhost`, made for these tests alone and good until the year 2126.
enum TestCertificates {
    static let firstCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmDCCAT2gAwIBAgIUKLn/o/j3DecbcpvQT1GceemS8zAwCgYIKoZIzj0EAwIw
        FTETMBEGA1UEAwwKZmlyc3QudGVzdDAgFw0yNjExMjEwOTQ5NDZaGA8yMTI2MTAy
        ODA5NDk0NlowFTETMBEGA1UEAwwKZmlyc3QudGVzdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABOOdhza+SdomSyoB4Y0OkaezR/2YKxRrtzKfo8Mt4cIiW04HWedc
        s10zBWbcaa2pcZSfcubXlM165IVLkVbYPSejaTBnMB0GA1UdDgQWBBQLFMMWhoin
        7k6AEEXF1zdhMGiPfzAfBgNVHSMEGDAWgBQLFMMWhoin7k6AEEXF1zdhMGiPfzAP
        BgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAKBggqhkjOPQQD
        AgNJADBGAiEAh8ndcAIQg+cSFxoqRoognwHYCN/1Ty50+nQtVH3BClcCIQCuidTE
        wnUwY+6ZehC5DnkLRROYsguUNJOj4HzfuzzXJA==
        -----END CERTIFICATE-----
        """

    static let firstKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwPnR1NIcEsPtVJmy
        5xCC7K1i+DsKRVUOmMayk1DPJNehRANCAATjnYc2vknaJksqAeGNDpGns0f9mCsU
        a7cyn6PDLeHCIltOB1nnXLNdMwVm3GmtqXGUn3Lm15TNeuSFS5FW2D0n
        -----END PRIVATE KEY-----
        """

    static let secondCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAT+gAwIBAgIUPabyPFzkCJoeZTveG5ed3Sg0CVowCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLc2Vjb25kLnRlc3QwIBcNMjYxMTIxMDk0OTQ2WhgPMjEyNjEw
        MjgwOTQ5NDZaMBYxFDASBgNVBAMMC3NlY29uZC50ZXN0MFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAE6D4Qnz7n55OCfxRHUdoXfD+yBG/ckV6SqVMq2lcH2WMqeXET
        SfyWeZFCmbAHZGDQeDoItkdZBEtEMTn9xRCAkaNpMGcwHQYDVR0OBBYEFIesVN06
        3EasLFEy5eYHGV6phLU9MB8GA1UdIwQYMBaAFIesVN063EasLFEy5eYHGV6phLU9
        MA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0MAoGCCqGSM49
        BAMCA0kAMEYCIQCRyDbLjanzIQrNxAqrzQPhg69tEya4eSH5LvnEjPypUgIhAIGj
        kI/mXEebqrdoio20VqeeKvEhK6jgd3LLx3+XIS05
        -----END CERTIFICATE-----
        """

    static let secondKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwlNJCuBp8ycDmIaS
        J8b2vus0QQnFnytqO2detdEx8ymhRANCAAToPhCfPufnk4J/FEdR2hd8P7IEb9yR
        XpKpUyraVwfZYyp5cRNJ/JZ5kUKZsAdkYNB4Ogi2R1kES0QxOf3FEICR
        -----END PRIVATE KEY-----
        """

    static func write(
        _ certificate: String = firstCertificate, _ key: String = firstKey, in folder: URL
    ) throws -> TLSFiles {
        let files = TLSFiles(
            certificateChain: folder.appending(path: "chain.pem").path,
            privateKey: folder.appending(path: "key.pem").path)
        try certificate.write(toFile: files.certificateChain, atomically: true, encoding: .utf8)
        try key.write(toFile: files.privateKey, atomically: true, encoding: .utf8)
        return files
    }
}

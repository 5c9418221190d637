// An https server whose certificate is in order, or is not. Everything in it is for tests: no one trusts this authority.
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { listenOnLoopback } from "./loopback.ts";

export const certificateKinds = ["self-signed", "incomplete chain", "unknown authority", "expired"] as const;
export type CertificateKind = (typeof certificateKinds)[number];

export interface TlsServer extends AsyncDisposable {
  /** `https://127.0.0.1:40123/`. */
  readonly url: string;
}

/**
 * ```ts
 * await using server = await tlsServer("expired", (_, response) => response.end("{}"));
 * const response = await fetch(server.url); // fails: CERT_HAS_EXPIRED, if `rootCertificate` is trusted
 * ```
 */
export async function tlsServer(kind: CertificateKind, answer: RequestListener): Promise<TlsServer> {
  const server = createServer({ key, cert: chains[kind] }, answer);
  const port = await listenOnLoopback(server);
  return {
    url: `https://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The authority that signed all certificates but the self-signed one. */
export const rootCertificate = `-----BEGIN CERTIFICATE-----
MIIBVjCB/aADAgECAgEBMAoGCCqGSM49BAMCMBoxGDAWBgNVBAMMD0V4YW1wbGUg
Um9vdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGjEYMBYG
A1UEAwwPRXhhbXBsZSBSb290IENBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
9qZ3EqRiFtO2Rek52VHsyIJbyrXcxEQ3WJYLckUHK7wbLflG4/ik4drrD2D1/fPK
Qnx2Rr32dHxPtPp/ZOwoJqMyMDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQU
IFvOXg1Dt/RZeIfGtJre89veXNowCgYIKoZIzj0EAwIDSAAwRQIgI2RXQcS1tKpX
s783cQy7ipfrjstGE934dwiK9e5U1YMCIQDAlsTlEhrR51f5/KE/jjrB9KyLWO4q
znpSQsCd6uRzfQ==
-----END CERTIFICATE-----
`;

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyMsmmqVaTAeHlqkC
T/qaOyutUx1ndkqKc95iC0JtmAehRANCAAT2pncSpGIW07ZF6TnZUezIglvKtdzE
RDdYlgtyRQcrvBst+Ubj+KTh2usPYPX988pCfHZGvfZ0fE+0+n9k7Cgm
-----END PRIVATE KEY-----
`;

const signed = `-----BEGIN CERTIFICATE-----
MIIBTzCB96ADAgECAgECMAoGCCqGSM49BAMCMBoxGDAWBgNVBAMMD0V4YW1wbGUg
Um9vdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAG
A1UEAwwJMTI3LjAuMC4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9qZ3EqRi
FtO2Rek52VHsyIJbyrXcxEQ3WJYLckUHK7wbLflG4/ik4drrD2D1/fPKQnx2Rr32
dHxPtPp/ZOwoJqMyMDAwDwYDVR0RBAgwBocEfwAAATAdBgNVHQ4EFgQUIFvOXg1D
t/RZeIfGtJre89veXNowCgYIKoZIzj0EAwIDRwAwRAIgRd/RLn+Cj+v5Wu8FaO5u
PYudPyndu976ZAACDMj8PuUCIH72F5YuEmRuuAlUYL88SgBNLksBYaSKTc1y0sMq
5+pr
-----END CERTIFICATE-----
`;

const expired = `-----BEGIN CERTIFICATE-----
MIIBTzCB9aADAgECAgEDMAoGCCqGSM49BAMCMBoxGDAWBgNVBAMMD0V4YW1wbGUg
Um9vdCBDQTAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBQxEjAQBgNV
BAMMCTEyNy4wLjAuMTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPamdxKkYhbT
tkXpOdlR7MiCW8q13MREN1iWC3JFByu8Gy35RuP4pOHa6w9g9f3zykJ8dka99nR8
T7T6f2TsKCajMjAwMA8GA1UdEQQIMAaHBH8AAAEwHQYDVR0OBBYEFCBbzl4NQ7f0
WXiHxrSa3vPb3lzaMAoGCCqGSM49BAMCA0kAMEYCIQDg8rbM8T4h7AibPA4Ko7od
6F4NlyifjSMu25PHinyVqAIhANkf/OyF4fv+090EvG/VNHAMvArxBZaz9BMw96a6
wpfp
-----END CERTIFICATE-----
`;

export const selfSignedCertificate = `-----BEGIN CERTIFICATE-----
MIIBSzCB8aADAgECAgEEMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCTEyNy4wLjAu
MTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
MTI3LjAuMC4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9qZ3EqRiFtO2Rek5
2VHsyIJbyrXcxEQ3WJYLckUHK7wbLflG4/ik4drrD2D1/fPKQnx2Rr32dHxPtPp/
ZOwoJqMyMDAwDwYDVR0RBAgwBocEfwAAATAdBgNVHQ4EFgQUIFvOXg1Dt/RZeIfG
tJre89veXNowCgYIKoZIzj0EAwIDSQAwRgIhAMO+/B6jrOiQ9YT5Uo8rLPa1MwEK
dCfXxY2H091kks2KAiEA5Ufvvoy5+RgZMJJ3tKm9Qg4FdNtRMqWxPESeC3zTlWg=
-----END CERTIFICATE-----
`;

const chains: Readonly<Record<CertificateKind, string>> = {
  "self-signed": selfSignedCertificate,
  // The server does not send its authority's certificate.
  "incomplete chain": signed,
  "unknown authority": signed + rootCertificate,
  expired: expired + rootCertificate,
};

export function loopbackCertificate(): { key: string; cert: string }
